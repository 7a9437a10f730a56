import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openMission, TEA } from './mission-bench.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const FILE = 'missions/M-tea.md'

test('what is not done is not said to be done, whichever way it is tried', async () => {
  await using it = await openMission(server, {
    [FILE]: TEA.replace('- [ ] boil', '- [x] boil').replace('Status: ready', 'Status: complete'),
  })
  expect(await it.says('mission-load', { mission: 'M-tea' })).toContain(
    [
      '- O-1 [partial by assertion] boil the water',
      '- O-2 [open] fill the pot',
      '- O-3 [open] pour it',
      `taken in from ${FILE}: 3`,
      `${FILE}:3: says complete, and its obligations come to in-progress; mission-save it [document]`,
    ].join('\n'),
  )
  await it.well('ledger-upsert', { item: 'O-3', dependsOn: ['O-2'] })
  expect({
    'between cycles': await it.fails('ledger-upsert', { item: 'O-1', status: 'done', basis: 'artifact' }),
    'as a new one': await it.fails('ledger-upsert', { item: 'O-9', text: 'x', status: 'done', basis: 'run' }),
    'by classifying it at once': await it.fails('classify', { item: 'O-1', status: 'done', basis: 'artifact' }),
    'in a circle': await it.fails('ledger-upsert', { item: 'O-2', dependsOn: ['O-3'] }),
    'on what is not there': await it.fails('ledger-upsert', { item: 'O-2', dependsOn: ['O-99'] }),
    'blocked without a reason': await it.fails('ledger-upsert', { item: 'O-2', status: 'blocked' }),
    'proved, as only a proof has it': await it.fails('ledger-upsert', { item: 'O-2', status: 'proved' }),
  }).toEqual({
    'between cycles': 'O-1 cannot be done just so: that comes of a cycle that shows it',
    'as a new one': 'O-9 cannot be done just so: that comes of a cycle that shows it',
    'by classifying it at once': 'phase-forbids',
    'in a circle': 'that would go in a circle: O-2 on O-3 on O-2',
    'on what is not there': 'there is no O-99 to depend on: add it first',
    'blocked without a reason': 'O-2 cannot be blocked: say why',
    'proved, as only a proof has it': expect.stringContaining('mission has no proved'),
  })

  await it.upTo('classify', 'O-3')
  expect({
    'on an assertion': await it.fails('classify', { item: 'O-3', status: 'done', basis: 'assertion' }),
    'on an open dependency': await it.fails('classify', { item: 'O-3', status: 'done', basis: 'artifact' }),
    'of what it is not about': await it.fails('classify', { item: 'O-1', status: 'done', basis: 'artifact' }),
  }).toEqual({
    'on an assertion': 'O-3 cannot be done on assertion: it takes artifact or run',
    'on an open dependency': 'O-3 cannot be done: it depends on what is not done: O-2 is open',
    'of what it is not about': 'the approach did not say that it is about O-1',
  })
  expect(await it.statuses()).toEqual({ 'O-1': 'partial', 'O-2': 'open', 'O-3': 'open' })
  expect(await it.violations()).toEqual([])
})

test('what is blocked is not begun, says so in the file where nothing else can go on, and goes on once it is open', async () => {
  await using it = await openMission(server)
  await it.well('mission-load', { mission: 'M-tea' })
  for (const item of ['O-2', 'O-3']) await it.well('ledger-upsert', { item, dependsOn: ['O-1'] })
  await it.well('ledger-upsert', { item: 'O-1', status: 'blocked', why: 'there is no kettle' })
  expect(await it.fails('cycle-begin', { item: 'O-1' })).toBe(
    'O-1 is blocked: there is no kettle; once it is not, say that it is open with ledger-upsert',
  )
  await it.well('mission-save', { path: FILE })
  expect(it.text(FILE)).toBe(TEA.replace('Status: ready', 'Status: blocked by O-1'))
  expect(await it.says('mission-audit')).toBe('the file says what the evidence shows')
  await it.well('ledger-upsert', { item: 'O-1', status: 'open' })
  await it.done('O-1')
  expect(it.text(FILE)).toBe(TEA.replace('Status: ready', 'Status: in-progress').replace('- [ ] boil', '- [x] boil'))
})

