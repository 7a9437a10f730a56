import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sent } from '../../src/chat/outlet.ts'
import { createLedger } from '../../src/delivery/ledger.ts'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { type Bindings, openBindings, type Told } from '../../src/house/bindings.ts'
import { deliverTo } from '../../src/house/delivering.ts'
import { networkPort } from '../../src/house/network-port.ts'
import { openParts, type Parts } from '../../src/house/parts.ts'
import { createSocial } from '../../src/house/social.ts'
import type { NetworkStanding } from '../../src/shapes/networks.ts'
import { createNetwork, type Network } from '../delivery/world.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { ircNetwork } from '../support/rooms.ts'
import { ADA, must } from '../support/store.ts'

/** Networks that nobody is on: what would be said there is said by a script. */
const NOWHERE = { host: '127.0.0.1', port: 1 }
const NETWORKS = {
  one: ircNetwork(NOWHERE, { '#team': 'lobby' }),
  two: ircNetwork(NOWHERE, { '#team': 'lobby', '#quiet': 'quiet' }),
}

let house: TestHouse
let parts: Parts
const closing = new AbortController()
beforeAll(async () => {
  house = await startTestHouse({ worker: false, config: `networks: ${JSON.stringify(NETWORKS)}\n` })
  parts = await openParts(house.settings, 'bridge')
})
afterAll(async () => {
  closing.abort()
  await parts.close()
  await house[Symbol.asyncDispose]()
})

const told = (network: string, room: string, channel = '#team'): Told => ({ network, channel, room, since: null })

/** Which channels lead where, as a script says; and how to change that. */
const bindingsOf = (...first: Told[]) => {
  let now = first
  const heard = new Set<() => void>()
  const bindings: Bindings = {
    roomOf: (network, channel) => now.find((one) => one.network === network && one.channel === channel)?.room ?? null,
    channels: () => now,
    told: (network) => now.filter((one) => one.network === network),
    listen: (listener) => {
      heard.add(listener)
      return () => heard.delete(listener)
    },
  }
  const change = (...next: Told[]) => {
    now = next
    for (const listener of heard) listener()
  }
  return { bindings, change }
}

/** Delivers to a scripted network until the end of the test, from here on. */
const deliver = async (name: string, bindings: Bindings, network: Network) => {
  const over = new AbortController()
  const ledger = createLedger({ redis: parts.redis, prefix: parts.prefix })
  const running = deliverTo({ name, outlet: network.outlet, bindings, ledger }, parts, over.signal)
  for (const { network: of, channel, room } of bindings.told(name))
    await eventually(`${room} to be told to ${of}`, async () => {
      const { cursor } = await ledger.standing({ network: of, channel, room })
      return cursor !== null
    })
  const stop = async () => {
    over.abort()
    await running
  }
  return { stop, [Symbol.asyncDispose]: stop }
}

const say = async (room: string, id: string, text = id): Promise<void> => {
  must(await parts.store.append([roomDraft({ id, room, author: ADA, body: { event: 'message', text } })]))
}

const noted = async (room: string) => {
  const { entries } = must(await parts.store.query({ event: 'delivery-noted', order: 'oldest', limit: 1000 }))
  return entries.flatMap(({ id, body, tags }) =>
    body?.event === 'delivery-noted' && body.room === room ? [{ id, ...body, tags }] : [],
  )
}

test('what two networks cannot say is noted, and that the note could not be said either ends there', async () => {
  const { bindings } = bindingsOf(told('one', 'lobby'), told('two', 'lobby'))
  const networks = { one: createNetwork(), two: createNetwork() }
  let closed = true
  for (const { answers } of Object.values(networks)) answers.shift = () => (closed ? 'never' : 'sent')
  await using _one = await deliver('one', bindings, networks.one)
  await using _two = await deliver('two', bindings, networks.two)
  await say('lobby', 'first')
  await eventually('all of it to be noted', async () => (await noted('lobby')).length >= 4)
  closed = false
  await say('lobby', 'second')
  await eventually('the second to be said', () =>
    Object.values(networks).every(({ said }) => said.some(({ text }) => text === 'second')),
  )
  const notes = await noted('lobby')
  const of = (network: string) => notes.find((note) => note.network === network && note.post === 'first')?.id
  const isShown = ({ tags }: { tags: string[] }): boolean => tags.includes('room/lobby')
  expect(notes.map((note) => `${note.network} ${note.post} ${isShown(note)}`).sort()).toEqual(
    ['one first true', 'two first true', `one ${of('two')} false`, `two ${of('one')} false`].sort(),
  )
  expect([networks.one.said, networks.two.said].map((said) => said.map(({ text }) => text))).toEqual([
    ['second'],
    ['second'],
  ])
})

test('however much of a stream could not be said, it is known to have begun when Redis is lost', async () => {
  const { bindings } = bindingsOf(told('two', 'quiet', '#quiet'))
  const before = createNetwork()
  let free: (sent: Sent) => void = () => {}
  for (let i = 0; i < 60; i++) before.answers.push('never')
  before.answers.push(() => new Promise<Sent>((resolve) => (free = resolve)))
  await using _frozen = await deliver('two', bindings, before)
  for (let i = 0; i <= 60; i++) await say('quiet', `quiet-${i}`)
  await eventually('the last one to be in flight', () => before.tried.length === 61)
  await parts.redis.del(...(await house.redis.redis.keys(`${parts.prefix}:{delivery two #quiet quiet}*`)))
  const after = createNetwork()
  await using _next = await deliver('two', bindings, after)
  await eventually('what nobody knows of to be said again', () => after.said.some(({ text }) => text === 'quiet-60'))
  free({ kind: 'sent', ref: null })
  expect(after.said.at(-1)).toEqual({
    ref: 'r61',
    channel: '#quiet',
    text: 'quiet-60',
    key: '#quiet/quiet/quiet-60/0',
    again: true,
  })
})

test('what is no longer told and then told again is said once, also while something is on its way', async () => {
  const stream = told('one', 'porch', '#porch')
  const { bindings, change } = bindingsOf(stream)
  const network = createNetwork()
  let free: (sent: Sent) => void = () => {}
  network.answers.push(() => new Promise<Sent>((resolve) => (free = resolve)))
  await using _running = await deliver('one', bindings, network)
  await say('porch', 'porch-1', 'porch-1\nand more')
  await eventually('the first to be in flight', () => network.tried.length === 1)
  change()
  change(stream)
  await say('porch', 'porch-2')
  free({ kind: 'sent', ref: null })
  await eventually('the second to be said', () => network.said.some(({ text }) => text === 'porch-2'))
  expect(network.tried.map(({ text, again }) => [text, again])).toEqual([
    ['porch-1', false],
    ['and more', false],
    ['porch-2', false],
  ])
})

test('the rooms of a network are told that it is lost and back, by whichever process is on it, and nothing twice', async () => {
  const { bindings } = bindingsOf(told('one', 'lobby'))
  const notedStates: NetworkStanding['state'][] = []
  const ledger = createLedger({ redis: parts.redis, prefix: parts.prefix })
  const open = () =>
    networkPort({
      network: 'one',
      config: parts.config.networks['one'] as Parts['config']['networks'][string],
      parts,
      social: createSocial(parts, () => false),
      bindings,
      ledger,
      secret: 'secret',
      drop: () => {},
      note: async ({ state }) => void notedStates.push(state),
      signal: closing.signal,
    })
  const states = ['connecting', 'connected', 'lost', 'connecting', 'lost', 'connecting', 'connected', 'lost'] as const
  const toldOf = async () => {
    // Rooms are told by whoever is on the network.
    expect(await parts.networks.keep('one')).toBe(true)
    const { entries } = must(await parts.store.query({ event: 'network-noted', ephemeral: 'with', order: 'oldest' }))
    return entries.map(({ body, tags }) => [body?.event === 'network-noted' && body.state, tags])
  }
  expect(await toldOf()).toEqual([])
  const first = open()
  for (const state of states) first.report({ state, detail: '' })
  await eventually('the first to have told', async () => (await toldOf()).length === 3)
  const second = open()
  for (const state of ['connecting', 'connected'] as const) second.report({ state, detail: '' })
  await eventually('the second to have told', async () => (await toldOf()).length === 4)
  expect(await toldOf()).toEqual([
    ['lost', ['room/lobby']],
    ['connected', ['room/lobby']],
    ['lost', ['room/lobby']],
    ['connected', ['room/lobby']],
  ])
  expect(notedStates).toEqual([...states, 'connecting', 'connected'])
})

test('channels lead where people bound them to since, though the store could not be read for a while', async () => {
  const real = parts.store
  let broken = false
  const store: Parts['store'] = {
    ...real,
    query: async (filters) => {
      if (broken) throw new Error('the store is away')
      return real.query(filters)
    },
  }
  const bindings = await openBindings({ ...parts, store }, closing.signal)
  broken = true
  const begun = { event: 'thread-started', thread: 't-1', agent: 'claude-1', name: '', room: 'lobby' } as const
  const bound = { event: 'thread-bound', thread: 't-1', network: 'one', channel: '#flaky' } as const
  const draft = { room: 't-1', author: ADA }
  must(
    await real.append([
      roomDraft({ ...draft, id: 't-1.thread', body: { ...begun, mode: 'execute', from: null } }),
      roomDraft({ ...draft, id: 'b-1', body: bound }),
    ]),
  )
  await parts.live.next()
  broken = false
  await eventually('the channel to lead there', () => bindings.roomOf('one', '#FLAKY') === 't-1')
  expect(bindings.channels('one')).toEqual([
    { channel: '#team', room: 'lobby' },
    { channel: '#flaky', room: 't-1' },
  ])
})
