import { expect, test } from 'vitest'
import { parseMission } from '../../src/missions/parse.ts'
import { missionNamed, resolve } from '../../src/missions/resolve.ts'

/** Missions by their lines, as `id: line | line`. */
const portfolio = (...said: string[]) =>
  resolve(
    said.map((one) => {
      const [, id = '', lines = ''] = /^(\S+): (.*)$/.exec(one) ?? []
      const [name = ''] = id.split('/').slice(-1)
      return parseMission(name, `${id}.md`, [`# ${name}: it`, ...lines.split(' | ')].join('\n'))
    }),
  )

const standing = (...said: string[]) => {
  const { missions, complaints } = portfolio(...said)
  return [
    missions.map(({ id, status }) => `${id} ${status}`),
    complaints.map(({ path, line, what, right }) => `${path}:${line}: ${what}; ${right}`),
  ]
}

test('what is blocked by a mission that is not complete is blocked, whatever it says', () => {
  expect(
    standing(
      'M-a: Status: ready',
      'M-b: Status: ready | Blocked by: M-a',
      'M-c: Status: in-progress | Blocked by: m-B',
      'M-d: Status: complete | Blocked by: M-a',
      'M-e: Status: deferred | Blocked by: M-a',
      'M-f: Status: ready | Blocked by: the landlord',
    ),
  ).toEqual([['M-a ready', 'M-b blocked', 'M-c blocked', 'M-d complete', 'M-e deferred', 'M-f blocked'], []])
})

test('a blocker that is complete, or that is not there, is complained about', () => {
  expect(
    standing(
      'M-a: Status: complete',
      'M-b: Status: ready | Blocked by: M-a',
      'M-c: Status: blocked | Blocked by: M-a, M-nowhere',
    ),
  ).toEqual([
    ['M-a complete', 'M-b ready', 'M-c blocked'],
    [
      'M-b.md:2: is blocked by M-a, which is complete; take it out of the line',
      'M-c.md:2: is blocked by M-a, which is complete; take it out of the line',
      'M-c.md:2: is blocked by M-nowhere, which is not there; name a mission that is, or take it out of the line',
    ],
  ])
})

test('of two files of one name the first counts, and the other is complained about', () => {
  expect(standing('one/M-a: Status: ready', 'two/m-a: Status: complete', 'two/M-A: Status: deferred')).toEqual([
    ['M-a ready'],
    [
      'two/M-A.md:1: is M-A, as one/M-a.md is; give one of the two another name: the other one counts',
      'two/m-a.md:1: is m-a, as one/M-a.md is; give one of the two another name: the other one counts',
    ],
  ])
})

test('missions that block each other all say so, each by the shortest way around', () => {
  expect(
    standing(
      'M-a: Status: ready | Blocked by: M-b',
      'M-b: Status: ready | Blocked by: M-c',
      'M-c: Status: ready | Blocked by: M-a',
      'M-d: Status: ready | Blocked by: M-d',
      'M-e: Status: ready | Blocked by: M-a',
    ),
  ).toEqual([
    ['M-a blocked', 'M-b blocked', 'M-c blocked', 'M-d blocked', 'M-e blocked'],
    [
      'M-a.md:2: is blocked by itself: M-a by M-b by M-c by M-a; take one of them out of a "Blocked by" line',
      'M-b.md:2: is blocked by itself: M-b by M-c by M-a by M-b; take one of them out of a "Blocked by" line',
      'M-c.md:2: is blocked by itself: M-c by M-a by M-b by M-c; take one of them out of a "Blocked by" line',
      'M-d.md:2: is blocked by itself: M-d by M-d; take one of them out of a "Blocked by" line',
    ],
  ])
})

test('a mission is found by its name in whatever case', () => {
  const all = portfolio('M-Tea: Status: ready')
  expect([missionNamed(all, 'm-tea')?.id, missionNamed(all, 'M-pot')]).toEqual(['M-Tea', null])
})
