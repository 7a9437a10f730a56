import { expect, test } from 'vitest'
import { loadHouse } from '../../src/config/load.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG, complaint } from './complaint.ts'

/** What is said of a user's file of these lines. */
const complaintOf = (...lines: string[]): string => {
  using folder = scratch()
  const file = folder.write('mine.yaml', `${lines.join('\n')}\n`)
  return complaint(() => loadHouse(CONFIG, file)).message.replaceAll(file, 'mine.yaml')
}

test.each([
  [
    'a profile that is not there',
    ['profile: carefull'],
    'mine.yaml:1: profile: expected one of the profiles careful, fast, or null',
  ],
  [
    'a profile by the name that takes profiles back',
    ['profiles:', '  none: { summary: nothing }'],
    'mine.yaml:2: profiles.none: "none" cannot be a profile\'s name: it takes a profile back',
  ],
  [
    'a star inside of a name',
    ['prices:', '  models:', '    "gpt-*-mini": { input: 1, cached: 0, output: 2 }'],
    'mine.yaml:3: prices.models.gpt-*-mini: a star stands for the rest of a name, and only at its end',
  ],
  [
    'a budget in dollars where nothing has a price',
    [
      'agents:',
      '  - { id: claude-1, type: claude, peripheral: explore, budget: { turn: { tokens: 1 } } }',
      '  - { id: claude-2, type: claude, peripheral: explore, budget: { day: { usd: 5 } } }',
      'profiles:',
      '  cheap:',
      '    summary: little',
      '    budget: { turn: { usd: 0.1 } }',
    ],
    [
      'mine.yaml:3: agents.1.budget: nothing has a price, so dollars are not counted: say under prices what models cost, or bound tokens',
      'mine.yaml:7: profiles.cheap.budget: nothing has a price, so dollars are not counted: say under prices what models cost, or bound tokens',
    ].join('\n'),
  ],
] satisfies [string, string[], string][])('a mistake is told with its file and line: %s', (_what, lines, expected) => {
  expect(complaintOf(...lines)).toBe(expected)
})

test('a profile that is there can hold everywhere, and a price makes dollars count', () => {
  using folder = scratch()
  const file = folder.write(
    'mine.yaml',
    [
      'profile: cheap',
      'profiles: { cheap: { summary: little, budget: { day: { usd: 1 } } } }',
      'prices: { asOf: 2026-01-01, models: { "claude-*": { input: 1, cached: 0.1, output: 5 }, "*": { input: 9, cached: 9, output: 9 } } }',
    ].join('\n'),
  )
  const { profile, profiles, prices } = loadHouse(CONFIG, file).config
  expect([profile, Object.keys(profiles), prices]).toEqual([
    'cheap',
    ['careful', 'fast', 'cheap'],
    {
      asOf: '2026-01-01',
      models: {
        'claude-*': { input: 1, cached: 0.1, written: 0, output: 5 },
        '*': { input: 9, cached: 9, written: 0, output: 9 },
      },
    },
  ])
})
