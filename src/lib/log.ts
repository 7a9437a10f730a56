import { Writable } from 'node:stream'
import { multistream, pino } from 'pino'
import type { LOG_LEVELS } from '../shapes/config.ts'
import { openLogFile } from './log-file.ts'

export type LogLevel = (typeof LOG_LEVELS)[number]

type Complaint = { at: string; message: string }
export type Log = Record<LogLevel, LogLine> & {
  /** What was warned of last, the newest first. */
  complaints: () => Complaint[]
  close: () => void
}
type LogLine = (message: string, fields?: Readonly<Record<string, unknown>>) => void

type Options = {
  /** Where the lines go: into a file that is kept small, or to whoever started the process. */
  to: { file: string; megabytes: number; files: number } | Writable
  part: string
  level: LogLevel
  /** The same for people to read. */
  verbose: Writable | null
  /** Takes the secrets out. */
  redact: <T>(value: T) => T
}

/** Structured lines: a constant message and fields, JSON, one to a line. No secret reaches them: whatever is said, it is looked through. */
export const openLog = ({ to, part, level, verbose, redact }: Options): Log => {
  const main =
    to instanceof Writable ? { write: (line: string) => void to.write(line), close: () => {} } : openLogFile(to)
  const streams = [{ stream: main, level }, ...(verbose ? [{ stream: forPeople(verbose), level }] : [])]
  const log = pino({ base: { part, pid: process.pid }, level }, multistream(streams))
  let complaints: Complaint[] = []
  // What is said after the end, by what ends a little later, is said to nobody.
  let closed = false

  const line =
    (at: LogLevel): LogLine =>
    (message, fields = {}) => {
      if (closed || !log.isLevelEnabled(at)) return
      const said = redact(message)
      if (at === 'warn' || at === 'error')
        complaints = [{ at: new Date().toISOString(), message: said }, ...complaints].slice(0, COMPLAINTS)
      log[at](redact(withoutSecrets(fields) as Record<string, unknown>), said)
    }

  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    complaints: () => complaints,
    close: () => {
      closed = true
      main.close()
    },
  }
}

/** As many as one looks at. */
const COMPLAINTS = 5

/** Names under which nothing is ever written, whatever it looks like. */
const SECRET =
  /^(?:.*[-_.])?(?:token|credential|password|passwd|secret|authorization|cookie|set-cookie|api-?_?key|private-?_?key)s?$/i

const DEEPEST = 6

/** The fields without what stands under a name of a secret. What is nested without end is cut. */
const withoutSecrets = (value: unknown, depth = 0): unknown => {
  if (value === null || typeof value !== 'object') return value
  if (depth >= DEEPEST) return '…'
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) && !isCount(inner) ? '[redacted]' : withoutSecrets(inner, depth + 1),
    ]),
  )
}

/** How many there were is no secret. */
const isCount = (value: unknown): boolean => value === null || typeof value === 'number' || typeof value === 'boolean'

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
