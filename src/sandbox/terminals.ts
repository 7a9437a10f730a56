import { count } from '../lib/count.ts'
import type { Ended, Job } from './job.ts'
import { startTerminal, type Terminal } from './terminal.ts'

/** The terminals of a session, by name. */
export type SessionTerminals = {
  start: (name: string, job: Omit<Job, 'said'>) => Promise<{ ok: true } | { ok: false; why: string }>
  /** What it has said since it was last read, and whether it has ended; null where there is none of that name. */
  read: (name: string, waitMs: number) => Promise<{ output: string; ended: Ended | null; exit: number | null } | null>
  write: (name: string, text: string) => Promise<boolean>
  /** Ends it and forgets its name; false where there is none. */
  stop: (name: string) => Promise<boolean>
  names: () => string[]
}

/** By name, from the moment they are being started; a sentence where they could not be. */
type Named = Map<string, Promise<Terminal | string>>

/** The terminals of all sessions. They end with what is ended here, and with this process, however that ends. */
export const createTerminals = () => {
  const sessions = new Map<string, Named>()
  return {
    of: (session: string): SessionTerminals => {
      const named: Named = sessions.get(session) ?? new Map()
      sessions.set(session, named)
      return terminalsOf(named)
    },
    /** The sessions that have terminals, also such as have ended and were not read to the end. */
    sessions: (): string[] => [...sessions].filter(([, named]) => named.size > 0).map(([id]) => id),
    /** Ends the terminals of a session, or all there are. */
    endAll: async (session?: string): Promise<void> => {
      const ending = [...sessions].filter(([id]) => session === undefined || id === session)
      const terminals = ending.flatMap(([, named]) => [...named.values()])
      for (const [, named] of ending) named.clear()
      await Promise.all(terminals.map(end))
    },
  }
}

const MOST_TERMINALS = 8

const terminalsOf = (named: Named): SessionTerminals => {
  const find = async (name: string): Promise<Terminal | null> => {
    const terminal = await named.get(name)
    return terminal === undefined || typeof terminal === 'string' ? null : terminal
  }
  return {
    start: async (name, job) => {
      const before = named.get(name)
      const running = (await find(name))?.ending() === null
      if (running || named.get(name) !== before) return no(`${name} is running: stop it first`)
      if (before === undefined && named.size >= MOST_TERMINALS)
        return no(`${count(named.size, 'terminal')} are open: stop one first`)
      const starting = startTerminal(job)
      named.set(name, starting)
      const started = await starting
      if (typeof started !== 'string') return { ok: true }
      if (named.get(name) === starting) named.delete(name)
      return no(started)
    },
    read: async (name, waitMs) => {
      const terminal = await find(name)
      if (terminal === null) return null
      await terminal.wait(waitMs)
      const { ended, exit } = terminal.ending() ?? { ended: null, exit: null }
      return { output: terminal.read(), ended, exit }
    },
    write: async (name, text) => (await find(name))?.write(text) ?? false,
    stop: async (name) => {
      const terminal = named.get(name)
      if (terminal === undefined) return false
      named.delete(name)
      await end(terminal)
      return true
    },
    names: () => [...named.keys()],
  }
}

const end = async (starting: Promise<Terminal | string>): Promise<void> => {
  const terminal = await starting
  if (typeof terminal !== 'string') await terminal.stop()
}

const no = (why: string) => ({ ok: false, why }) as const
