import { expect, test } from 'vitest'
import { boundThreads, watchedBy, watchedSince } from '../../src/evidence/bindings.ts'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { listenerOf, settingOf, showOf } from '../../src/evidence/room-settings.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { Face, type Place } from '../../src/shapes/room.ts'
import { ADA, must, testStore } from '../support/store.ts'

let written = 0
const write = async (store: Store, room: string, body: Body) =>
  must(await store.append([roomDraft({ id: `e${++written}`, room, author: ADA, body })]))
const set = (store: Store, room: string, setting: 'listener' | 'show', to: string | null) =>
  write(store, room, { event: 'room-set', setting, to })

const place = (part: Partial<Place>): Place => ({
  id: 'lobby',
  faces: ['web', 'irc'],
  mode: 'diagnose',
  listener: 'claude-1',
  ...part,
})

test('who listens is for the config to say at home, and on networks nobody does unless the config opens the room', async () => {
  await using house = await testStore()
  const listeners = async (part: Partial<Place>) =>
    Object.fromEntries(
      await Promise.all(Face.options.map(async (face) => [face, await listenerOf(house.store, place(part), face)])),
    )
  const home = { web: 'claude-1', terminal: 'claude-1', cli: 'claude-1', api: 'claude-1', agent: 'claude-1' }
  const everywhere = { ...home, irc: 'claude-1', discord: 'claude-1' }
  expect([
    await listeners({}),
    await listeners({ gated: true }),
    await listeners({ gated: false }),
    await listeners({ id: 't-1' }),
  ]).toEqual([{ ...home, irc: null, discord: null }, { ...home, irc: null, discord: null }, everywhere, everywhere])
})

test('who listens is for the people of the room to set, on every face, also in a thread, and to take back', async () => {
  await using house = await testStore()
  const { store } = house
  const listeners = async (room: string) => [
    await listenerOf(store, place({ id: room }), 'web'),
    await listenerOf(store, place({ id: room }), 'irc'),
  ]
  for (const room of ['lobby', 't-1']) {
    await set(store, room, 'listener', 'codex-1')
    await set(store, room, 'show', 'all')
    expect(await listeners(room)).toEqual(['codex-1', 'codex-1'])
    await set(store, room, 'listener', 'nobody')
    expect(await listeners(room)).toEqual([null, null])
    await set(store, room, 'listener', null)
    expect(await listeners(room)).toEqual(['claude-1', room === 't-1' ? 'claude-1' : null])
  }
  expect(await settingOf(store, 'quiet', 'listener')).toBe(null)
})

test('how much is told is normal, or what was set; in a thread what was set there, or else in its room', async () => {
  await using house = await testStore()
  const { store } = house
  const begun = { thread: 't-1', agent: 'claude-1', name: '', room: 'lobby', mode: 'execute', from: null } as const
  const body = { event: 'thread-started', ...begun } as const
  must(await store.append([roomDraft({ id: 't-1.thread', room: 't-1', author: ADA, body })]))
  const shown = async () => [await showOf(store, 'lobby'), await showOf(store, 't-1'), await showOf(store, 'quiet')]
  expect(await shown()).toEqual(['normal', 'normal', 'normal'])
  await set(store, 'lobby', 'show', 'quiet')
  expect(await shown()).toEqual(['quiet', 'quiet', 'normal'])
  await set(store, 't-1', 'show', 'all')
  expect(await shown()).toEqual(['quiet', 'all', 'normal'])
  await set(store, 't-1', 'show', null)
  await set(store, 'lobby', 'show', 'loud')
  expect(await shown()).toEqual(['normal', 'normal', 'normal'])
})

test('a channel leads to the thread that it was bound to last, on its own network', async () => {
  await using house = await testStore()
  const { store } = house
  const bind = (thread: string, network: string, channel: string) =>
    write(store, thread, { event: 'thread-bound', thread, network, channel })
  await bind('t-1', 'libera', '#Release')
  await bind('t-1', 'libera', '#other')
  await bind('t-2', 'oftc', '#release')
  await bind('t-2', 'libera', '#release')
  expect([
    await boundThreads(store, 'libera'),
    await boundThreads(store, 'oftc'),
    await boundThreads(store, 'x'),
  ]).toEqual([
    [
      { channel: '#other', thread: 't-1', since: 2 },
      { channel: '#release', thread: 't-2', since: 4 },
    ],
    [{ channel: '#release', thread: 't-2', since: 3 }],
    [],
  ])
})

test('a room watches what it was told to and not told otherwise since, in that order', async () => {
  await using house = await testStore()
  const { store } = house
  const watch = (room: string, watched: string, on: boolean) => write(store, room, { event: 'watch-set', watched, on })
  await watch('lobby', 'ops', true)
  await watch('lobby', 'quiet', true)
  await watch('quiet', 'lobby', true)
  await watch('lobby', 'ops', false)
  await watch('lobby', 't-1', true)
  await watch('lobby', 'ops', true)
  expect([await watchedBy(store, 'lobby'), await watchedBy(store, 'quiet'), await watchedBy(store, 'ops')]).toEqual([
    ['quiet', 't-1', 'ops'],
    ['lobby'],
    [],
  ])
  expect(await watchedSince(store, 'lobby')).toEqual([
    { watched: 'quiet', since: 2 },
    { watched: 't-1', since: 5 },
    { watched: 'ops', since: 6 },
  ])
})
