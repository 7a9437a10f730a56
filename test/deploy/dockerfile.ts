/** A line of a Dockerfile: what is done, and with what. */
export type Instruction = { name: string; text: string }

/** The stages of a Dockerfile, each from its FROM on, with continued lines put together and comments left out. */
export const stagesOf = (dockerfile: string): Instruction[][] => {
  const lines = dockerfile.split('\n').filter((line) => !/^\s*(#|$)/.test(line))
  const whole = lines.join('\n').replaceAll('\\\n', ' ').split('\n')
  const stages: Instruction[][] = []
  for (const line of whole) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, text: text.trim() })
  }
  return stages
}

/** All that a stage says by one kind of instruction. */
export const said = (stage: readonly Instruction[] | undefined, name: string): string[] =>
  (stage ?? []).filter((one) => one.name === name).map(({ text }) => text)

/** The Debian packages that a stage installs. */
export const packagesOf = (stage: readonly Instruction[] | undefined): string[] =>
  said(stage, 'RUN').flatMap((command) =>
    [...command.matchAll(/apt-get install ([^&]+)/g)].flatMap(([, words = '']) =>
      words.split(' ').filter((word) => word !== '' && !word.startsWith('-')),
    ),
  )

/** The environment that a stage gives its programs. */
export const environmentOf = (stage: readonly Instruction[] | undefined): Record<string, string> =>
  Object.fromEntries(
    said(stage, 'ENV').flatMap((text) => text.split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
  )
