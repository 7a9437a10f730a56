import { describe, expect, test } from 'vitest'
import { createChecker, verifyFiles } from '../../src/evidence/checker.ts'
import type { ReadState } from '../../src/evidence/files.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Body, Draft } from '../../src/shapes/evidence.ts'
import type { FileState, StepOutcome } from '../../src/shapes/turn.ts'
import { ADA, CLAUDE, must, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { openRaw } from './file.ts'
import { inSession, opened } from './history.ts'
import { all, behind, type Change, outcomeOf, step, violation, without, written } from './planted.ts'
import { changeOf, changing, ok, ranOf, richHistory, signed, stateOf, stepOf } from './rich.ts'

describe.each(engines)('a session that is checked again and again, in $name', (engine) => {
  test('has the verdict it would have from its beginning, however it grew in between', async () => {
    await using house = await engine.testStore()
    const store = await written(house, [])
    const checker = createChecker(store)
    const drafts = richHistory()
    for (let at = 0; at < drafts.length; at += 7) {
      must(await store.append(drafts.slice(at, at + 7)))
      expect(await checker.check('s-1')).toEqual(await verifyChain(store, 's-1'))
    }
    expect(await checker.check('s-1')).toMatchObject({ ok: true, entries: drafts.length })
  })

  test('is found out when it goes wrong, and stays so', async () => {
    await using house = await engine.testStore()
    const drafts = step('t1.2.outcome', 't1.2b', { tool: 'write', args: {} }, {}, ok())(richHistory())
    const at = drafts.findIndex(({ id }) => id === 't1.2b.intent')
    const store = await written(house, drafts.slice(0, at))
    const checker = createChecker(store)
    expect((await checker.check('s-1')).violations).toEqual([])
    must(await store.append(drafts.slice(at)))
    const wrong = [violation('t1.2b.intent', 'wall', 'used write, which explore has not')]
    expect([(await checker.check('s-1')).violations, (await checker.check('s-1')).violations]).toEqual([wrong, wrong])
  })
})

describe('a session that is checked', () => {
  test('by many at once, while it is written, is read once', async () => {
    await using house = await testStore()
    const store = await written(house, [])
    const checker = createChecker(store)
    const drafts = richHistory()
    const verdicts = await Promise.all(
      drafts.map(async (draft) => {
        must(await store.append([draft]))
        return await checker.check('s-1')
      }),
    )
    expect(verdicts.flatMap(({ violations }) => violations)).toEqual([])
    expect(await checker.check('s-1')).toEqual(await verifyChain(store, 's-1'))
  })

  test('is right also when more are checked than are kept in mind', async () => {
    await using house = await testStore()
    const names = Array.from({ length: 140 }, (_, i) => `s-${i + 10}`)
    const checker = createChecker(house.store)
    const checkAll = async () => {
      const verdicts = []
      for (const name of names) verdicts.push(await checker.check(name))
      return verdicts.map(({ session, ok, entries }) => ({ session, ok, entries }))
    }
    must(await house.store.append(names.map((name) => opened(name, 'lobby', `agent-${name}`))))
    expect(await checkAll()).toEqual(names.map((session) => ({ session, ok: true, entries: 1 })))
    must(await house.store.append(names.map(closing)))
    expect(await checkAll()).toEqual(names.map((session) => ({ session, ok: true, entries: 2 })))
  })

  const closing = (session: string): Draft =>
    inSession(session, 'lobby', `agent-${session}`)(`${session}.closed`, ADA, { event: 'session-closed', reason: '' })

  test('in a store that an older copy was put back into is read anew', async () => {
    await using house = await testStore()
    const drafts = richHistory()
    const store = await written(house, drafts)
    const checker = createChecker(store)
    expect((await checker.check('s-1')).entries).toBe(drafts.length)
    await using raw = await openRaw(house.url)
    await raw.unguard()
    await raw.run(`delete from entry where id = '${drafts.at(-1)?.id}'`)
    await raw.run(
      `update chain set seq = seq - 1, hash = (select hash from entry where id = '${drafts.at(-2)?.id}') where session = 's-1'`,
    )
    expect(await checker.check('s-1')).toEqual(await verifyChain(store, 's-1'))
    expect(await checker.check('s-1')).toMatchObject({ ok: true, entries: drafts.length - 1 })
  })
})

/** What lies on a disk: what the history left there. */
const DISK: Record<string, FileState> = {
  'src/a.ts': stateOf('b'),
  'docs/deep/x.md': stateOf('c'),
  'src/b.ts': stateOf('d'),
}

const diskOf =
  (files: Record<string, FileState | null>): ReadState =>
  async (path) =>
    files[path] ?? null

describe.each(engines)('the files of a session, in $name', (engine) => {
  test('are what the evidence says: by the last step, or the last restore, that wrote them', async () => {
    await using house = await engine.testStore()
    const store = await written(house, richHistory())
    expect(await verifyFiles(store, 's-1', diskOf(DISK))).toEqual({ files: 3, violations: [] })
  })

  test('that are something else are named with the entry that wrote them', async () => {
    await using house = await engine.testStore()
    const store = await written(house, richHistory())
    const found = await verifyFiles(store, 's-1', diskOf({ 'src/a.ts': stateOf('f'), 'src/b.ts': stateOf('e') }))
    expect(found).toEqual({
      files: 3,
      violations: [
        violation('t1.5.outcome', 'files', 'left src/a.ts as 100644 bbbbbbbbbbbb…, and it is 100644 ffffffffffff…'),
        violation('t1.6.outcome', 'files', 'left docs/deep/x.md as 100644 cccccccccccc…, and it is gone'),
        violation('undone', 'files', 'left src/b.ts as 100644 dddddddddddd…, and it is 100644 eeeeeeeeeeee…'),
      ],
    })
  })

  test('that another session wrote later are for that one to answer for', async () => {
    await using house = await engine.testStore()
    const store = await written(house, richHistory())
    const put = inSession('s-2', 'den', 'codex-1')
    const reading = { event: 'step-ended', turn: 't9', step: 't9.0', tool: 'read', outcome: ok(['src/a.ts']) } as const
    must(await store.append([opened('s-2', 'den', 'codex-1'), put('t9.0.outcome', CLAUDE, reading)]))
    const disk = diskOf({ ...DISK, 'src/a.ts': stateOf('f'), 'src/b.ts': stateOf('9') })
    const wrong = (await verifyFiles(store, 's-1', disk)).violations.map(({ entry }) => entry)
    expect(wrong).toEqual(['t1.5.outcome', 'undone'])
    const writing = { ...reading, step: 't9.1', tool: 'edit', outcome: changing(changeOf('src/a.ts', 'b', 'f')) }
    const restored: Body = {
      event: 'restored',
      what: '',
      steps: [],
      files: [changeOf('src/b.ts', 'd', '9')],
      failed: null,
    }
    must(await store.append([put('t9.1.outcome', CLAUDE, writing), put('undone2', ADA, restored)]))
    expect(await verifyFiles(store, 's-1', disk)).toEqual({ files: 3, violations: [] })
  })

  test('are judged as far as the chain has come', async () => {
    await using house = await engine.testStore()
    const drafts = richHistory()
    const at = drafts.findIndex(({ id }) => id === 'undo')
    const store = await written(house, drafts.slice(0, at))
    const checker = createChecker(store)
    const before = diskOf({ ...DISK, 'src/b.ts': stateOf('e') })
    expect(await checker.files('s-1', before)).toEqual({ files: 3, violations: [] })
    must(await store.append(drafts.slice(at)))
    expect((await checker.files('s-1', before)).violations.map(({ entry }) => entry)).toEqual(['undone'])
    expect(await checker.files('s-1', diskOf(DISK))).toEqual({ files: 3, violations: [] })
  })
})

describe('of files nothing is said', () => {
  const filesAfter = async (change: Change): Promise<string[]> => {
    await using house = await testStore()
    const store = await written(house, change(richHistory()))
    const looked: string[] = []
    await verifyFiles(store, 's-1', async (path) => {
      looked.push(path)
      return DISK[path] ?? null
    })
    return looked
  }
  const interrupted: StepOutcome = { kind: 'interrupted', message: 'died' }
  const server = { tool: 'run', args: { argv: ['npm', 'run', 'build'], terminal: 'server' } }
  const edited = stepOf('t1.5b', { tool: 'edit', args: {} }, { writes: ['src/a.ts'] }, interrupted)

  test.each<[string, Change, string[]]>([
    ['that no step wrote', (drafts) => drafts.slice(0, 4), []],
    [
      'that a step may have written that was interrupted',
      behind('t1.5.outcome', ...edited),
      ['docs/deep/x.md', 'src/b.ts'],
    ],
    ['that a step may be writing', behind('t4.ended', edited[0] as Draft), ['docs/deep/x.md', 'src/b.ts']],
    ['that a program may have written that was interrupted', outcomeOf('t1.7.outcome', interrupted), ['src/b.ts']],
    ['that a program may be writing', behind('t4.ended', ...stepOf('t4.9', server, {}, ok()).slice(0, 1)), []],
    [
      'that a program in a terminal may have written',
      behind('t1.7.outcome', ...stepOf('t1.7b', server, {}, ok())),
      ['src/b.ts'],
    ],
    [
      'that is not told what it became',
      outcomeOf('t1.5.outcome', ok([], { changed: ['src/a.ts'] })),
      ['docs/deep/x.md', 'src/b.ts'],
    ],
    ['that was not put back to the end', all(without('undone')), ['src/a.ts', 'docs/deep/x.md']],
  ])('%s', async (_title, change, looked) => {
    expect(await filesAfter(change)).toEqual(looked)
  })

  test('and a file that was taken away is not there', async () => {
    await using house = await testStore()
    const gone = outcomeOf('t1.7.outcome', {
      ...changing(changeOf('src/a.ts', 'b', null)),
      run: ranOf(['npm', 'run', 'format'], 'work'),
    } as StepOutcome)
    const store = await written(house, gone(richHistory()))
    const { 'src/a.ts': _, ...rest } = DISK
    expect((await verifyFiles(store, 's-1', diskOf(rest))).violations).toEqual([])
    expect((await verifyFiles(store, 's-1', diskOf(DISK))).violations).toEqual([
      violation('t1.7.outcome', 'files', 'left src/a.ts as gone, and it is 100644 bbbbbbbbbbbb…'),
    ])
  })
})

test('a turn that was stopped begins no further step: of both at the same time, one comes first', async () => {
  await using house = await testStore()
  const drafts = richHistory()
  const at = drafts.findIndex(({ id }) => id === 't2.0.intent')
  const store = await written(house, drafts.slice(0, at))
  const [intent] = drafts.slice(at)
  const stop = signed('t2.stop', ADA, { event: 'stop-asked', turn: 't2', why: '' }, 't2')
  if (!intent) throw new Error('there is no step')
  const [stopped, late] = await Promise.all([store.append([stop]), store.append([intent], null, 't2.stop')])
  expect([stopped.ok, late]).toEqual([
    true,
    {
      ok: false,
      refusal: {
        code: 'turn-stopped',
        message: 't2.stop came first; nothing was begun',
        remedy: 'end the turn: a person stopped it',
      },
    },
  ])
  expect(await store.get(intent.id)).toBe(null)
  must(await store.append([intent], null, 't3.stop'))
  expect((await verifyChain(store, 's-1')).violations).toEqual([
    violation('t2.0.intent', 'order', 'was begun after turn t2 was stopped'),
  ])
})
