import { expect, test } from 'vitest'
import { postDue } from '../../src/bulletins/post.ts'
import { roomsTold } from '../../src/bulletins/rooms.ts'
import { roomDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import { openStore } from '../../src/evidence/store.ts'
import { archiveThread, startDraft } from '../../src/evidence/threads.ts'
import type { BulletinSettings } from '../../src/shapes/bulletin.ts'
import type { Situation } from '../../src/shapes/situation.ts'
import { BULLETINS, LOBBY, QUIET } from '../support/social.ts'
import { ADA, must, type TestStore, testStore } from '../support/store.ts'
import { approval, budget, calm, settings } from './situations.ts'

/** A room whose situation a test sets, looked at by a process with this store. */
const looker =
  (it: TestStore, store: Store, shown: { now: Partial<Situation> }) =>
  (how: Partial<BulletinSettings> = {}) =>
    postDue(
      {
        store,
        situationOf: async (room, since) => calm({ room, ...shown.now, ended: { ...calm().ended, since } }),
        now: () => it.clock.now,
      },
      'lobby',
      settings(how),
    )

const bulletins = async (store: Store) =>
  must(await store.query({ event: 'bulletin', order: 'oldest' })).entries.map(({ id, body }) =>
    body.event === 'bulletin' ? [id, body.kind, body.slot, body.text] : [],
  )

const BUSY = { work: { running: 1, queued: 0, waiting: 0, stuck: 0 } }
const at = (time: string): number => Date.parse(`2026-01-02T${time}:00.000Z`)

test('however many processes look, and however often they are started, each bulletin is posted once', async () => {
  await using it = await testStore()
  const other = await openStore({ url: it.url, clock: () => it.clock.now })
  const shown: { now: Partial<Situation> } = { now: {} }
  const looks = [looker(it, it.store, shown), looker(it, other, shown), looker(it, it.store, shown)]
  const everybody = async () => {
    for (const answer of await Promise.all(looks.map((look) => look({ at: ['09:00'], every: '4h' })))) must(answer)
  }
  const course: [string, Partial<Situation>][] = [
    ['08:00', {}],
    ['08:05', {}],
    ['09:00', BUSY],
    ['09:01', BUSY],
    ['09:30', { ...BUSY, budgets: [budget()] }],
    ['09:31', { ...BUSY, budgets: [budget()] }],
    ['12:00', { ...BUSY, budgets: [budget()] }],
  ]
  for (const [time, situation] of course) {
    it.clock.now = at(time)
    shown.now = situation
    await everybody()
  }
  await other.close()
  const busy = 'lobby: 1 of 1 agent ready; 1 turn at work'
  expect(await bulletins(it.store)).toEqual([
    ['lobby.bulletin-1', 'scheduled', '2026-01-02 08:00', 'lobby: 1 of 1 agent ready; no work'],
    ['lobby.bulletin-2', 'scheduled', '2026-01-02 09:00', busy],
    [
      'lobby.bulletin-3',
      'change',
      '2026-01-02 09:00',
      'budget near: claude-1 has used 850 of the 1,000 tokens of its day',
    ],
  ])
})

test('what is kept back in quiet hours is kept by the evidence, and told once when they are over', async () => {
  await using it = await testStore()
  const shown: { now: Partial<Situation> } = { now: {} }
  const look = async (time: string, situation: Partial<Situation>) => {
    it.clock.now = at(time)
    shown.now = situation
    // A process of its own each time: nothing is remembered but what is written.
    must(await looker(it, it.store, shown)({ quiet: { from: '04:00', to: '07:00' } }))
  }
  const late = { budgets: [budget()], approvals: [approval({ late: true })] }
  await look('03:50', {})
  await look('04:10', { budgets: [budget()] })
  await look('05:00', late)
  await look('06:00', { budgets: [budget()] })
  await look('07:00', { budgets: [budget()] })
  await look('07:10', { budgets: [budget()] })
  await look('09:00', { budgets: [budget()] })
  expect((await bulletins(it.store)).map(([id, kind, , text]) => [id, kind, text])).toEqual([
    ['lobby.bulletin-1', 'scheduled', 'lobby: 1 of 1 agent ready; no work'],
    [
      'lobby.bulletin-2',
      'change',
      'half of its time is over: codex-1 waits for a person: kqzfm, to run git push; /approve kqzfm or /deny kqzfm',
    ],
    [
      'lobby.bulletin-3',
      'digest',
      [
        'while lobby was not to be disturbed:',
        'budget near: claude-1 has used 850 of the 1,000 tokens of its day',
        'lobby: 1 of 1 agent ready; no work',
        'budget near: claude-1 has used 850 of the 1,000 tokens of its day',
      ].join('\n'),
    ],
  ])
})

test('rooms are told as the config says and as their people have set it; threads where they have', async () => {
  await using it = await testStore()
  const den = { ...QUIET, id: 'den', bulletins: { every: null } }
  const config = { rooms: [LOBBY, QUIET, den], bulletins: { ...BULLETINS, every: '4h' } }
  const set = async (id: string, room: string, to: string | null) => {
    const body = { event: 'room-set', setting: 'bulletins', to } as const
    must(await it.store.append([roomDraft({ id, room, author: ADA, body })]))
  }
  const told = async () => (await roomsTold(it.store, config)).map(({ room, settings: { every } }) => [room, every])
  const off = (await roomsTold(it.store, { ...config, bulletins: BULLETINS })).map(({ room }) => room)
  expect([off, await told()]).toEqual([
    [],
    [
      ['lobby', '4h'],
      ['quiet', '4h'],
    ],
  ])
  const begun = { thread: 't-1', agent: 'codex-1', name: '', room: 'lobby', mode: 'execute', from: null } as const
  must(await it.store.append([startDraft(begun, ADA)]))
  await set('r1', 'quiet', 'off')
  await set('r2', 'den', 'on')
  await set('r3', 't-1', 'on')
  expect(await told()).toEqual([
    ['lobby', '4h'],
    ['den', null],
    ['t-1', '4h'],
  ])
  await set('r4', 'quiet', null)
  must(await archiveThread(it.store, 't-1', true, ADA))
  expect(await told()).toEqual([
    ['lobby', '4h'],
    ['quiet', '4h'],
    ['den', null],
  ])
})
