import { houseDraft } from '../evidence/drafts.ts'
import { hashOfToken, mintDraft, newToken } from '../evidence/tokens.ts'
import { mayAct, type Role } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Context } from './operation.ts'
import { entryOfCode, offerIn, usedIn } from './pairing.ts'
import { createTries } from './tries.ts'

type Known = Pick<Context, 'store' | 'people' | 'now'>

const DAYS = 30
const DAY_MS = 86_400_000

/** Wrong codes from one address, for as long as codes hold. */
const wrong = createTries({ most: 20, ms: 600_000 })

/**
 * Who said /pair where they are known comes in on the web with the code: a token is made for them, as what they are and
 * never as more than an approver. A code is used once, whether that is here or as another account.
 */
export const enterWith = async (code: string, from: string, { store, people, now }: Known): Promise<Result<string>> => {
  if (wrong.isOver(from, now())) return refused(refusal('pair-unknown', 'too many wrong codes: wait ten minutes'))
  const entry = entryOfCode(code)
  const offered = await offerIn(entry, { store, now })
  if (!offered) {
    wrong.count(from, now())
    return refused(refusal('pair-unknown', 'there is no such code, or it was used, or its time is up'))
  }
  const { person, role: given } = offered
  const token = newToken()
  const role = capped((await people.roleIn(person, { room: null, network: null })) ?? given)
  const expires = new Date(now() + DAYS * DAY_MS).toISOString()
  const wish = {
    hash: hashOfToken(token),
    grant: { kind: 'person', name: person, role },
    label: LABEL,
    expires,
  } as const
  const text = `${person} signed in on the web`
  const used = { ...houseDraft(usedIn(entry), { event: 'concluded', text }, []), inReplyTo: entry }
  const written = await store.append([used, mintDraft(wish)])
  return written.ok ? ok(token) : refused(refusal('pair-unknown', 'somebody else has used that code just now'))
}

const LABEL = 'signed in on the web'

const capped = (role: Role): Role => (mayAct(role, 'approver') ? 'approver' : role)
