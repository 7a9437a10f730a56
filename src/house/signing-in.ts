import { principalOf } from '../doors/admit.ts'
import { enterWith } from '../operations/entering.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Social } from '../social/pipeline.ts'
import type { Parts } from './parts.ts'

/** What codes consist of. Tokens are longer, and have other characters. */
const CODE = /^[a-z\s-]{1,20}$/i

/** Who comes in on the page: with a token of a person, which they keep, or with a code, for which a token is made. */
export const signingIn =
  ({ store, people, clock }: Parts, social: Social) =>
  async (said: string, from: string): Promise<Result<string>> => {
    const known = await principalOf({ door: 'http', face: 'web', credential: { token: said, as: null } }, social)
    if (!known.ok) return CODE.test(said) ? enterWith(said, from, { store, people, now: clock }) : known
    const { grant, person } = known.value
    if (grant === null) return ok(said)
    return refused(refusal('grant-exceeded', `this page is for people; the token of ${person.name} is for an agent`))
  }
