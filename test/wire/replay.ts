import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { eventually } from '../support/poll.ts'
import type { WireHouse } from './house.ts'
import { openProgram, type Program, proof } from './program.ts'

/**
 * One line of a recording: what the program sent, what it was told, what a person said in the room meanwhile, and when
 * the wire was opened or cut.
 */
export type Line =
  | { from: 'client' | 'server'; frame: Record<string, unknown> }
  | { from: 'person'; text: string }
  | { from: 'wire'; event: 'open' | 'cut' }

export const linesOf = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** What the programs were allowed when they were recorded. */
const PERIPHERALS = ['explore', 'edit', 'test', 'deploy', 'reflect', 'chat']

/** Plays the program's part of a recording, and holds what it is told against the other part, whole. */
export const replay = async (house: WireHouse, agent: string, lines: readonly Line[]): Promise<void> => {
  const token = await house.mint({ agent, type: 'scout', peripherals: PERIPHERALS })
  const bound = new Map<string, unknown>([['$agent', agent]])
  let program: Program | null = null
  let heard = 0

  /** Nothing else was told, and the wire is cut. */
  const cut = async (): Promise<void> => {
    expect(program?.told.slice(heard) ?? []).toEqual([])
    await program?.cut()
    bound.delete('$nonce')
    heard = 0
  }
  const hear = async (frame: unknown): Promise<void> => {
    const actual = await frameAt(program, heard++)
    expect(actual).toStrictEqual(filled(frame, actual, bound))
  }
  const send = (frame: unknown): void => {
    bound.set('$answer', proof(token, String(bound.get('$nonce'))))
    program?.send(filled(frame, null, bound))
  }

  for (const line of lines) {
    if (line.from === 'person') await house.say(line.text.replace('$agent', agent))
    if (line.from === 'client') send(line.frame)
    if (line.from === 'server') await hear(line.frame)
    if (line.from !== 'wire') continue
    await cut()
    program = line.event === 'open' ? await openProgram(house.url, { token }) : null
  }
  await cut()
}

const frameAt = async (program: Program | null, at: number): Promise<unknown> => {
  const frames = program?.told ?? []
  await eventually(`frame ${at}`, () => frames.length > at)
  return frames[at]
}

/** What is expected, with the placeholders filled in: `$_` is anything, `$name` what it was when it first came. */
const filled = (expected: unknown, actual: unknown, bound: Map<string, unknown>): unknown => {
  if (typeof expected === 'string' && expected.startsWith('$')) {
    if (expected === '$_') return actual
    if (!bound.has(expected)) bound.set(expected, actual)
    return bound.get(expected)
  }
  if (typeof expected !== 'object' || expected === null) return expected
  if (Array.isArray(expected)) return expected.map((value, i) => filled(value, at(actual, i), bound))
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, filled(value, at(actual, key), bound)]),
  )
}

const at = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined
