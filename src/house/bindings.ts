import { setTimeout as sleep } from 'node:timers/promises'
import { boundThreads, watchedSince } from '../evidence/bindings.ts'
import { folded } from '../evidence/folded.ts'
import { follow } from '../evidence/follow.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import type { Parts } from './parts.ts'

/** What one channel is told of one room, and since which position; null where that is as old as the config. */
export type Told = { network: string; channel: string; room: string; since: number | null }

export type Bindings = Awaited<ReturnType<typeof openBindings>>

type Led = Told

/**
 * Which channels lead where: as the config says, and besides it the threads that people have bound to channels and the
 * rooms they watch, which follows from the evidence and is looked at again whenever that says something new.
 */
export const openBindings = async ({ store, live, config, log }: Parts, signal: AbortSignal) => {
  const configured: Led[] = Object.entries(config.networks).flatMap(([network, { channels }]) =>
    Object.entries(channels).map(([channel, room]) => ({ network, channel, room, since: null })),
  )
  const listeners = new Set<() => void>()
  const inTurn = oneAtATime()
  let led = configured
  let told = configured

  /** One after the other: what is read later is what holds. */
  const look = (): Promise<void> => inTurn('look', lookNow)

  const lookNow = async (): Promise<void> => {
    const bound = await Promise.all(
      Object.keys(config.networks).map(async (network) =>
        (await boundThreads(store, network)).map(({ channel, thread, since }) => ({
          network,
          channel,
          room: thread,
          since,
        })),
      ),
    )
    led = [...configured, ...bound.flat()]
    const watching = await Promise.all(
      led.map(async ({ network, channel, room }) =>
        (await watchedSince(store, room)).map(({ watched, since }) => ({ network, channel, room: watched, since })),
      ),
    )
    told = [...led, ...watching.flat()]
    for (const heard of [...listeners]) heard()
  }

  const keepLooking = async (event: 'thread-bound' | 'watch-set', after: number): Promise<void> => {
    let seen = after
    while (!signal.aborted) {
      try {
        for await (const { position } of follow(store, live, { filters: { event }, after: seen }, signal)) {
          await look()
          seen = position
        }
      } catch (error) {
        log.warn('bindings could not be looked at', { error: (error as Error).message })
        await sleep(AGAIN_MS, null, { signal }).catch(() => {})
      }
    }
  }

  const position = await store.head()
  await look()
  for (const event of ['thread-bound', 'watch-set'] as const) void keepLooking(event, position)

  return {
    roomOf: (network: string, channel: string): string | null =>
      led.find((one) => one.network === network && isSame(one.channel, channel))?.room ?? null,
    channels: (network: string): { channel: string; room: string }[] =>
      led.filter((one) => one.network === network).map(({ channel, room }) => ({ channel, room })),
    /** All that the channels of a network are told. */
    told: (network: string): Told[] => told.filter((one) => one.network === network),
    /** Hears of every change until the function that it answers is called. */
    listen: (heard: () => void): (() => void) => {
      listeners.add(heard)
      return () => listeners.delete(heard)
    },
  }
}

const AGAIN_MS = 1000

/** IRC has its channels in any letters. */
const isSame = (one: string, other: string): boolean => folded(one) === folded(other)
