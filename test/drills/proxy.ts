import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Chance } from './chance.ts'

/**
 * What a network does to what goes through it: `through` passes it on; `cut` ends what is there and lets nobody in;
 * `hole` lets everybody in and passes nothing on, in neither direction; `slow` passes it on after a while.
 */
export type Weather = 'through' | 'cut' | 'hole' | 'slow'

const SLOWEST = [50, 200] as const

/** A network of our own between two processes, that a drill can break. */
export const startProxy = async (to: { path: string } | { port: number }, chance: Chance) => {
  const pairs = new Set<{ near: Socket; far: Socket }>()
  let weather: Weather = 'through'
  /** Those between whom nothing ever goes again. */
  const stranded = new Set<{ near: Socket; far: Socket }>()

  /** Every end of what goes through it. */
  const ends = (): Socket[] => [...pairs].flatMap(({ near, far }) => [near, far])

  const join = (near: Socket): void => {
    const far = dial('path' in to ? { path: to.path } : { port: to.port, host: '127.0.0.1' })
    const pair = { near, far }
    pairs.add(pair)
    const over = (): void => {
      pairs.delete(pair)
      // Who is in a hole does not hear either that the other one has gone.
      if (weather === 'hole' || stranded.has(pair)) return
      near.destroy()
      far.destroy()
    }
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true)
      carry(from, into)
      from.on('error', over)
      from.on('close', over)
    }
    if (weather === 'hole') for (const socket of [near, far]) socket.pause()
  }
  const server = createServer((near) => (weather === 'cut' ? void near.resetAndDestroy() : join(near)))

  /** Passes on what comes, in its order. */
  const carry = (from: Socket, into: Socket): void => {
    let due = 0
    from.on('data', (chunk) => {
      if (weather !== 'slow' && Date.now() >= due) return void into.write(chunk)
      due = Math.max(due, Date.now() + chance.between(...SLOWEST))
      setTimeout(() => into.write(chunk), due - Date.now())
    })
  }

  const reset = (): void => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo

  return {
    port,
    weather: (next: Weather): void => {
      weather = next
      for (const end of ends()) {
        if (next === 'hole') end.pause()
        else end.resume()
      }
      if (next === 'cut') reset()
    },
    /** Breaks every connection there is; the next one is made as if nothing had been. */
    reset,
    /** A machine that is gone, and another one in its place: no connection there is hears of anything again, new ones are fine. */
    strand: (): void => {
      for (const end of ends()) end.pause()
      for (const pair of pairs) stranded.add(pair)
      pairs.clear()
    },
    close: async (): Promise<void> => {
      for (const end of [...ends(), ...[...stranded].flatMap(({ near, far }) => [near, far])]) end.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

export type Between = Awaited<ReturnType<typeof startProxy>>

/** The socket of a PostgreSQL, and its address for whoever comes through such a network. */
export const socketOf = (url: string): string => join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432')

export const overTcp = (url: string, port: number): string => {
  const through = new URL(url)
  through.searchParams.delete('host')
  through.hostname = '127.0.0.1'
  through.port = String(port)
  return through.href
}
