import type { StepReport } from '../../../shapes/turn.ts'

/** Wording that every answer shares. What tools put out is untrusted: it is quoted and cut, and never interpreted. */

const PREFIX = 'rehearsal, no model: '
const ANSWER_BYTES = 4096
const CUT = '\n… (the answer was cut)'
const LINE_LENGTH = 140

export const answer = (text: string): string => {
  const whole = PREFIX + shown(text)
  if (Buffer.byteLength(whole) <= ANSWER_BYTES) return whole
  const start = Buffer.from(whole)
    .subarray(0, ANSWER_BYTES - Buffer.byteLength(CUT))
    .toString()
  return start.replace(/\uFFFD+$/, '') + CUT
}

/** Without control characters and without those that turn the direction of writing, which could disguise the text. */
const shown = (text: string): string => text.replace(/[^\P{Cc}\n\t]|\p{Cs}|[\u202A-\u202E\u2066-\u2069]/gu, '')

export const quoted = (text: string): string => `“${brief(text, 80)}”`

export const brief = (text: string, length = LINE_LENGTH): string => {
  const line = text.slice(0, length * 2).trim()
  return line.length > length ? `${line.slice(0, length).trimEnd()}…` : line
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** How often each key occurs, in the order of their first occurrence. */
export const tally = (keys: readonly string[]): [key: string, count: number][] => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts]
}

/** How a step that did not work out is told. */
export const told = (report: Exclude<StepReport, { kind: 'ok' }>): string => {
  if (report.kind === 'refused') {
    const { code, message, remedy } = report.refusal
    return `the step was refused (${code}): ${reason(message)}; ${remedy}.`
  }
  if (report.kind === 'interrupted') return `the step was interrupted: ${reason(report.message)}`
  return `the step failed: ${reason(report.message)}${report.hint === undefined ? '' : ` (${reason(report.hint)})`}`
}

const reason = (message: string): string => brief(message.slice(0, 1000).replace(/\s+/g, ' '), 400)

/** Lines of a file, numbered from the first. */
export const excerpt = (lines: readonly string[], from: number): string => {
  const width = String(from + lines.length - 1).length + 2
  return lines.map((line, at) => `${String(from + at).padStart(width)} | ${clipped(line)}`.trimEnd()).join('\n')
}

export const clipped = (line: string): string => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line)

export const linesOf = (output: string): string[] => {
  const lines = output.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

export const cutNote = (cut: string | null): string => (cut === null ? '' : `\n(cut: ${brief(cut, 200)})`)
