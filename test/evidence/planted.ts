import { expect, test } from 'vitest'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { declareWalls } from '../../src/evidence/walls.ts'
import type { Author, Body, Draft } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import type { Violation } from '../../src/shapes/verdict.ts'
import { must, type TestStore, testStore } from '../support/store.ts'
import { richHistory, stepOf, WALLS } from './rich.ts'

/** What is done to the history; the chain is written as if it had always been so. */
export type Change = (drafts: Draft[]) => Draft[]

export const all =
  (...changes: Change[]): Change =>
  (drafts) =>
    changes.reduce((before, change) => change(before), drafts)

export const without =
  (...ids: string[]): Change =>
  (drafts) =>
    drafts.filter(({ id }) => !ids.includes(id))

export const entry =
  (id: string, change: Partial<Draft>): Change =>
  (drafts) =>
    drafts.map((draft) => (draft.id === id ? { ...draft, ...change } : draft))

export const by = (id: string, author: Author): Change => entry(id, { author })

/** The body of an entry with some of its fields changed, at any depth; undefined takes one away. */
export const body =
  (id: string, change: Record<string, unknown>): Change =>
  (drafts) => {
    if (!drafts.some((draft) => draft.id === id)) throw new Error(`there is no entry ${id}`)
    return drafts.map((draft) => (draft.id === id ? { ...draft, body: merged(draft.body, change) as Body } : draft))
  }

const merged = (before: unknown, change: unknown): unknown => {
  if (!isRecord(before) || !isRecord(change)) return change
  const fields = Object.entries({ ...before, ...change }).map(([key, value]) => [
    key,
    key in change ? merged(before[key], change[key]) : value,
  ])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Puts entries right after one. */
export const behind =
  (id: string, ...more: Draft[]): Change =>
  (drafts) =>
    drafts.flatMap((draft) => (draft.id === id ? [draft, ...more] : [draft]))

/** A step more, in a turn that has others. */
export const step = (id: string, ...parts: Parameters<typeof stepOf>): Change => behind(id, ...stepOf(...parts))

/** Another outcome altogether. */
export const outcomeOf = (id: string, outcome: StepOutcome): Change =>
  all(body(id, { outcome: null }), body(id, { outcome }))

/** Other arguments, beside those there are. */
export const args = (id: string, given: Record<string, unknown>): Change => body(id, { call: { args: given } })

export const violation = (id: string, rule: string, what: string): Violation => ({ entry: id, rule, what })

export const written = async ({ store }: TestStore, drafts: Draft[], walls: PeripheralSpec[] = WALLS) => {
  must(await declareWalls(store, walls))
  must(await store.append(drafts))
  return store
}

export const violationsAfter = async (change: Change, walls?: PeripheralSpec[]): Promise<Violation[]> => {
  await using house = await testStore()
  const store = await written(house, change(richHistory()), walls)
  return (await verifyChain(store, 's-1')).violations
}

export type Row = [title: string, change: Change, violations: Violation[]]

export const planted = (rows: Row[]): void => {
  test.each(rows)('%s', async (_title, change, violations) => {
    expect(await violationsAfter(change)).toEqual(violations)
  })
}
