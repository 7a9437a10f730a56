import type { Verdict } from '../shapes/verdict.ts'
import type { Engine } from './engine/engine.ts'
import { type FilesVerdict, judgeFiles, type ReadState } from './files.ts'
import { createReading, type Reading } from './reading.ts'
import { createWalls } from './walls.ts'

type Source = { engine: Engine }

/** As many sessions as are kept in mind; one that was forgotten is read again from its beginning. */
const KEPT = 128

/** Verifies sessions again and again as they go on: of each, only what is new is read. */
export const createChecker = ({ engine }: Source) => {
  const learnt = createWalls({ engine })
  const readings = new Map<string, Reading>()

  const keep = (session: string, reading: Reading): Reading => {
    readings.delete(session)
    readings.set(session, reading)
    const [oldest] = readings.keys()
    if (readings.size > KEPT && oldest !== undefined) readings.delete(oldest)
    return reading
  }

  const fresh = (session: string): Reading => keep(session, createReading({ engine }, session, learnt))

  return {
    check: async (session: string): Promise<Verdict> => {
      const known = readings.get(session)
      const verdict = known && (await keep(session, known).verdict())
      // What is found to be wrong is looked at again from the beginning: the store may be another than it was.
      return verdict?.ok ? verdict : fresh(session).verdict()
    },
    /** Holds the files that a session wrote last against what they are. */
    files: async (session: string, read: ReadState): Promise<FilesVerdict> => {
      const known = readings.get(session)
      const written = await (known ? keep(session, known) : fresh(session)).written()
      return judgeFiles(engine, session, written, read)
    },
  }
}

/** Holds the files that a session wrote last against what they are, from the beginning of its chain. */
export const verifyFiles = ({ engine }: Source, session: string, read: ReadState): Promise<FilesVerdict> =>
  createChecker({ engine }).files(session, read)
