import { houseDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import { entryOfCode } from '../../src/operations/pairing.ts'
import { must } from './store.ts'

/** People whom the config knows by an account on IRC; nothing here connects to it. */
export const KNOWN = `
networks:
  libera: { kind: irc, host: irc.example.org, channels: { "#team": lobby } }
people:
  ada: { role: operator, accounts: [libera/ada] }
  grace: { role: operator, accounts: [libera/grace] }
  root: { role: admin, accounts: [libera/root] }
`

let made = 0

/** A code as somebody has got it who said /pair on IRC: the store has its hash, and by which account it was asked for. */
export const codeFor = async (store: Store, person: 'ada' | 'grace' | 'root'): Promise<string> => {
  made += 1
  const code = `codea-${String.fromCharCode(97 + made).repeat(5)}`
  const expires = new Date(Date.now() + 600_000).toISOString()
  const body = { event: 'pair-offered', person, role: 'viewer', expires } as const
  const author = { kind: 'person', id: person, face: 'irc', via: `libera/${person}` } as const
  must(await store.append([houseDraft(entryOfCode(code), body, [], author)]))
  return code
}
