import { join } from 'node:path'
import type { TurnRecord } from '../evidence/store.ts'
import { createLibrary } from '../patterns/library.ts'
import type { Workshop } from '../peripherals/workshop.ts'
import type { Patterns } from '../shapes/pattern.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { reachOf } from '../workspace/scope.ts'
import type { Parts } from './parts.ts'

const made = ({ store, clock, config, settings, roomMode }: Parts) =>
  createLibrary({
    store,
    clock,
    ...config.patterns,
    ours: join(settings.root, 'config', 'patterns'),
    roomMode,
  })

/** The library of patterns, as steps see it. */
export const libraryOf = (parts: Parts): Workshop['library'] => made(parts).at

/** The patterns as people see them: what the peripheral shows that they are for. */
export const patternsFor =
  (parts: Parts) =>
  (query: string | null, mayLook: (room: string) => Promise<boolean>): Promise<Patterns> => {
    const scope = parts.specs.get('discipline')?.scope
    const shows = scope ? reachOf(scope).mayRead : () => false
    return made(parts).seen({ workspace: parts.workspace, shows }, query, mayLook)
  }

/** What an agent is told of patterns for a turn: nothing where it could not read them. */
export const hintsFor =
  (parts: Parts, turn: TurnRecord, spec: PeripheralSpec) =>
  async (request: string): Promise<{ line: string; from: string[] }[]> => {
    if (!spec.tools.includes('pattern-read')) return []
    const { workspace } = await parts.places.inTurn(turn.agent, turn.id)
    return made(parts).hints({ workspace, shows: reachOf(spec.scope).mayRead }, turn.room, request)
  }
