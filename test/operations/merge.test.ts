import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { checkouts, merge } from '../../src/operations/merge.ts'
import { mergeStands } from '../../src/operations/merge-history.ts'
import type { Context, Operation } from '../../src/operations/operation.ts'
import { diff, undo } from '../../src/operations/undo.ts'
import { createUndo } from '../../src/operations/undo-files.ts'
import type { Author, Body } from '../../src/shapes/evidence.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import type { RoomMode } from '../../src/shapes/room.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { sayTo } from '../support/say-to.ts'
import { ADA, must, testStore } from '../support/store.ts'
import { checkoutHouse } from '../workspace/checkout-folders.ts'

const ROWS: readonly Operation[] = [merge, checkouts, undo, diff]
const HOLD = { session: 's-9', agent: 'claude-1', until: '2026-01-02T03:04:05.000Z' }

/** Two agents with checkouts of their own, one that works in the workspace, and a room where people say what to do. */
const mergeHouse = async (files: Record<string, string>) => {
  const kept = await testStore()
  const { store } = kept
  const it = await checkoutHouse(files, { stands: (id) => mergeStands(store, id) })
  const apart = ['codex-1', 'codex-2']
  const placeOf = (agent: string) => it.checkouts.of(agent)
  const held = new Map<string, typeof HOLD>()
  const room = { mode: 'execute' as RoomMode }
  let made = 0
  const context = {
    person: { name: 'ada', role: 'operator', face: 'cli', via: null },
    room: 'lobby',
    store,
    roomMode: async () => room.mode,
    who: async () => ['claude-1', ...apart].map((id) => ({ id, type: id.replace(/-\d$/, '') })),
    elsewhere: async () => null,
    holds: { all: async () => [...held].map(([path, hold]) => ({ path, ...hold })), release: async () => {} },
    checkouts: { ...it.checkouts, agents: apart },
    undo: createUndo({
      store,
      shadow: it.shadow,
      workspace: it.workspace,
      placeOf,
      holders: async () => [],
      release: async () => {},
    }),
    newId: () => `u${++made}`,
  } as unknown as Context

  const write = async (agent: string, id: string, body: Body, inReplyTo?: string): Promise<void> => {
    const isAdas = body.event === 'session-opened' || body.event === 'accepted'
    const author: Author = isAdas ? ADA : { kind: 'agent', id: agent, face: 'rehearsal', via: null }
    const draft = { id, session: `s-${agent}`, room: 'lobby', agent, author, body, ...(inReplyTo ? { inReplyTo } : {}) }
    must(await store.append([sessionDraft(draft)]))
  }
  return {
    ...it,
    store,
    room,
    held,
    write,
    /** A turn of one step, in the checkout of its agent. */
    turn: async (turn: string, agent: string, work: (root: string) => void): Promise<void> => {
      const { shadow, workspace } = await placeOf(agent)
      const opened = { event: 'session-opened', agent, room: 'lobby' } as const
      if (!(await store.openSession('lobby', agent))) await write(agent, `s-${agent}.opened`, opened)
      await write(agent, turn, { event: 'accepted', agent, room: 'lobby', peripheral: 'edit', request: 'work' })
      await write(agent, `${turn}.started`, { event: 'turn-started', turn }, turn)
      const before = await shadow.tree()
      work(workspace.root)
      const changes = await shadow.changes(before, await shadow.tree())
      const step = { turn, step: `${turn}.0` }
      const outcome: StepOutcome = { kind: 'ok', output: '', paths: [], cut: null, files: changes }
      const call = { tool: 'edit', args: {} }
      await write(agent, `${turn}.0.intent`, { event: 'step-intended', ...step, call }, turn)
      await write(
        agent,
        `${turn}.0.outcome`,
        { event: 'step-ended', ...step, tool: 'edit', outcome },
        `${turn}.0.intent`,
      )
      await write(agent, `${turn}.ended`, { event: 'turn-ended', turn, outcome: 'done', answer: 'done' }, turn)
    },
    say: sayTo(ROWS, context),
    /** What was written down in the room, with its author and what it answers. */
    told: async () =>
      (await store.chain('room-lobby')).map(({ id, author, inReplyTo, body }) => ({
        id,
        by: author.id,
        inReplyTo,
        body,
      })),
    text: (name: string): string => readFileSync(join(it.root, name), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await kept[Symbol.asyncDispose]()
      it[Symbol.dispose]()
    },
  }
}

const FILES = { 'README.md': '# teapot\n', 'src/pour.ts': 'pour\n' }

