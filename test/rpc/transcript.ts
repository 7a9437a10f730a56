/** One line of a recorded conversation: what a client said, or what it was told. */
export type Line = { client: object } | { server: object }

/** What differs from run to run, and the names it goes by in a recording, in the order it turned up. */
const KINDS: [string, RegExp][] = [
  ['thread', /\bt-[0-9a-z]{26}\b/g],
  ['id', /\b[0-9a-hjkmnp-tv-z]{26}\b/g],
  ['approval', /(?<="approval":")[0-9a-z]{1,16}(?=")/g],
  ['time', /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g],
]

/** Names what differs: the same thing has the same name for as long as a conversation lasts. */
export const createNames = (known: Record<string, string>) => {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const nameOf = (kind: string, value: string): string => {
    // No two times are the same, and nothing refers to one.
    if (kind === 'time') return '<time>'
    const count = (counts.get(kind) ?? 0) + 1
    const name = names.get(value) ?? `<${kind}-${count}>`
    if (!names.has(value)) counts.set(kind, count)
    names.set(value, name)
    return name
  }
  return {
    /** A message of this run, as a recording has it. */
    hide: (message: object): object => {
      let text = JSON.stringify(message)
      for (const [value, name] of Object.entries(known))
        text = text.replace(new RegExp(`\\b${value.replaceAll('.', '\\.')}(?![\\w-])`, 'g'), name)
      for (const [kind, form] of KINDS) text = text.replace(form, (value) => nameOf(kind, value))
      return JSON.parse(text)
    },
    /** A message of a recording, as it is said in this run. */
    show: (message: object): object => {
      let text = JSON.stringify(message)
      for (const [value, name] of names) text = text.replaceAll(name, value)
      return JSON.parse(text)
    },
  }
}

/** A place in a list says nothing to a client: how many entries a house begins with is nobody's business. */
export const opaque = (message: object): object =>
  JSON.parse(JSON.stringify(message).replace(/"nextCursor":"\d+"/g, '"nextCursor":"<cursor>"'))

/** Of what steps say while they run, nobody can say when it comes, or whether. */
export const isTimely = (message: { method?: string }): boolean => message.method?.endsWith('/outputDelta') !== true
