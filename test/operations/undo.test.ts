import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import type { FileState } from '../../src/shapes/turn.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { ADA, must } from '../support/store.ts'
import { contentsOf, git, makeExecutable } from '../workspace/shadow-folders.ts'
import { type UndoHouse, undoHouse } from './undo-house.ts'

const file = (text: string): FileState => stateOf(Buffer.from(text), false)

const said = (...lines: string[]): Result<string> => ok(lines.join('\n'))

describe('/diff', () => {
  test('shows what the last turn that changed something came to', async () => {
    await using it = await undoHouse({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    await it.turn('t1', [
      () => it.put('a.txt', 'two\n'),
      () => it.put('a.txt', 'three\n'),
      () => it.put('b.txt', 'c\n'),
    ])
    await it.step('t1.9', () => it.put('b.txt', 'b\n'))
    await it.turn('t2', [])
    expect(
      must(await it.say('/diff'))
        .replace(/^index .*$/m, 'index …')
        .split('\n'),
    ).toEqual([
      'claude-1, turn t1: 1 file',
      '  changed a.txt +1 -1',
      'diff --git a/a.txt b/a.txt',
      'index …',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1 +1 @@',
      '-one',
      '+three',
    ])
  })

  test('shows another turn, another agent’s, or all of a session', async () => {
    await using it = await undoHouse({ a: '1' })
    await it.turn('t1', [() => it.put('a', '2')])
    await it.turn('t2', [() => it.put('b', '2')])
    await it.turn('t3', [() => it.put('c', '3')], 'codex-1')
    const head = async (line: string) => must(await it.say(line)).split('\ndiff ')[0]
    expect([
      await head('/diff'),
      await head('/diff claude'),
      await head('/diff turn=t1'),
      await head('/diff claude-1 turn=all'),
    ]).toEqual([
      'codex-1, turn t3: 1 file\n  added c +1 -0',
      'claude-1, turn t2: 1 file\n  added b +1 -0',
      'claude-1, turn t1: 1 file\n  changed a +1 -1',
      'claude-1, session s-1: 2 files\n  changed a +1 -1\n  added b +1 -0',
    ])
  })

  test('shows what one step changed, and says of one that changed nothing that it did not', async () => {
    await using it = await undoHouse({ a: '1' })
    await it.turn('t1', [() => it.put('a', '2'), () => it.put('b', '2'), () => {}])
    const head = async (step: string) => must(await it.say(`/diff step=${step}`)).split('\ndiff ')[0]
    expect([await head('t1.0'), await head('t1.1')]).toEqual([
      'claude-1, step t1.0: 1 file\n  changed a +1 -1',
      'claude-1, step t1.1: 1 file\n  added b +1 -0',
    ])
    expect([await it.say('/diff step=t1.2'), await it.say('/diff step=t9.0')]).toEqual([
      refused(refusal('nothing-to-undo', 'step t1.2 changed nothing')),
      refused(refusal('entry-unknown', 'there is no step t9.0 that was taken')),
    ])
  })

  test('is bounded for a room, shows nothing that a terminal would obey, and says what is left out', async () => {
    await using it = await undoHouse()
    await it.turn('t1', [
      () => {
        for (let i = 0; i < 60; i++) it.put(`f${String(i).padStart(2, '0')}`, 'x\n'.repeat(10))
        it.put('\u001b[2J\nevil', '\u001b[31mred\u202e\n')
        writeFileSync(join(it.root, 'image'), Buffer.from([0, 1, 2]))
      },
    ])
    const lines = must(await it.say('/diff')).split('\n')
    expect([
      lines.length,
      lines[0],
      lines[1],
      lines[51],
      lines.at(-1),
      ['\u001b', '\u202e'].some((mark) => lines.join().includes(mark)),
    ]).toEqual([
      253,
      'claude-1, turn t1: 62 files',
      '  added "[2J evil" +1 -0',
      '  and 12 more files',
      '(771 more lines left out)',
      false,
    ])
  })

  test('shows what was put back only where it is asked for by name', async () => {
    await using it = await undoHouse({ a: '1' })
    await it.turn('t1', [() => it.put('a', '2')])
    await it.say('/undo')
    const head = must(await it.say('/diff turn=t1')).split('\ndiff ')[0]
    expect([await it.say('/diff'), head]).toEqual([
      refused(refusal('nothing-to-undo', 'claude-1 changed nothing that is not put back')),
      'claude-1, turn t1: 1 file\n  changed a +1 -1\nput back since',
    ])
  })
})

describe('/undo', () => {
  test('puts back what the last turn changed, and is evidence before and after', async () => {
    await using it = await undoHouse({ 'a.txt': 'one\r\n', 'gone.txt': 'gone\n', 'run.sh': 'r\n' })
    makeExecutable(join(it.root, 'run.sh'))
    symlinkSync('a.txt', join(it.root, 'link'))
    await git(it.root, 'init', '--quiet')
    await git(it.root, 'add', '--all')
    await git(it.root, 'commit', '--quiet', '-m', 'all')
    const before = it.files()
    await it.turn('t1', [
      () => it.put('a.txt', 'two\n'),
      () => rmSync(join(it.root, 'gone.txt')),
      () => it.put('new/deep/x.txt', 'x\n'),
      () => {
        it.put('run.sh', 's\n')
        rmSync(join(it.root, 'link'))
        symlinkSync('/etc/passwd', join(it.root, 'link'))
        writeFileSync(join(it.root, 'image'), Buffer.from([0, 255]))
      },
    ])
    const untouched = contentsOf(join(it.root, '.git'))
    expect(await it.say('/undo')).toEqual(
      said(
        'put back turn t1 of claude-1: 6 files',
        '  changed a.txt +1 -1',
        '  added gone.txt +1 -0',
        '  removed new/deep/x.txt +0 -1',
        '  removed image',
        '  changed link +1 -1',
        '  changed run.sh +1 -1',
      ),
    )
    expect([it.files(), contentsOf(join(it.root, '.git'))]).toEqual([before, untouched])

    const [intent, outcome, ...more] = await it.written()
    const steps = ['t1.0', 't1.1', 't1.2', 't1.3']
    const files = intent?.body.files ?? []
    expect(files[0]).toEqual({ path: 'a.txt', before: file('two\n'), after: file('one\r\n'), added: 1, removed: 1 })
    expect([intent, outcome, more]).toEqual([
      { id: 'u1', author: ADA, inReplyTo: 't1', body: { event: 'restoring', what: 'turn t1', steps, files } },
      {
        id: 'u2',
        author: ADA,
        inReplyTo: 'u1',
        body: { event: 'restored', what: 'turn t1', steps, files, failed: null },
      },
      [],
    ])
  })

  test('said again, undoes the turn before it, of whichever agent; and then there is nothing left', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    await it.turn('t2', [() => it.put('b', '2')], 'codex-1')
    await it.turn('t3', [() => it.put('a', '3')])
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await it.say('/undo'))
    expect([answers, it.files()]).toEqual([
      [
        said('put back turn t3 of claude-1: 1 file', '  changed a +1 -1'),
        said('put back turn t2 of codex-1: 1 file', '  removed b +0 -1'),
        said('put back turn t1 of claude-1: 1 file', '  changed a +1 -1'),
        refused(refusal('nothing-to-undo', 'codex-1, claude-1 changed nothing that is not put back')),
      ],
      { a: '644 0' },
    ])
  })

  test('undoes the turn that is named, of a session that was closed too', async () => {
    await using it = await undoHouse({ a: '0', b: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    await it.turn('t2', [() => it.put('b', '2')])
    await it.write('claude-1', 's-1.closed', { event: 'session-closed', reason: 'reset' })
    expect([
      await it.say('/undo claude'),
      await it.say('/undo turn=t1'),
      await it.say('/undo turn=t1'),
      it.files(),
    ]).toEqual([
      refused(refusal('nothing-to-undo', 'claude-1 has no open session in lobby: name the turn instead')),
      said('put back turn t1 of claude-1: 1 file', '  changed a +1 -1'),
      refused(refusal('nothing-to-undo', 'turn t1 was put back before')),
      { a: '644 0', b: '644 2' },
    ])
  })

  test('passes over a turn that left everything as it was', async () => {
    await using it = await undoHouse({ a: '0', b: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    await it.turn('t2', [() => it.put('b', '1'), () => it.put('b', '0')])
    expect(await it.say('/undo')).toEqual(said('put back turn t1 of claude-1: 1 file', '  changed a +1 -1'))
  })

  test('only shows what it would do, where that is asked for', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    const answer = await it.say('/undo dry=yes')
    expect([answer, it.files(), await it.written()]).toEqual([
      said('would put back turn t1 of claude-1: 1 file', '  changed a +1 -1'),
      { a: '644 1' },
      [],
    ])
  })

  test('touches nothing where a file is no longer what the turn left, and names it; force=yes puts all back', async () => {
    await using it = await undoHouse({ a: '0', b: '0', c: '0' })
    await it.turn('t1', [() => it.put('a', '1'), () => it.put('b', '1'), () => rmSync(join(it.root, 'c'))])
    it.put('b', 'by a person')
    it.put('c', 'again')
    const message = 'nothing was put back, because of b: was changed since; c: is there again'
    expect([await it.say('/undo'), await it.say('/undo dry=yes'), it.files()['a'], await it.written()]).toEqual([
      refused(refusal('undo-conflict', message)),
      refused(refusal('undo-conflict', message)),
      '644 1',
      [],
    ])
    expect([await it.say('/undo force=yes'), it.files()]).toEqual([
      said(
        'put back turn t1 of claude-1: 3 files',
        '  changed a +1 -1',
        '  changed b +1 -1',
        '  changed c +1 -1',
        'all the same: b: was changed since',
        'all the same: c: is there again',
      ),
      { a: '644 0', b: '644 0', c: '644 0' },
    ])
    // What was replaced is not lost.
    expect(await it.shadow.content(file('by a person'))).toEqual(Buffer.from('by a person'))
  })

  test('puts back what it can where it is forced, says what it could not, and can be repeated', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.begin('t1')
    await it.step('t1.0', () => it.put('a', '1'))
    const lost = { path: 'lost', before: file('never kept'), after: null, added: null, removed: null }
    await it.ended('t1.1', { kind: 'ok', output: '', paths: [], cut: null, files: [lost] })
    await it.end('t1')
    const reason = 'lost: what it was is not kept'
    expect([await it.say('/undo'), await it.say('/undo force=yes'), it.files()]).toEqual([
      refused(refusal('undo-conflict', `nothing was put back, because of ${reason}`)),
      said('put back turn t1 of claude-1: 1 file', '  changed a +1 -1', `NOT put back: ${reason}`),
      { a: '644 0' },
    ])
    const [, outcome] = await it.written()
    expect(outcome?.body).toMatchObject({ event: 'restored', failed: reason, files: [{ path: 'a' }] })
    await it.shadow.keep(Buffer.from('never kept'))
    expect([await it.say('/undo'), it.files()]).toEqual([
      said('put back turn t1 of claude-1: 1 file', '  added lost +1 -0'),
      { a: '644 0', lost: '644 never kept' },
    ])
  })

  test('a path that another session’s agent holds is a refusal; the session’s own hold is none', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    const until = '2026-01-02T04:00:00.000Z'
    it.holders.set('a', { session: 's-2', agent: 'codex-1', until })
    const held = await it.say('/undo force=yes')
    it.holders.set('a', { session: 's-1', agent: 'claude-1', until })
    expect([held, (await it.say('/undo')).ok]).toEqual([
      refused(refusal('path-held', `a is held by codex-1 until ${until}`)),
      true,
    ])
  })

  test('waits for nobody: a session that has work is a refusal', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    await it.begin('t2')
    expect([await it.say('/undo'), it.files()]).toEqual([
      refused(refusal('session-busy', 'claude-1 has work: turn t2 is running')),
      { a: '644 1' },
    ])
  })

  test('of two who undo at once, one does, and the other learns that it is done', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    const both = await Promise.all([it.say('/undo turn=t1'), it.say('/undo turn=t1')])
    expect([both, it.files()]).toEqual([
      [
        said('put back turn t1 of claude-1: 1 file', '  changed a +1 -1'),
        refused(refusal('nothing-to-undo', 'turn t1 was put back before')),
      ],
      { a: '644 0' },
    ])
  })

  test.each([
    ['before the first file', []],
    ['between two files', ['a']],
    ['after the last file', ['a', 'b']],
  ])('cut short %s, can be said again, and says so', async (_when, back) => {
    await using it = await undoHouse({ a: '0', b: '0' })
    await it.turn('t1', [() => it.put('a', '1'), () => it.put('b', '1')])
    const files = ['a', 'b'].map((path) => ({ path, before: file('1'), after: file('0'), added: 1, removed: 1 }))
    const steps = ['t1.0', 't1.1']
    await it.write('claude-1', 'cut', { event: 'restoring', what: 'turn t1', steps, files }, 't1')
    for (const path of back) it.put(path, '0')
    const left = ['a', 'b'].filter((path) => !back.includes(path))
    expect([await it.say('/undo'), it.files(), (await it.say('/undo')).ok]).toEqual([
      said(
        `put back turn t1 of claude-1: ${left.length} file${left.length === 1 ? '' : 's'}`,
        ...left.map((path) => `  changed ${path} +1 -1`),
        'putting back turn t1 was cut short before',
      ),
      { a: '644 0', b: '644 0' },
      false,
    ])
  })

  test('says of which steps nobody knows what they changed', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    await it.begin('t2')
    await it.ended('t2.0', { kind: 'interrupted', message: 'its worker died' })
    await it.end('t2')
    expect(await it.say('/undo')).toEqual(
      said(
        'put back turn t1 of claude-1: 1 file',
        '  changed a +1 -1',
        'step t2.0 was interrupted: what it changed is not known, and not in this',
      ),
    )
  })

  test.each([
    ['/undo turn=nothing', refusal('turn-unknown', 'there is no turn nothing in lobby')],
    ['/undo', refusal('nothing-to-undo', 'no agent has an open session in lobby')],
    ['/undo codex', refusal('nothing-to-undo', 'codex-1 has no open session in lobby: name the turn instead')],
    ['/rewind nothing.3', refusal('entry-unknown', 'there is no step nothing.3 in lobby that was taken')],
  ])('%s is a refusal where there is nothing', async (line, why) => {
    await using it = await undoHouse()
    expect(await it.say(line)).toEqual(refused(why))
  })

  test('is for the room it happened in', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    const elsewhere = { room: 'quiet' }
    expect([
      await it.say('/undo turn=t1', elsewhere),
      await it.say('/rewind t1.0', elsewhere),
      await it.say('/diff claude', elsewhere),
      await it.say('/undo', { room: null }),
      await it.say('/rewind t1.0', { room: null }),
    ]).toEqual([
      refused(refusal('turn-unknown', 'there is no turn t1 in quiet')),
      refused(refusal('entry-unknown', 'there is no step t1.0 in quiet that was taken')),
      refused(refusal('nothing-to-undo', 'claude-1 has no open session in quiet: name the turn instead')),
      refused(refusal('room-unknown', 'turns belong to a room: ask in one')),
      refused(refusal('room-unknown', 'steps belong to a room: ask in one')),
    ])
  })
})

