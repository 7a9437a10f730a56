import { describe, expect, test } from 'vitest'
import { parseMission } from '../../src/missions/parse.ts'
import { boxesIn, type Mark } from '../../src/missions/prose.ts'
import { rewritten, type Said } from '../../src/missions/rewrite.ts'

const said = (also: Partial<Said> = {}): Said => ({
  mark: ({ mark }) => mark,
  status: 'in-progress',
  by: [],
  add: [],
  ...also,
})

/** Boxes by their words, as they are to be. */
const marked =
  (marks: Record<string, Mark>) =>
  ({ words, mark }: { words: string; mark: Mark }): Mark =>
    marks[words] ?? mark

const FILE = [
  '# M-tea: Tea',
  '',
  '**Status:** ready, since Monday',
  '',
  '* [ ] boil `water`',
  '  - [X] in the *big* kettle',
  '',
  '```',
  'Status: done',
  '- [ ] an example',
  '```',
  '1) [ ] pour\t ',
  '- [ ](link.md) no box',
  '',
].join('\n')

describe('the file of a mission', () => {
  test('has its boxes and its status set, and nothing else', () => {
    const mark = marked({ 'boil `water`': 'x', 'in the *big* kettle': ' ', pour: '-' })
    expect(rewritten(FILE, said({ mark, status: 'complete' }))).toBe(
      FILE.replace('ready, since Monday', 'complete')
        .replace('* [ ] boil', '* [x] boil')
        .replace('[X] in', '[ ] in')
        .replace('1) [ ]', '1) [-]'),
    )
  })

  test('stays what it is to the byte where it says just that', () => {
    for (const text of [FILE, FILE.replaceAll('\n', '\r\n'), `\uFEFF${FILE}`, '', '\n', 'Status: ready', '- [x]']) {
      const status = parseMission('M-tea', 'M-tea.md', text).status
      expect(rewritten(text, said({ status }))).toBe(text)
    }
  })

  test.each([
    ['Status: ready', 'Status: complete'],
    ['Status:', 'Status: complete'],
    ['Status:   ready  ', 'Status:   complete  '],
    ['**Status: ready**', '**Status: complete**'],
    ['**Status:** `ready`', '**Status:** `complete`'],
    ['## Status: IN PROGRESS (60%)', '## Status: complete'],
    ['- status: dnoe', '- status: complete'],
    ['Status: ✅ done', 'Status: ✅ done'],
    ['Status: ready\nStatus: parked', 'Status: complete\nStatus: parked'],
    ['State: ready', 'State: ready'],
  ])('with the line %j says %j once all is done', (before, after) => {
    expect(rewritten(`# M-a\n${before}\n`, said({ status: 'complete' }))).toBe(`# M-a\n${after}\n`)
  })

  test('says by what it is blocked, anew where that has changed, and leaves what a person wrote of it', () => {
    const blocked = (text: string) => rewritten(text, said({ status: 'blocked', by: ['O-2', 'O-5'] }))
    expect(['Status: ready', 'Status: blocked by O-1', 'Status: blocked by the vendor'].map(blocked)).toEqual([
      'Status: blocked by O-2, O-5',
      'Status: blocked by O-2, O-5',
      'Status: blocked by the vendor',
    ])
    const { complaints } = parseMission('M-a', 'M-a.md', '# M-a\nStatus: blocked by O-2\n')
    expect(complaints).toEqual([])
  })

  test.each([
    ['below the last box', '- [x] a\n\nend\n', '- [x] a\n- [ ] new\n\nend\n'],
    [
      'below what goes on beside it',
      '* [x] a\n  and on\n    * b\n\nend',
      '* [x] a\n  and on\n    * b\n* [ ] new\n\nend',
    ],
    ['with the next number', '1. [ ] a\n2. [ ] b', '1. [ ] a\n2. [ ] b\n3. [ ] new\n'],
    ['with the line ends of the file', '- [ ] a\r\n## next\r\n', '- [ ] a\r\n- [ ] new\r\n## next\r\n'],
    ['at the end, where there is none', '# M-a\n', '# M-a\n\n- [ ] new\n'],
    ['outside of a fence', '- [ ] a\n  ```\n\n  x\n  ```\n', '- [ ] a\n  ```\n\n  x\n  ```\n- [ ] new\n'],
  ])('gets a new box %s', (_where, before, after) => {
    expect(rewritten(before, said({ add: ['new'] }))).toBe(after)
  })
})

/** Numbers that look like chance, and are the same every time. */
const chance = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

const PIECES = [
  '- [ ] a',
  '- [x] a',
  '  * [X] nested `src/x.ts`',
  '10) [-] gone',
  '- [ ]',
  '-[x] no box',
  '- [] none',
  '- [ ](a.md)',
  '```',
  '~~~~ js',
  '    ```',
  'Status: ready',
  '**Status:** `blocked` by rain',
  'Status:',
  '## Phase 1: ]( ',
  '\u202E- [ ] turned',
  '\u0000\u001b[31m- [x] red',
  'größe 🫖 - [ ] in the middle',
  '',
  '\t',
]

test('whatever a file is, every byte but those of boxes and of the status line stays', () => {
  const random = chance(7)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const rounds = process.env['BELLHOP_LONG'] ? 20_000 : 1_000
  let changed = 0
  for (let round = 0; round < rounds; round++) {
    const end = pick(['\n', '\r\n', '\r'])
    const text = Array.from({ length: Math.floor(random() * 14) }, () => pick(PIECES)).join(end)
    const mark = (): Mark => pick([' ', 'x', '-'])
    const wanted = new Map(boxesIn(text).map(({ at }) => [at, mark()]))
    const status = pick(['complete', 'in-progress', 'blocked'] as const)
    const now = rewritten(text, said({ mark: ({ at }) => wanted.get(at) ?? ' ', status, by: ['O-1'] }))
    if (now !== text) changed++
    expect(boxesIn(now).map((box) => box.mark)).toEqual([...wanted.values()])
    // Without the marks of boxes and the first line that says the status, both are the same.
    expect(without(now)).toEqual(without(text))
    expect(now.split(end).length).toBe(text.split(end).length)
  }
  expect(changed).toBeGreaterThan(rounds / 2)
})

const without = (text: string): string[] => {
  const boxes = new Set(boxesIn(text).map(({ n }) => n))
  return text
    .split(/\r\n|\r|\n/)
    .map((line, i) => (boxes.has(i + 1) ? line.replace(/\[.\]/, '[]') : line))
    .filter((line) => !/status/i.test(line))
}
