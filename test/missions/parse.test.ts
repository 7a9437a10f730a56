import { describe, expect, test } from 'vitest'
import { parseMission, STATUS_WORDS } from '../../src/missions/parse.ts'
import { templateOf } from '../../src/tools/mc-new.ts'

const parse = (...lines: string[]) => parseMission('M-tea', 'missions/M-tea.md', lines.join('\n'))

/** What is complained about, as `line: what; right`. */
const complaints = (...lines: string[]): string[] =>
  parse(...lines).complaints.map(({ path, line, what, right }) => `${path}:${line}: ${what}; ${right}`)

test('a mission that says all there is to say is read whole, and nothing is wrong with it', () => {
  const text = [
    '# M-tea: Green tea that is not bitter',
    '',
    '**Status:** in-progress (since Monday)',
    '**Owner:** ada',
    '**Blocked by:** [M-water](M-water.md), `M-pot` and the landlord',
    '',
    '## Phase 1: find out',
    '- [x] where the minutes are',
    '* [X] why there are four',
    '### more',
    '1. [ ] who wanted that',
    '## Phase 2 — put it right',
    '- [ ] two instead',
    '## Notes',
    '- [ ] of no phase',
    '```',
    'Status: complete',
    '- [ ] an example of a box',
    '```',
  ]
  expect(parse(...text)).toEqual({
    id: 'M-tea',
    title: 'Green tea that is not bitter',
    path: 'missions/M-tea.md',
    status: 'in-progress',
    says: 'in-progress (since Monday)',
    line: 3,
    owner: 'ada',
    blockedBy: ['M-water', 'M-pot', 'the landlord'],
    phases: [
      { name: '1: find out', boxes: { done: 2, total: 3 } },
      { name: '2 — put it right', boxes: { done: 0, total: 1 } },
    ],
    boxes: { done: 2, total: 5 },
    complaints: [],
  })
})

test('the template of a new mission is a mission that nothing is wrong with', () => {
  const { status, title, owner, blockedBy, boxes, complaints } = parse(templateOf('M-tea', 'Tea', 'nobody'))
  expect({ status, title, owner, blockedBy, boxes, complaints }).toEqual({
    status: 'ready',
    title: 'Tea',
    owner: null,
    blockedBy: [],
    boxes: { done: 0, total: 1 },
    complaints: [],
  })
})

describe('the status', () => {
  const statusOf = (line: string) => parse('# M-tea: tea', line, 'Blocked by: M-pot').status

  test.each(Object.entries(STATUS_WORDS))('%s is %s', (word, status) => {
    expect(statusOf(`Status: ${word}`)).toBe(status)
  })

  test.each([
    '**Status:** complete',
    '**Status**: complete',
    '## Status: complete',
    '- status: Complete.',
    'STATUS : ✅ COMPLETE — 2026-02-01',
    '_Status:_ **complete**',
    'status:complete',
  ])('is understood however it is written: %s', (line) => {
    expect(statusOf(line)).toBe('complete')
  })

  test.each([
    ['in progress', 'in-progress'],
    ['In_Progress', 'in-progress'],
    ['inprogress', 'in-progress'],
    ['blocked by the weather', 'blocked'],
  ])('%s is %s', (said, status) => {
    expect(statusOf(`Status: ${said}`)).toBe(status)
  })

  test.each([
    ['all boxes are ticked', ['- [x] a', '- [x] b'], 'complete'],
    ['none is', ['- [ ] a', '- [ ] b'], 'ready'],
    ['some are', ['- [x] a', '- [ ] b'], 'in-progress'],
  ])('without a word for it, boxes decide: %s', (_what, boxes, status) => {
    const mission = parse('# M-tea: tea', ...boxes)
    expect([mission.status, mission.says, mission.complaints]).toEqual([status, null, []])
  })
})

