import { parseJson } from '../lib/parse-json.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ClientFrame, type ClientType, since, WIRE } from '../shapes/wire.ts'
import type { Context } from './house.ts'

/** A frame, or why it is none; `re` is its id, as far as it has one. */
export type Read =
  | { ok: true; frame: ClientFrame }
  | { ok: false; re: string | null; refusal: Refusal; context: Context }

const FRAME_ID = /^[A-Za-z0-9_~-]{1,64}$/
const TYPES = ClientFrame.options.map(({ shape }) => shape.type.value)

/** Reads a frame as a program of this minor version may say it; before that is agreed on, as of the newest. */
export const readFrame = (text: string, depth: number, minor: number = WIRE.minor): Read => {
  const given = parse(text)
  if (given === null) return invalid(null, 'a frame is a JSON object')
  const re = typeof given['id'] === 'string' && FRAME_ID.test(given['id']) ? given['id'] : null
  if (isDeeper(given, depth)) return invalid(re, `a frame may be nested ${depth} deep, and no deeper`)
  const known = TYPES.filter((type) => (since[type] ?? 0) <= minor)
  const type = given['type']
  if (!isOneOf(type, known)) return unknownType(re, type, known)
  const parsed = ClientFrame.safeParse(given)
  if (parsed.success) return { ok: true, frame: parsed.data }
  const [issue] = parsed.error.issues
  const path = issue?.path.join('.') ?? ''
  return invalid(re, `${type}: ${path === '' ? '' : `${path}: `}${issue?.message}`, { type, path })
}

const invalid = (re: string | null, message: string, context: Context = {}): Read => ({
  ok: false,
  re,
  refusal: refusal('frame-invalid', message),
  context,
})

const unknownType = (re: string | null, type: unknown, known: readonly ClientType[]): Read => {
  const later = TYPES.find((one) => one === type)
  const context = { known }
  if (later === undefined) return invalid(re, `a frame has a type: one of ${known.join(', ')}`, context)
  return invalid(re, `there is ${later} since ${WIRE.major}.${since[later]}: say so in hello`, context)
}

const isOneOf = <T>(value: unknown, list: readonly T[]): value is T => list.some((one) => one === value)

const parse = (text: string): Record<string, unknown> | null => {
  const given = parseJson(text)
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : null
}

/** Whether something is nested deeper than this; looked at level by level, as deep as that. */
const isDeeper = (given: unknown, depth: number): boolean => {
  let level: unknown[] = [given]
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return false
}
