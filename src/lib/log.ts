import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Writable } from 'node:stream'
import { destination, multistream, pino } from 'pino'

export type Log = { info: LogLine; warn: LogLine; close: () => void }
type LogLine = (message: string, fields?: Record<string, unknown>) => void

type Options = { file: string; part: string; verbose: Writable | null }

/** Structured lines into a file; with `verbose`, the same for people to read. Tokens never reach either. */
export const openLog = ({ file, part, verbose }: Options): Log => {
  mkdirSync(dirname(file), { recursive: true })
  // Written at once: lines that wait in memory are lost with the process, and on a full disk they would hold it up.
  const stream = destination({ dest: file, sync: true, mode: 0o600 })
  stream.on('error', () => {})
  const streams = verbose ? [{ stream }, { stream: forPeople(verbose) }] : [{ stream }]
  const log = pino(
    { base: { part, pid: process.pid }, redact: ['token', '*.token', 'credential', '*.credential'] },
    multistream(streams),
  )
  return {
    info: (message, fields = {}) => log.info(fields, message),
    warn: (message, fields = {}) => log.warn(fields, message),
    close: () => stream.end(),
  }
}

const forPeople = (to: Writable): Writable =>
  new Writable({
    write: (line: Buffer, _encoding, done) => {
      const { time, part, msg, level, pid: _pid, ...fields } = JSON.parse(line.toString())
      const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
      to.write(
        `${new Date(time).toISOString().slice(11, 23)} ${part}: ${level >= 40 ? 'warning: ' : ''}${msg}${rest}\n`,
        done,
      )
    },
  })