describe('/rewind', () => {
  test('puts back a step and all after it, also of later turns; what went before stays', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1'), () => it.put('a', '2'), () => it.put('b', '1')])
    await it.turn('t2', [() => it.put('a', '3'), () => it.put('c', '1')])
    expect([await it.say('/rewind t1.1'), it.files()]).toEqual([
      said(
        'put back all since step t1.1 of claude-1: 3 files',
        '  changed a +1 -1',
        '  removed b +0 -1',
        '  removed c +0 -1',
      ),
      { a: '644 1' },
    ])
    const [intent] = await it.written()
    expect([intent?.inReplyTo, intent?.body.steps]).toEqual(['t1.1.outcome', ['t1.1', 't1.2', 't2.0', 't2.1']])
  })

  test('has nothing to do where nothing was changed since', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1'), () => {}])
    expect(await it.say('/rewind t1.1')).toEqual(
      refused(refusal('nothing-to-undo', 'nothing was changed since step t1.1 that was not put back')),
    )
  })

  test('of what was put back is refused; the rest of its turn can still be undone', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1'), () => it.put('a', '2')])
    await it.say('/rewind t1.1')
    expect(must(await it.say('/diff')).split('\ndiff ')[0]).toBe(
      'claude-1, turn t1: 1 file\n  changed a +1 -1\n1 of its 2 steps put back since, and not in this',
    )
    expect([await it.say('/rewind t1.1'), await it.say('/undo'), await it.say('/rewind t1.0'), it.files()]).toEqual([
      refused(refusal('nothing-to-undo', 'step t1.1 was put back before, and cannot be again')),
      said('put back turn t1 of claude-1: 1 file', '  changed a +1 -1'),
      refused(refusal('nothing-to-undo', 'step t1.0 was put back before, and cannot be again')),
      { a: '644 0' },
    ])
  })

  test('goes behind what was undone in between', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    await it.turn('t2', [() => it.put('a', '2')])
    await it.say('/undo')
    await it.turn('t3', [() => it.put('a', '3')])
    expect([(await it.say('/rewind t1.0')).ok, it.files()]).toEqual([true, { a: '644 0' }])
  })

  test('does not undo what a person did in between, unless forced', async () => {
    await using it = await undoHouse({ a: '0' })
    await it.turn('t1', [() => it.put('a', '1')])
    it.put('a', 'by a person')
    await it.turn('t2', [() => it.put('a', '2')])
    const message = 'nothing was put back, because of a: was changed by somebody else in between'
    expect([await it.say('/rewind t1.0'), await it.say('/undo'), it.files()]).toEqual([
      refused(refusal('undo-conflict', message)),
      said('put back turn t2 of claude-1: 1 file', '  changed a +1 -1'),
      { a: '644 by a person' },
    ])
  })
})

