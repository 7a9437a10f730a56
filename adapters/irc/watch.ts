import { randomBytes } from 'node:crypto'
import type { Link, Message } from './link.ts'
import type { Spoke } from './speech.ts'

export const UNSURE: Spoke = { kind: 'unsure', why: 'the connection ended before the server had answered' }

/** Whether it says that something was not taken: by a number, or as standard replies do. */
const isError = ({ command }: Message): boolean => command === 'FAIL' || /^[45]\d\d$/.test(command)

export type Watch = ReturnType<typeof createWatch>

/** Waits for what the server makes of some blocks: by labels where it answers them, and else by what it answers after them. */
export const createWatch = (link: Link, target: string, count: number) => {
  const token = randomBytes(8).toString('hex')
  const labels = link.has('labeled-response') && link.has('echo-message')
  const open = new Set(labels ? Array.from({ length: count }, (_, i) => `${token}-${i}`) : [token])
  /** Answers of several lines, by the names of their batches: which label they are for. */
  const answers = new Map<string, string>()
  const errors = new Map<string, { code: string; why: string }>()
  let isDoubtful = false
  let ref: string | null = null
  let settle: (spoke: Spoke) => void = () => {}
  const done = new Promise<Spoke>((resolve) => {
    settle = resolve
  })
  const fail = (key: string, { command, params }: Message) =>
    errors.set(key, { code: command, why: params.at(-1) ?? command })

  /** The label that a line is an answer to, or the end of one; and whether that is all of the answer. */
  const answered = ({ command, tags, params: [name = '', type] }: Message): { label: string; isAll: boolean } => {
    const ended = command === 'BATCH' && name.startsWith('-') ? answers.get(name.slice(1)) : undefined
    if (ended !== undefined) return { label: ended, isAll: true }
    const label = tags['label'] ?? answers.get(tags['batch'] ?? '') ?? ''
    const isMany = command === 'BATCH' && type === 'labeled-response'
    if (isMany) answers.set(name.slice(1), label)
    return { label, isAll: 'label' in tags && !isMany }
  }
  const byLabel = (line: Message) => {
    const { label, isAll } = answered(line)
    if (!open.has(label)) return
    if (isError(line)) fail(label, line)
    else ref ??= line.tags['msgid'] ?? null
    if (isAll) open.delete(label)
  }
  const byToken = (line: Message) => {
    const { command, params } = line
    if (command === 'PONG' && params.includes(token)) open.clear()
    if (!isError(line)) return
    if (link.fold(params[1] ?? '') === link.fold(target)) fail(String(errors.size), line)
    // It does not say of what.
    if (command === 'FAIL' && /^(?:BATCH|PRIVMSG)$/.test(params[0] ?? '')) {
      isDoubtful = true
      fail(String(errors.size), line)
    }
  }
  const outcome = (): Spoke => {
    const [first] = errors.values()
    if (!first) return { kind: 'said', ref }
    return errors.size < count || isDoubtful
      ? { kind: 'partly', why: `a part was refused: ${first.why}` }
      : { kind: 'refused', ...first }
  }
  return {
    token,
    labels,
    /** A block whose first line carries a label, where labels are answered. */
    marked: (block: readonly string[], index: number): string[] =>
      labels ? block.map((line, i) => (i === 0 ? `@label=${token}-${index} ${line}` : line)) : [...block],
    line: (line: Message) => {
      if (labels) byLabel(line)
      else byToken(line)
      if (open.size === 0) settle(outcome())
    },
    settled: (ms: number): Promise<Spoke> => {
      const timer = setTimeout(
        () => settle({ kind: 'unsure', why: `the server did not answer within ${ms / 1000} s` }),
        ms,
      )
      return done.finally(() => clearTimeout(timer))
    },
    end: () => settle(UNSURE),
  }
}