const said = (...lines: string[]): Result<string> => ok(lines.join('\n'))

describe('/merge', () => {
  test('brings what an agent did into the workspace, and is evidence before and after', async () => {
    await using it = await mergeHouse(FILES)
    await it.turn('t1', 'codex-1', (root) => it.put('src/pour.ts', 'pour\nmore\n', root))
    expect(await it.say('/merge codex dry=yes')).toEqual(
      said('would merge what codex-1 did: 1 file', '  changed src/pour.ts +1 -0'),
    )
    expect([it.text('src/pour.ts'), await it.told()]).toEqual(['pour\n', []])
    expect(await it.say('/merge codex-1')).toEqual(
      said('merged what codex-1 did: 1 file, and committed nothing', '  changed src/pour.ts +1 -0'),
    )
    const file = {
      path: 'src/pour.ts',
      before: expect.stringMatching(/^100644 /),
      after: expect.stringMatching(/^100644 /),
      added: 1,
      removed: 0,
    }
    expect([it.text('src/pour.ts'), await it.told()]).toEqual([
      'pour\nmore\n',
      [
        {
          id: 'u2.begun',
          by: 'ada',
          inReplyTo: null,
          body: { event: 'restoring', what: 'the merge of what codex-1 did', steps: [], files: [file] },
        },
        {
          id: 'u2',
          by: 'ada',
          inReplyTo: 'u2.begun',
          body: {
            event: 'merged',
            agent: 'codex-1',
            from: await it.user('rev-parse', 'refs/bellhop/codex-1'),
            into: await it.shadow.tree(),
            files: ['src/pour.ts'],
            conflicts: [],
          },
        },
      ],
    ])
    expect(await verifyChain(it.store, 'room-lobby')).toMatchObject({ ok: true, entries: 2, violations: [] })
    expect(await it.say('/merge codex-1')).toEqual(said('nothing to merge: codex-1 has nothing that is not merged'))
  })

  test('reports where two agents changed the same, and changes nothing', async () => {
    await using it = await mergeHouse(FILES)
    await it.turn('t1', 'codex-1', (root) => it.put('README.md', '# one\n', root))
    await it.turn('t2', 'codex-2', (root) => {
      it.put('README.md', '# two\n', root)
      it.put('src/pour.ts', 'two\n', root)
    })
    must(await it.say('/merge codex-1'))
    it.held.set('src/pour.ts', HOLD)
    expect(await it.say('/merge codex-2')).toEqual(
      said(
        'nothing was merged:',
        '  src/pour.ts is held by claude-1 until 2026-01-02T03:04:05.000Z',
        '  README.md was changed on both sides, in the same place',
        'what codex-2 did is the commit refs/bellhop/codex-2: git can merge it, too',
      ),
    )
    expect([it.text('README.md'), it.text('src/pour.ts'), (await it.told()).at(-1)?.body]).toEqual([
      '# one\n',
      'pour\n',
      {
        event: 'merged',
        agent: 'codex-2',
        from: await it.user('rev-parse', 'refs/bellhop/codex-2'),
        into: null,
        files: [],
        conflicts: ['src/pour.ts', 'README.md'],
      },
    ])
  })

  test('is undone by /undo, before the turn that it merged, and can be done again', async () => {
    await using it = await mergeHouse(FILES)
    await it.turn('t1', 'codex-1', (root) => it.put('README.md', '# one\n', root))
    must(await it.say('/merge codex-1'))
    const checkout = await it.rootOf()
    const both = () => [it.text('README.md'), readFileSync(join(checkout, 'README.md'), 'utf8')]
    expect(await it.say('/undo')).toEqual(said('put back the merge u1 of codex-1: 1 file', '  changed README.md +1 -1'))
    expect([both(), (await it.told()).slice(2).map(({ body }) => body)]).toEqual([
      ['# teapot\n', '# one\n'],
      [
        expect.objectContaining({ event: 'restoring', what: 'the merge u1', steps: ['u1'] }),
        expect.objectContaining({ event: 'restored', what: 'the merge u1', steps: ['u1'], failed: null }),
      ],
    ])
    expect(await it.say('/merge codex-1')).toMatchObject(
      said('merged what codex-1 did: 1 file, and committed nothing', '  changed README.md +1 -1'),
    )
    it.put('README.md', '# one, and mine\n')
    expect(await it.say('/undo')).toEqual(
      refused(refusal('undo-conflict', 'nothing was put back, because of README.md: was changed since')),
    )
    expect(must(await it.say('/undo force=yes')).split('\n')[0]).toBe('put back the merge u4 of codex-1: 1 file')
    expect(must(await it.say('/undo')).split('\n')[0]).toBe('put back turn t1 of codex-1: 1 file')
    expect([both(), await it.say('/merge codex-1')]).toEqual([
      ['# teapot\n', '# teapot\n'],
      said('nothing to merge: codex-1 has nothing that is not merged'),
    ])
    expect(await verifyChain(it.store, 'room-lobby')).toMatchObject({ ok: true, violations: [] })
  })

  test('is undone by its name after the agent went on, and shown by it', async () => {
    await using it = await mergeHouse(FILES)
    await it.turn('t1', 'codex-1', (root) => it.put('README.md', '# one\n', root))
    must(await it.say('/merge codex-1'))
    await it.turn('t2', 'codex-1', (root) => it.put('src/pour.ts', 'two\n', root))
    const head = async (line: string) =>
      must(await it.say(line))
        .split('\n')
        .slice(0, 2)
    expect([await head('/diff'), await head('/diff turn=u1'), await head('/undo turn=u1')]).toEqual([
      ['codex-1, turn t2: 1 file', '  changed src/pour.ts +1 -1'],
      ['codex-1, the merge u1: 1 file', '  changed README.md +1 -1'],
      ['put back the merge u1 of codex-1: 1 file', '  changed README.md +1 -1'],
    ])
    expect([it.text('README.md'), (await head('/merge codex-1'))[0], it.text('README.md')]).toEqual([
      '# teapot\n',
      'merged what codex-1 did: 2 files, and committed nothing',
      '# one\n',
    ])
    // All that the session did, where it was done: in its checkout, and in the workspace.
    expect((await head('/undo turn=all'))[0]).toMatch(/^put back session s-codex-1 of codex-1: 4 files$/)
    expect([
      it.text('README.md'),
      it.text('src/pour.ts'),
      await it.rootOf().then((root) => readFileSync(join(root, 'src/pour.ts'), 'utf8')),
    ]).toEqual(['# teapot\n', 'pour\n', 'pour\n'])
  })

  test('is for rooms in execute, and waits for an agent that has work', async () => {
    await using it = await mergeHouse(FILES)
    await it.turn('t1', 'codex-1', (root) => it.put('README.md', '# one\n', root))
    it.room.mode = 'diagnose'
    const diagnosing = [await it.say('/merge codex-1'), await it.say('/merge codex-1 dry=yes')]
    it.room.mode = 'execute'
    await it.write('codex-1', 't2', {
      event: 'accepted',
      agent: 'codex-1',
      room: 'lobby',
      peripheral: 'edit',
      request: 'x',
    })
    expect([...diagnosing, await it.say('/merge codex-1')]).toEqual([
      refused(refusal('mode-forbids', 'lobby is in diagnose, and files are changed in execute')),
      said('would merge what codex-1 did: 1 file', '  changed README.md +1 -1'),
      refused(refusal('session-busy', 'codex-1 has work: turn t2 is accepted')),
    ])
  })

  test('says where there is no such agent, no room, or no checkout', async () => {
    await using it = await mergeHouse(FILES)
    expect([
      await it.say('/merge dexter'),
      await it.say('/merge codex-1', { room: null }),
      await it.say('/merge claude-1'),
    ]).toEqual([
      refused(refusal('agent-unknown', 'there is no agent dexter; there is claude-1, codex-1, codex-2')),
      refused(refusal('room-unknown', 'what is merged is told to a room: ask in one')),
      said('nothing to merge: claude-1 works in the workspace itself'),
    ])
  })
})

test('/checkouts shows who has one, what is not merged, and what nobody may bring over', async () => {
  await using it = await mergeHouse(FILES)
  const root = await it.rootOf()
  it.put('README.md', '# one\n', root)
  it.put('.npmrc', 'x\n', root)
  it.put('src/pour.ts', 'committed\n')
  await it.commit()
  const { commit } = (await it.checkouts.state('codex-1')) as { commit: string }
  expect([await it.say('/checkouts'), await it.say('/checkouts', { checkouts: NONE })]).toEqual([
    said(
      `codex-1: at ${commit.slice(0, 12)}, 1 commit behind the workspace, 1 file not merged; ${root}`,
      '  changed README.md +1 -1',
      '  .npmrc is closed to everybody',
      'codex-2: it is made when it is first needed',
    ),
    said('no agent works in a checkout of its own'),
  ])
})

const NONE = { agents: [], merge: async () => '', state: async () => null }