/** A file is written, removed where the text is empty; or the last turn is undone. */
type Move = { path: string; text: string } | 'undo'

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      path: fc.constantFrom('a', 'b', 'd/e', 'd/f'),
      text: fc.constantFrom('1', '2', '3', ''),
    }),
  },
  { weight: 1, arbitrary: fc.constant('undo' as const) },
)

/** What the files were before each turn that changed something and was not undone. */
type Standing = { step: string; before: Record<string, string> }[]

const undoLast = async (it: UndoHouse, standing: Standing): Promise<void> => {
  const undone = await it.say('/undo')
  const last = standing.pop()
  expect([undone.ok, it.files()]).toEqual([last !== undefined, last?.before ?? it.files()])
}

const takeTurn = async (it: UndoHouse, turn: string, { path, text }: Exclude<Move, 'undo'>): Promise<boolean> => {
  const before = it.files()
  await it.turn(turn, [
    () => {
      if (text !== '') return it.put(path, text)
      rmSync(join(it.root, path), { force: true })
      // Git knows of no empty folders, so there are none here.
      if (!Object.keys(it.files()).some((name) => name.startsWith('d/') && name !== 'd/'))
        rmSync(join(it.root, 'd'), { recursive: true, force: true })
    },
  ])
  return JSON.stringify(it.files()) !== JSON.stringify(before)
}

test('whatever is done and undone, a rewind leads to exactly what was there before its step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 2, maxLength: 8 }), fc.nat(), async (moves, pick) => {
      await using it = await undoHouse({ a: '0', 'd/e': '0' })
      const standing: Standing = []
      for (const [i, one] of moves.entries()) {
        const before = it.files()
        if (one === 'undo') await undoLast(it, standing)
        else if (await takeTurn(it, `t${i}`, one)) standing.push({ step: `t${i}.0`, before })
      }
      const chosen = standing[pick % Math.max(1, standing.length)]
      if (!chosen) return
      expect([(await it.say(`/rewind ${chosen.step}`)).ok, it.files()]).toEqual([true, chosen.before])
    }),
    { numRuns: process.env['BELLHOP_LONG'] ? 80 : 6 },
  )
}, 600_000)
