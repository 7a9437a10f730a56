import { expect, test } from 'vitest'
import { isQuiet, isServed, quietEnded, slotAt, wallAt } from '../../src/bulletins/clock.ts'
import { settings } from './situations.ts'

const at = (time: string): number => Date.parse(time)
const BERLIN = 'Europe/Berlin'

test.each([
  ['2026-01-02T23:30:00Z', 'UTC', { date: '2026-01-02', minute: 1410 }],
  ['2026-01-02T23:30:00Z', BERLIN, { date: '2026-01-03', minute: 30 }],
  ['2026-07-02T22:00:00Z', BERLIN, { date: '2026-07-03', minute: 0 }],
  ['2026-01-02T18:29:59Z', 'Asia/Kolkata', { date: '2026-01-02', minute: 1439 }],
])('at %s clocks in %s show %o', (time, zone, wall) => {
  expect(wallAt(at(time), zone)).toEqual(wall)
})

test.each([
  ['on the minute', '2026-01-02T08:00:00Z', { every: '4h' }, '2026-01-02 08:00'],
  ['a little late', '2026-01-02T08:10:59Z', { every: '4h' }, '2026-01-02 08:00'],
  ['too late', '2026-01-02T08:11:00Z', { every: '4h' }, null],
  ['by the clock of the room', '2026-01-02T07:00:00Z', { every: '4h', zone: BERLIN }, '2026-01-02 08:00'],
  ['once a day', '2026-01-02T00:05:00Z', { every: '1d' }, '2026-01-02 00:00'],
  ['by half an hour', '2026-01-02T08:31:00Z', { every: '30m' }, '2026-01-02T08:30:00.000Z'],
  ['at a time of the day', '2026-01-02T09:00:00Z', { at: ['09:00', '17:30'] }, '2026-01-02 09:00'],
  ['at a time of the day, after a start', '2026-01-02T10:00:00Z', { at: ['09:00', '17:30'] }, '2026-01-02 09:00'],
  ['at a time of the day, long ago', '2026-01-02T10:01:00Z', { at: ['09:00', '17:30'] }, null],
  ['when midnight is over', '2026-01-01T00:04:00Z', { at: ['23:58', '09:00'] }, '2025-12-31 23:58'],
  ['by both at once', '2026-01-02T09:05:00Z', { every: '30m', at: ['09:00'] }, '2026-01-02 09:00'],
  ['by an interval after that', '2026-01-02T09:30:00Z', { every: '30m', at: ['09:00'] }, '2026-01-02T09:30:00.000Z'],
  ['when both are too late', '2026-01-02T09:45:00Z', { every: '30m', at: ['09:00'] }, null],
  ['on no schedule', '2026-01-02T09:00:00Z', {}, null],
])('what is served %s, at %s with %o, is %s', (_name, time, part, slot) => {
  expect(slotAt(at(time), settings(part))).toBe(slot)
})

test('a time that clocks jump over in spring is served when they have, and once', () => {
  const morning = settings({ at: ['02:30'], zone: BERLIN })
  // On 29 March 2026 they go from 01:59 to 03:00.
  expect(['00:59', '01:00', '01:20'].map((time) => slotAt(at(`2026-03-29T${time}:00Z`), morning))).toEqual([
    null,
    '2026-03-29 02:30',
    '2026-03-29 02:30',
  ])
})

test('a time that clocks show twice in autumn is served once; half hours are four', () => {
  // On 25 October 2026 they go from 02:59 back to 02:00.
  const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z']
  const slots = (part: object) => times.map((time) => slotAt(at(time), settings({ zone: BERLIN, ...part })))
  expect(slots({ at: ['02:30'] })).toEqual(['2026-10-25 02:30', null, '2026-10-25 02:30', '2026-10-25 02:30'])
  expect(slots({ every: '30m' })).toEqual(times.map((time) => new Date(time).toISOString()))
  expect(slots({ every: '2h' })).toEqual([null, '2026-10-25 02:00', null, null])
})

test('an interval of hours is the same one before and after clocks jump', () => {
  const four = settings({ every: '4h', zone: BERLIN })
  expect(['2026-03-28T23:00:00Z', '2026-03-29T02:00:00Z'].map((time) => slotAt(at(time), four))).toEqual([
    '2026-03-29 00:00',
    '2026-03-29 04:00',
  ])
})

test.each([
  ['22:00', '07:00', '21:59', false],
  ['22:00', '07:00', '22:00', true],
  ['22:00', '07:00', '03:00', true],
  ['22:00', '07:00', '06:59', true],
  ['22:00', '07:00', '07:00', false],
  ['12:00', '13:00', '12:30', true],
  ['12:00', '13:00', '13:00', false],
])('with quiet hours from %s to %s, that it is quiet at %s is %s', (from, to, time, quiet) => {
  expect(isQuiet(at(`2026-01-02T${time}:00Z`), settings({ quiet: { from, to } }))).toBe(quiet)
})

test('quiet hours are on the clock of the room, and it is known for an hour when they ended', () => {
  const night = settings({ quiet: { from: '22:00', to: '07:00' }, zone: BERLIN })
  expect(isQuiet(at('2026-01-02T05:59:00Z'), night)).toBe(true)
  expect(isQuiet(at('2026-07-02T05:00:00Z'), night)).toBe(false)
  expect(
    ['05:59', '06:00', '06:30', '07:00', '07:01'].map((time) => quietEnded(at(`2026-01-02T${time}:30Z`), night)),
  ).toEqual([null, at('2026-01-02T06:00:00Z'), at('2026-01-02T06:00:00Z'), at('2026-01-02T06:00:00Z'), null])
})

test('of the times that clocks show again when they are put back, none is served again', () => {
  const both = settings({ at: ['02:10', '02:40'], zone: BERLIN })
  const times = ['00:10', '00:40', '01:10', '01:40'].map((time) => at(`2026-10-25T${time}:00Z`))
  const served: string[] = []
  for (const slot of times.map((time) => slotAt(time, both))) {
    if (slot !== null && !isServed(slot, served.at(-1) ?? null)) served.push(slot)
  }
  expect(served).toEqual(['2026-10-25 02:10', '2026-10-25 02:40'])
  expect(isServed('2026-10-25T00:30:00.000Z', '2026-10-25T01:00:00.000Z')).toBe(false)
})
