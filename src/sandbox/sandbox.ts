import { StringDecoder } from 'node:string_decoder'
import { begin } from './begin.ts'
import { ownCgroups } from './cgroup.ts'
import type { Job, Ran } from './job.ts'
import type { Stream } from './launch.ts'

/**
 * Runs a program in the sandbox until it has ended, or one of its limits is met, or it is cancelled; then nothing of it
 * is left, however it was started.
 */
export const execute = async (job: Job, cgroups = ownCgroups()): Promise<Ran> => {
  const said = listen(job)
  const begun = await begin(job, { heard: said.hear, input: false, cgroups: await cgroups })
  if (typeof begun === 'string') return { exit: NOT_STARTED, ended: 'exit', output: `${begun}\n` }
  said.onTooMuch(() => begun.stop('output'))
  const { exit, ended, note } = await begun.done
  return { exit, ended, output: joined(said.text('output'), said.text('error'), note) }
}

/** As shells say of a program that cannot be run. */
const NOT_STARTED = 126

/** Keeps what a program says, up to the bound, and passes it on as it comes. */
const listen = ({ limits, said }: Job) => {
  const kept: Record<Stream, Buffer[]> = { output: [], error: [] }
  const decoders = { output: new StringDecoder(), error: new StringDecoder() }
  let left = limits.outputBytes
  let tooMuch = (): void => {}
  return {
    hear: (stream: Stream, chunk: Buffer): void => {
      const piece = chunk.subarray(0, left)
      left -= piece.length
      kept[stream].push(piece)
      const text = decoders[stream].write(piece)
      if (text !== '') said?.(text)
      if (piece.length < chunk.length) tooMuch()
    },
    onTooMuch: (end: () => void): void => {
      tooMuch = end
    },
    /** Half a character at the end is left out. */
    text: (stream: Stream): string => new StringDecoder().write(Buffer.concat(kept[stream])),
  }
}

/** Each part begins on a line of its own. */
const joined = (...parts: string[]): string =>
  parts.reduce(
    (text, part) => (text === '' || part === '' || text.endsWith('\n') ? text + part : `${text}\n${part}`),
    '',
  )
