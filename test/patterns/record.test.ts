import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NEVER, recordOf, usesIn } from '../../src/patterns/record.ts'
import { BEGAN, happened, judged, pivoted, selected } from './patterns.ts'

const record = (history: Parameters<typeof usesIn>[0], name: string, rooms = ['lobby']) =>
  recordOf(usesIn(history), name, (room) => rooms.includes(room))

test('a record counts how often a pattern was chosen, what came of it, and where', () => {
  const later = '2026-02-02T03:04:05.000Z'
  const history = happened(
    [selected('pour')],
    [judged('pour', 'worked')],
    [selected('pour'), { session: 's-2', room: 'den', at: later }],
    [pivoted('pour', 'stir'), { session: 's-2', room: 'den', at: later }],
    [selected('stir'), { session: 's-2', room: 'den', at: later }],
    [selected('pour'), { session: 's-3' }],
  )
  expect([record(history, 'pour'), record(history, 'stir'), record(history, 'boil')]).toEqual([
    {
      selected: 3,
      worked: 1,
      failed: 1,
      left: 1,
      open: 1,
      last: later,
      where: [{ room: 'lobby', selected: 2, worked: 1, failed: 0 }],
      elsewhere: 1,
    },
    { selected: 1, worked: 0, failed: 0, left: 0, open: 1, last: later, where: [], elsewhere: 1 },
    NEVER,
  ])
})

test('an outcome that nothing was chosen for counts for nothing, whoever wrote it', () => {
  const history = happened(
    [judged('pour', 'worked')],
    [selected('pour')],
    [judged('pour', 'worked'), { session: 's-2' }],
    [judged('pour', 'failed')],
    [judged('pour', 'worked')],
    [pivoted('pour', 'stir')],
  )
  expect(record(history, 'pour')).toEqual({
    selected: 1,
    worked: 0,
    failed: 1,
    left: 0,
    open: 0,
    last: BEGAN,
    where: [{ room: 'lobby', selected: 1, worked: 0, failed: 1 }],
    elsewhere: 0,
  })
})

test('whatever is written, what was chosen is the sum of what worked, failed and is open, and rooms add up', () => {
  const names = fc.constantFrom('pour', 'stir')
  const body = fc.oneof(
    names.map(selected),
    fc
      .tuple(names, fc.constantFrom('worked' as const, 'failed' as const))
      .map(([name, outcome]) => judged(name, outcome)),
    names.map((name) => pivoted(name, null, 'a spoon')),
  )
  const where = fc.record({ session: fc.constantFrom('s-1', 's-2'), room: fc.constantFrom('lobby', 'den') })
  fc.assert(
    fc.property(fc.array(fc.tuple(body, where), { maxLength: 40 }), (all) => {
      const {
        selected: chosen,
        worked,
        failed,
        left,
        open,
        where: rooms,
      } = record(happened(...all), 'pour', ['lobby', 'den'])
      const times = all.filter(([one]) => one.event === 'pattern-selected' && one.pattern === 'pour').length
      expect([chosen, worked + failed + open, left <= failed]).toEqual([times, times, true])
      expect(rooms.reduce((sum, one) => sum + one.selected, 0)).toBe(times)
    }),
  )
})