test('what was given up is marked as that, stays so, and nothing is done that still depends on it', async () => {
  await using it = await openMission(server)
  await it.well('mission-load', { mission: 'M-tea' })
  await it.well('ledger-upsert', { item: 'O-3', dependsOn: ['O-2'] })
  await it.well('ledger-upsert', { item: 'O-2', status: 'abandoned', why: 'mugs will do' })
  expect([
    await it.fails('cycle-begin', { item: 'O-2' }),
    await it.fails('ledger-upsert', { item: 'O-2', status: 'open' }),
  ]).toEqual(['O-2 is abandoned: nothing is left to do', 'O-2 is abandoned, and that is final'])
  await it.done('O-1')
  await it.upTo('classify', 'O-3')
  expect(await it.fails('classify', { item: 'O-3', status: 'done', basis: 'artifact' })).toBe(
    'O-3 cannot be done: it depends on what is not done: O-2 is abandoned',
  )
  await it.well('cycle-end', { why: 'the pot is no more' })
  await it.well('ledger-upsert', { item: 'O-3', dependsOn: [] })
  await it.done('O-3', 'src/pour.js')
  expect(it.text(FILE)).toBe(
    TEA.replace('Status: ready', 'Status: complete').replaceAll('[ ]', '[x]').replace('[x] fill', '[-] fill'),
  )
})

test('an obligation that was added gets its box when the mission is saved, and one whose box a person took out does not come back', async () => {
  await using it = await openMission(server)
  await it.well('mission-load', { mission: 'M-tea' })
  await it.well('ledger-upsert', { item: 'O-4', text: 'wash\nup' })
  await it.well('mission-save', { path: FILE })
  const saved = TEA.replace('Status: ready', 'Status: in-progress').replace('pour it\n', 'pour it\n- [ ] wash up\n')
  expect(it.text(FILE)).toBe(saved)

  it.write(FILE, saved.replace('- [ ] fill the pot\n', ''))
  expect(await it.fails('mission-save', { path: FILE })).toBe(`${FILE} is not what this session saw: read it again`)
  await it.well('read', { path: FILE })
  await it.well('mission-save', { path: FILE })
  expect(it.text(FILE)).toBe(saved.replace('- [ ] fill the pot\n', ''))
  expect(await it.says('mission-audit')).toBe(
    `${FILE}:1: has no box of O-2 any more: fill the pot; put it back, or abandon the obligation [fidelity]`,
  )
  await it.well('ledger-upsert', { item: 'O-2', status: 'abandoned', why: 'ada took it out' })
  expect(await it.says('mission-audit')).toBe('the file says what the evidence shows')
})

describe('between a save and the gates', () => {
  test('a file that a person edits closes them, until it is saved again', async () => {
    await using it = await openMission(server)
    await it.well('mission-load', { mission: 'M-tea' })
    await it.upTo('gate-review', 'O-1')
    it.write(FILE, it.text(FILE).replace('[ ] fill', '[x] fill').replace('Owner: ada', 'Owner: bob'))
    expect(await it.says('gate-check')).toBe(
      [
        'open scope',
        'open evidence',
        'open status',
        'open acyclic',
        'open dangling',
        `CLOSED saved: ${FILE} is not what was saved`,
        'open fidelity',
        `CLOSED document: ${FILE}:9 has a box that is ticked, and O-2 is open; mission-save it`,
      ].join('\n'),
    )
    expect(await it.fails('advance', { outputs: {} })).toContain('the cycle does not get through: saved:')
    await it.well('cycle-back', { to: 'commit', why: 'bob edited it' })
    await it.well('read', { path: FILE })
    await it.well('mission-save', { path: FILE })
    await it.well('advance', { outputs: { saved: FILE } })
    await it.well('advance', { outputs: {} })
    expect(it.text(FILE)).toContain('Owner: bob')
    expect(await it.statuses()).toEqual({ 'O-1': 'done', 'O-2': 'open', 'O-3': 'open' })
  })

  test('a box that a person adds is taken into the ledger first, and a file that is gone lets nothing through', async () => {
    await using it = await openMission(server)
    await it.well('mission-load', { mission: 'M-tea' })
    await it.upTo('gate-review', 'O-1')
    it.add(FILE, '- [ ] sweep\n')
    expect(await it.says('gate-check')).toContain(
      `CLOSED fidelity: ${FILE}:14 has a box that is no obligation: sweep; load the mission again between cycles, or add it with ledger-upsert`,
    )
    await it.well('cycle-back', { to: 'integrate', why: 'there is more to do' })
    await it.well('ledger-upsert', { item: 'O-4', text: 'sweep' })
    await it.well('advance', { outputs: { rationale: 'as before', changes: ['O-1', 'O-4'] } })
    await it.well('read', { path: FILE })
    await it.well('mission-save', { path: FILE })
    await it.well('advance', { outputs: { saved: FILE } })
    renameSync(join(it.root, FILE), join(it.root, 'missions/M-coffee.md'))
    expect(await it.fails('advance', { outputs: {} })).toContain(
      'fidelity: missions/M-tea.md:1 there is no file of M-tea that mission control reads',
    )
    renameSync(join(it.root, 'missions/M-coffee.md'), join(it.root, FILE))
    await it.well('advance', { outputs: {} })
    expect(await it.statuses()).toEqual({ 'O-1': 'done', 'O-2': 'open', 'O-3': 'open', 'O-4': 'open' })
    expect(await it.violations()).toEqual([])
  })
})