describe('what is wrong is said with its line and with what would be right', () => {
  const at = 'missions/M-tea.md'
  const title = '# M-tea: tea'

  test.each<[string, string[], string[]]>([
    [
      'an empty file',
      [''],
      [
        `${at}:1: has no title; begin with a line such as "# M-tea: what it is about"`,
        `${at}:1: says no status, and has no boxes to tell it by; add a line such as "Status: ready"`,
      ],
    ],
    [
      'the name of another mission in the title',
      ['# M-pot: a pot', 'Status: ready'],
      [`${at}:1: is called M-pot in its title, and M-tea by its file; write "# M-tea: …", or rename the file`],
    ],
    [
      'a status that is none',
      [title, '', 'Status: maybe tomorrow'],
      [
        `${at}:3: says the status "maybe tomorrow", which is none; write ready, in-progress, blocked, complete or deferred`,
      ],
    ],
    [
      'a status with a slip of the pen',
      [title, 'Status: raedy'],
      [
        `${at}:2: says the status "raedy", which is none; write ready, in-progress, blocked, complete or deferred (did you mean ready?)`,
      ],
    ],
    [
      'a status line that says nothing',
      [title, 'Status:'],
      [
        `${at}:2: has a status line that says nothing; write "Status: " and ready, in-progress, blocked, complete or deferred`,
      ],
    ],
    [
      'two statuses',
      [title, 'Status: ready', 'Status: complete'],
      [`${at}:3: says its status twice: ready at line 2, and complete here; keep one of the lines: the first counts`],
    ],
    [
      'complete with open boxes',
      [title, 'Status: done', '- [x] a', '- [ ] b', '- [ ] c'],
      [`${at}:2: says complete, and 2 of 3 boxes are open, the first at line 4; tick them, or say in-progress`],
    ],
    [
      'blocked without a blocker',
      [title, 'Status: blocked', 'Blocked by: nothing'],
      [`${at}:2: says blocked, and not by what; add a line such as "Blocked by: M-other"`],
    ],
    [
      'boxes that are none, and nothing else in brackets',
      [title, 'Status: ready', '- [] a', '-[x] b', '- [~] c', '- [link](x.md)', '- [see][y]', 'text [x] in a line'],
      [
        `${at}:3: has a box that is none: - [] a; write "- [ ]" for what is open, "- [x]" for what is done, "- [-]" for what was given up`,
        `${at}:4: has a box that is none: -[x] b; write "- [ ]" for what is open, "- [x]" for what is done, "- [-]" for what was given up`,
        `${at}:5: has a box that is none: - [~] c; write "- [ ]" for what is open, "- [x]" for what is done, "- [-]" for what was given up`,
      ],
    ],
  ])('%s', (_what, lines, told) => {
    expect(complaints(...lines)).toEqual(told)
  })
})

test.each<[string, string[], string[]]>([
  ['a list below the line', ['Blocked by:', '- M-a', '- `M-b`', '', '- M-c'], ['M-a', 'M-b']],
  ['another spelling, each once', ['blocked-by: M-a, M-a; M-b'], ['M-a', 'M-b']],
  ['none', ['Blocked by: none'], []],
  ['a dash', ['Blocked by: —'], []],
])('what blocks it may be said by %s', (_what, lines, blockers) => {
  expect(parse('# M-tea: tea', 'Status: ready', ...lines).blockedBy).toEqual(blockers)
})

test('what a file says is shown on one line, without what a terminal would obey, and not too much of it', () => {
  const { title, owner, says } = parse(
    `# M-tea: a\u001b[31m\u202Eb${'c'.repeat(200)}`,
    'Owner: \u0007ada',
    'Status: ready\u0000',
  )
  expect([title.length, title.slice(0, 7), owner, says]).toEqual([120, 'a[31mbc', 'ada', 'ready'])
})

test('a file of any line ends, of nothing but marks, or of a long line is read in no time', () => {
  expect(parse('# M-tea: tea\r\nStatus: ready\r- [ ] a').status).toBe('ready')
  expect(parse('#'.repeat(100_000), `Status: ${' '.repeat(100_000)}x`).title).toBe('M-tea')
})

test.each([
  ['a title with a gap', (n: number) => `# a${' '.repeat(n)}b`],
  ['a heading with a gap', (n: number) => `## phase${' '.repeat(n)}b`],
  ['a title of marks', (n: number) => `# a${' #'.repeat(n / 2)}b`],
  ['a status with a gap', (n: number) => `Status: a${' '.repeat(n)}b`],
  ['an owner of brackets', (n: number) => `Owner: ${'['.repeat(n)}`],
  ['an owner of links that do not end', (n: number) => `Owner: ${'[]('.repeat(n / 3)}`],
  ['an owner with stars', (n: number) => `Owner: a${'*'.repeat(n)}b`],
  ['a blocker with a gap', (n: number) => `Blocked by: a${' '.repeat(n)}b`],
  ['ticks that are no fence', (n: number) => `${'`'.repeat(n / 2)}a${'`'.repeat(n / 2)}`],
  ['nothing but phases', (n: number) => '# phase\n'.repeat(n / 8)],
])('%s, as long as a file may be, is read like any other', (_name, text) => {
  // What takes the square of it, or its cube, does not come to an end before the test is given up.
  expect(parse(text(262_000)).status).toBe('unknown')
})

test('a fence is closed by its own mark alone, and one that never is, is complained about', () => {
  expect(parse('# M-tea: Tea', '```', '```js', 'Status: blocked', '```', 'Status: ready').complaints).toEqual([])
  expect(parse('# M-tea: Tea', '```x``` is code', 'Status: ready').complaints).toEqual([])
  expect(complaints('# M-tea: Tea', 'Status: ready', '~~~~', '- [ ] an example', '~~~')).toEqual([
    'missions/M-tea.md:3: opens a code fence that does not end: all below is taken for code; close it with a line "~~~~"',
  ])
})

test('boxes below what blocks it are no names, however far they are in', () => {
  expect(parse('# M-tea: Tea', 'Status: ready', 'Blocked by:', '-   [ ] pour', '- M-pot').blockedBy).toEqual([])
})
