import { expect, test } from 'vitest'
import { differencesOf } from '../../src/missions/diff.ts'
import { diffText } from '../../src/missions/lines.ts'
import type { MissionStatus, Snapshot } from '../../src/shapes/mission.ts'

type Row = [id: string, status: MissionStatus, done?: number, total?: number]

const snapshot = (...rows: Row[]): Snapshot => ({
  missions: rows.map(([id, status, done = 0, total = 0]) => ({
    id,
    status,
    boxes: { done, total },
    turns: 0,
    drift: [],
  })),
  complaints: 0,
})

test('two reviews differ by what came, went, stands otherwise, or has other boxes', () => {
  const before = snapshot(['M-a', 'ready'], ['M-b', 'ready', 1, 4], ['M-c', 'blocked'], ['M-e', 'in-progress', 1, 2])
  const after = snapshot(
    ['M-b', 'in-progress', 2, 4],
    ['M-c', 'blocked'],
    ['M-d', 'ready'],
    ['M-e', 'in-progress', 2, 2],
  )
  expect(diffText(differencesOf(before, after))).toBe(
    [
      'Portfolio diff (since last review):',
      '  - M-a [ready]',
      '  ~ M-b [ready → in-progress] boxes 1/4 → 2/4',
      '  + M-d [ready]',
      '  ~ M-e [in-progress] boxes 1/2 → 2/2',
      '  Summary: 4 missions (was 4)',
    ].join('\n'),
  )
})

test('two reviews that found the same say so', () => {
  expect(diffText(differencesOf(snapshot(['M-a', 'ready']), snapshot(['M-a', 'ready'])))).toBe(
    'No changes since last review',
  )
})

test('of many differences a room reads twenty', () => {
  const many = snapshot(...Array.from({ length: 30 }, (_, i): Row => [`M-${10 + i}`, 'ready']))
  const lines = diffText(differencesOf(snapshot(), many)).split('\n')
  expect([lines.length, lines.at(-2), lines.at(-1)]).toEqual([
    23,
    '  ... and 10 more',
    '  Summary: 30 missions (was 0)',
  ])
})