test('what shows something done, and is changed after it, is found: it is not over until it was shown again', async () => {
  const text = '# M-tea: Tea\n\nStatus: ready\n\n- [ ] boil\n'
  await using it = await openMission(server, { [FILE]: text })
  await it.well('mission-load', { mission: 'M-tea' })
  await it.done('O-1')
  it.add('src/O-1.js', 'throw new Error()\n')
  expect((await it.says('mission-audit')).split('\n')).toEqual([
    `${FILE}:3: says complete, and its obligations come to in-progress; mission-save it [document]`,
    `${FILE}:5: O-1 is done, and src/O-1.js is not what showed it; look at it; where it does not hold any more, say that it is open with ledger-upsert, and show it again`,
  ])
  await it.well('mission-save', { path: FILE })
  expect(it.text(FILE)).toBe(text.replace('ready', 'in-progress').replace('[ ]', '[x]'))
  await it.well('ledger-upsert', { item: 'O-1', status: 'open' })
  await it.done('O-1', 'src/better.js')
  expect(it.text(FILE)).toBe(text.replace('ready', 'complete').replace('[ ]', '[x]'))
})

test('a box with a secret in it is one obligation, however often it is loaded, and keeps its words', async () => {
  const text = `# M-tea\n\nStatus: ready\n\n- [ ] take back ghp_${'a1B2'.repeat(9)}\n`
  await using it = await openMission(server, { [FILE]: text })
  await it.well('mission-load', { mission: 'M-tea' })
  await it.well('mission-load', { mission: 'M-tea' })
  expect([...(await it.mission()).items.values()].map((one) => one.text)).toEqual([
    expect.stringMatching(/^take back \[redacted:/),
  ])
  await it.done('O-1')
  expect(it.text(FILE)).toBe(text.replace('ready', 'complete').replace('[ ]', '[x]'))
})

test('a mission is what its file is called: none without one, none by a link, and 500 boxes at most', async () => {
  const boxes = (n: number) => Array.from({ length: n }, (_, i) => `- [ ] cup ${i}\n`).join('')
  await using it = await openMission(server, {
    [FILE]: TEA,
    'README.md': '# It pours\n\n- [ ] not yours\n',
    'missions/M-many.md': `# M-many\n\nStatus: ready\n\n${boxes(500)}`,
    'missions/M-more.md': `# M-more\n\nStatus: ready\n\n${boxes(501)}`,
  })
  mkdirSync(join(it.root, 'missions'), { recursive: true })
  symlinkSync('../README.md', join(it.root, 'missions/M-link.md'))
  expect([
    await it.fails('mission-load', {}),
    await it.fails('mission-load', { mission: 'M-tae' }),
    await it.fails('mission-load', { mission: 'M-link' }),
    await it.fails('mission-load', { mission: 'M-more' }),
    await it.fails('mission-audit', {}),
    await it.fails('mission-save', { path: FILE }),
  ]).toEqual([
    'say which mission; lobby is focused on none',
    expect.stringMatching(/^there is no mission M-tae; did you mean M-tea\?/),
    expect.stringMatching(/^M-link is a link to README.md: put the file itself there/),
    'missions/M-more.md has 501 boxes, and a mission has 500 at most: split it',
    'nothing is taken up yet: load one with mission-load',
    'nothing is taken up yet: load one with mission-load',
  ])
  await it.well('mission-load', { mission: 'M-many' })
  expect((await it.mission('M-many')).items.size).toBe(500)
  expect(await it.fails('mission-save', { path: FILE })).toBe('this mission is saved as missions/M-many.md')
  await it.well('mission-load', { mission: 'M-many' })
  expect((await it.mission('M-many')).items.size).toBe(500)
  expect(it.text('README.md')).toBe('# It pours\n\n- [ ] not yours\n')
  expect(await it.violations()).toEqual([])
})
