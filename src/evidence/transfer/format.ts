import { z } from 'zod'
import { ENTRY_VERSION, Entry, EventName, Tag } from '../../shapes/evidence.ts'
import { Id } from '../../shapes/message.ts'
import type { Remains } from '../prepare.ts'
import { BODY_BYTES } from '../rows.ts'

/** The version of the file format: one JSON value a line, a header first, then the entries, oldest first, then the end. */
export const FORMAT = 1

/**
 * What one line may have in bytes: a body has half of that at most, and what goes with it far less. It bounds what a
 * hostile file costs: in memory, the value of a line can take fifty times its bytes.
 */
export const LINE_BYTES = 2 * BODY_BYTES

/** The position after which the file goes on; 0 for all there is. */
export const Header = z.strictObject({
  bellhop: z.literal('evidence'),
  version: z.int().positive(),
  after: z.int().nonnegative(),
})
export type Header = z.infer<typeof Header>

/** What was said by all lines before it: how many entries, the place of the last, and the store's root there. */
export const End = z.strictObject({
  end: z.literal(true),
  entries: z.int().nonnegative(),
  position: z.int().nonnegative(),
  root: Entry.shape.hash,
})
export type End = z.infer<typeof End>

/** A term that every engine can keep. */
const Term = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'expected whole characters')

const RemainsShape = z.strictObject({
  event: EventName,
  size: z.int().nonnegative(),
  terms: z.array(Term),
  /** The entry that let the body go; empty where it was lost before anybody wrote that down. */
  by: z.union([Id, z.literal('')]),
}) satisfies z.ZodType<Remains>

/** An entry as a line holds it. What the store checks of a draft is checked here: the file may be anybody's. */
export const WholeLine = Entry.extend({ pattern: Tag.nullable() })

/** An entry of a newer version: all of it as it is known, and a body of any event. */
export const NewerLine = WholeLine.extend({
  version: z.int().min(ENTRY_VERSION + 1),
  body: z.looseObject({ event: z.string().min(1).max(64) }),
})

/** An entry whose body was let go, with what it is found by. */
export const LetGoLine = WholeLine.extend({ body: z.null(), remains: RemainsShape })

/** How far something has come: entries so far, and how many there are about, where that is known. */
export type Progress = (entries: number, of: number | null) => void
