import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bareMachine, contextFiles, copyTo, REPOSITORY } from './bare.ts'
import { type Instruction, stagesOf } from './dockerfile.ts'

export type Machine = Awaited<ReturnType<typeof bareMachine>>

export const dockerfile = readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8')
export const [buildStage = [], finalStage = []] = stagesOf(dockerfile)

/** Does what the Dockerfile says, command by command, on bare machines: what it builds on, and what comes of it. */
export const buildImage = async () => {
  const builder = await bareMachine()
  const image = await bareMachine()
  await follow(buildStage, builder, (sources, folder) => {
    copyTo(builder.at(folder), sources.includes('.') ? contextFiles() : sources)
  })
  const packed = readdirSync(builder.at('/build')).filter((name) => name.endsWith('.tgz'))
  await follow(finalStage, image, ([, from = ''], to) => {
    mkdirSync(dirname(image.at(to)), { recursive: true })
    renameSync(builder.at(from), image.at(to))
  })
  return {
    image,
    builder,
    /** The npm package that the image was made of. */
    tarball: builder.at(`/build/${packed[0]}`),
    [Symbol.dispose]: () => {
      builder[Symbol.dispose]()
      image[Symbol.dispose]()
    },
  }
}

type Copy = (words: string[], to: string) => void

const follow = async (stage: readonly Instruction[], machine: Machine, copy: Copy): Promise<void> => {
  let cwd = '/'
  const steps: Record<string, (text: string) => Promise<void> | void> = {
    WORKDIR: (text) => {
      cwd = text
      mkdirSync(machine.at(text), { recursive: true })
    },
    COPY: (text) => {
      const words = text.split(' ')
      copy(words.slice(0, -1), join(cwd, words.at(-1) ?? ''))
    },
    RUN: async (text) => {
      // What Debian's packages hold is on this machine.
      if (!text.includes('apt-get')) await machine.shell(text, { cwd })
    },
  }
  for (const { name, text } of stage) await steps[name]?.(text)
}
