import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { RoomMode } from '../shapes/room.ts'
import { closedTo } from '../tools/gate.ts'
import { fruitOf } from './fruit.ts'
import type { Ledgers } from './ledgers.ts'

/** `tree` answers what there is where a session works. */
type Options = { ledgers: Pick<Ledgers, 'of'>; tree: (session: string) => Promise<string> }

/** Who asked, and in which mode the room is by now; nobody where the message has just been judged by both. */
type Asker = { role: Role; mode: RoomMode }

/** How a peripheral was let in, or why it was not. */
export type Entered = { ok: true; entry: 'user-request' | 'tests-passed' } | { ok: false; refusal: Refusal }

/**
 * Whether a turn may begin in a peripheral: because a person may ask for it, or because of what is true of the session.
 * It is asked on every start, whatever the face: when the message comes in, and again when the work begins.
 */
export const createEntering = (options: Options) => {
  return async (spec: PeripheralSpec, session: string | null, asker: Asker | null = null): Promise<Entered> => {
    const closed = asker && closedTo(spec, asker)
    if (closed) return { ok: false, refusal: closed }
    if (spec.entry.includes('user-request')) return { ok: true, entry: 'user-request' }
    const lacks = spec.entry.includes('tests-passed') ? await untested(options, session) : null
    if (lacks === '') return { ok: true, entry: 'tests-passed' }
    const from = spec.entry.filter((way) => way.startsWith('from-')).map((way) => way.slice('from-'.length))
    const tested = lacks === null ? '' : `, or once tests have passed: ${lacks}`
    return { ok: false, refusal: refusal('entry-refused', `${spec.id} is entered from ${from.join(' or ')}${tested}`) }
  }
}

/** What the tests of a session lack; an empty text where they passed on what is there now. */
const untested = async ({ ledgers, tree }: Options, session: string | null): Promise<string> => {
  const tested = session === null ? null : (await ledgers.of(session)).tested
  const tests = tested && fruitOf(tested).tests
  if (!tests || tests.result === 'none') return 'none were run since the last change'
  if (tests.result !== 'pass') return `they say: ${tests.result}`
  return session !== null && tests.tree === (await tree(session))
    ? ''
    : 'the workspace is not what it was when they passed'
}
