import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../evidence/store.ts'
import { Id } from '../shapes/message.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import { ok, type Result } from '../shapes/result.ts'
import { StepReport } from '../shapes/turn.ts'
import type { Context, SeatDoor } from './operation.ts'

/** A step that was taken, and what came of it. */
export const Taken = z.strictObject({
  step: Id,
  /** Null while it goes on: a person is not kept waiting for it. */
  report: StepReport.nullable(),
  /** The approval that it waits for. */
  waits: z.string().optional(),
})
export type Taken = z.infer<typeof Taken>

/** How long a person waits for what comes of what they do by hand: after that, the room is told by the evidence of it. */
const WAIT_MS = 2000

/** Takes a step for a person. What takes long goes on by itself, and nobody waits for it here. */
export const takeStep = async (
  call: ToolCall,
  door: SeatDoor,
  { store, newId }: Pick<Context, 'store' | 'newId'>,
): Promise<Result<Taken>> => {
  const name = stepNamed(newId())
  const answer = await soon(door.act(call, name))
  if (answer) return answer
  const at = await door.at()
  if (!at.ok) return at
  const step = `${at.value.turn}.${name}`
  return ok({ step, report: null, ...(await waitsFor(step, store)) })
}

/** The name of a step, made from the id of what asked for it: asked for again, it is the same step. */
const stepNamed = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 12)

/** What came of something, unless that takes longer than a person is kept waiting. */
export const soon = async <T>(coming: Promise<T>): Promise<T | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, null)
  })
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
    // Whatever becomes of it later is in the evidence.
    coming.catch(() => {})
  }
}

const waitsFor = async (step: string, store: Store): Promise<Pick<Taken, 'waits'>> => {
  const body = (await store.get(`${step}.approval`))?.body
  return body?.event === 'approval-asked' ? { waits: body.approval } : {}
}

/** How much of an output an answer has, in bytes; the evidence has all of it. */
const SHOWN_BYTES = 6144

/** What came of a step, as a room reads it. */
export const takenText = ({ step, report, waits }: Taken): string => {
  if (report !== null) return reportText(step, report)
  return waits === undefined
    ? `it is running: ${step}`
    : `it waits for an approval: /approve ${waits} lets ${step} go on`
}

const reportText = (step: string, report: StepReport): string => {
  switch (report.kind) {
    case 'ok':
      return lines(short(report.output.trimEnd(), step) || 'done', cutText(report.cut))
    case 'failed': {
      const { message, output = '', cut, hint = '' } = report
      return lines(`failed: ${message}`, short(output.trimEnd(), step), cutText(cut), hint)
    }
    case 'interrupted':
      return `interrupted: ${report.message}`
    case 'refused': {
      const { code, message, remedy } = report.refusal
      return lines(`refused: ${message} [${code}]`, remedy)
    }
  }
}

const lines = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n')

const cutText = (cut: string | null | undefined): string => (cut ? `(${cut})` : '')

/** The beginning of a text, up to a whole character, and where the rest is. */
const short = (text: string, step: string): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= SHOWN_BYTES) return text
  let end = SHOWN_BYTES
  // The bytes of a character after its first begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.subarray(0, end).toString()}\n… more: /show ${step}.outcome`
}
