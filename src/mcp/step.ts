import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { Id } from '../shapes/message.ts'
import { Refusal } from '../shapes/refusal.ts'
import { StepOutcome, type StepReport } from '../shapes/turn.ts'

const [Ended, Failed, Interrupted] = StepOutcome.options

/** What a client learns of a step, as data. */
export const StepResult = z.strictObject({
  /** Not there where it was refused before it was one. */
  step: Id.optional(),
  kind: z.enum(['ok', 'failed', 'interrupted', 'refused']),
  ...Interrupted.omit({ kind: true }).partial().shape,
  ...Failed.omit({ kind: true }).partial().shape,
  ...Ended.omit({ kind: true }).partial().shape,
  // The codes are in docs/errors.md: all of them here would be most of the list.
  refusal: Refusal.extend({ code: z.string() }).optional(),
})
export type StepResult = z.infer<typeof StepResult>

/** The report of a step as a client gets it: a text to read, and the same as data. */
export const resultOf = (step: string | null, report: StepReport): CallToolResult => ({
  content: [{ type: 'text', text: textOf(report) }],
  structuredContent: { ...(step === null ? {} : { step }), ...report },
  ...(report.kind === 'ok' ? {} : { isError: true }),
})

export const refusalText = ({ code, message, remedy }: Refusal): string => `${message} [${code}]\n${remedy}`

const textOf = (report: StepReport): string => {
  if (report.kind === 'refused') return refusalText(report.refusal)
  if (report.kind === 'interrupted') return report.message
  const { output = '', cut = null } = report
  const rest = cut === null ? [] : [`[${cut}]`]
  if (report.kind === 'ok') return [output, ...rest].join('\n')
  const { message, hint } = report
  return [message, ...(output === '' ? [] : [output]), ...rest, ...(hint === undefined ? [] : [hint])].join('\n')
}
