import { createHmac } from 'node:crypto'
import { sameSecret } from '../lib/secret.ts'
import { answerTo } from '../registry/registry.ts'
import { PROTOCOL } from '../shapes/agent.ts'
import type { AgentGrant, Principal } from '../shapes/principal.ts'
import type { Refusal } from '../shapes/refusal.ts'
import { ok, type Result } from '../shapes/result.ts'
import { Capability, type Said, WIRE } from '../shapes/wire.ts'
import type { AgentsHouse, Objection, Reply } from './house.ts'
import { no } from './objection.ts'
import type { Roster } from './roster.ts'

/** What was agreed on by hello, before it is proved. */
export type Agreed = {
  principal: Principal
  grant: AgentGrant
  minor: number
  capabilities: ReadonlySet<Capability>
  peripherals: string[]
  nonce: string
  /** Whether it was here a moment ago: then nobody is told that it is. */
  back: boolean
}

/** Whom the connection was opened by; null for a stranger, who says it with hello. */
type Caller = {
  principal: Principal | null
  holder: string
  admit: (token: string) => ReturnType<AgentsHouse['admit']>
}

type Welcome = Extract<Reply, { type: 'welcome' }>
type Agreement = { ok: true; value: Agreed } | Objection

/** What an agent must be able to do: one that takes no work would leave it lying. */
const NEEDED: Capability = 'invoke'

/**
 * Who is there, speaking what, able to do what; and the proof of it. A program shows with the challenge that it has the
 * token itself, and this process vouches for it to the registry.
 */
export const createHandshake = ({ registry, secret, specs, seats, lease }: AgentsHouse, roster: Roster) => {
  /** hello: settles the version, the peripherals and the capabilities, and challenges. */
  const hello = async (said: Said<'hello'>, { principal, holder, admit }: Caller): Promise<Agreement> => {
    const known = await whoIs(said, principal, admit)
    if (!known.ok) return known
    const { grant } = known
    const agreed = agreeOn(said, grant, [...specs.keys()])
    if (!agreed.ok) return agreed
    const seat = await seats.at(known.principal)
    if (!seat.ok) return seat
    const { agent, type } = grant
    const back = await roster.makeRoom(agent)
    const { peripherals, capabilities, minor } = agreed
    const challenge = await registry.register({ id: agent, type, protocol: PROTOCOL, peripherals, holder })
    if (!challenge.ok) return withContext(challenge.refusal, lease.ms)
    const { nonce } = challenge.value
    return { ok: true, value: { principal: known.principal, grant, minor, capabilities, peripherals, nonce, back } }
  }

  /** ready: the nonce, answered with the token, and what the program saw when it looked. */
  const ready = async ({ answer, probes }: Said<'ready'>, agreed: Agreed, holder: string) => {
    const { principal, grant, nonce } = agreed
    const expected = createHmac('sha256', principal.token).update(nonce).digest('hex')
    if (!sameSecret(answer, expected))
      return no('credential-invalid', `the answer of ${grant.agent} is not the HMAC-SHA256 of the nonce with its token`)
    const seen = probes.length > 0 ? probes : [{ name: 'challenge', ok: true, detail: 'it was answered' }]
    return registry.prove({ id: grant.agent, holder, answer: answerTo(nonce, secret), probes: seen })
  }

  /** What a program is welcomed with: what was agreed on, and where it stands by the evidence. */
  const welcome = async (agreed: Agreed): Promise<Result<Welcome>> => {
    const { principal, grant, minor, capabilities, peripherals } = agreed
    const seat = await seats.at(principal)
    if (!seat.ok) return seat
    const { session, turn, spec, active } = seat.value
    return ok({
      type: 'welcome',
      protocol: `${WIRE.major}.${minor}`,
      agent: grant.agent,
      room: grant.room,
      peripherals,
      capabilities: [...capabilities],
      lease: { ms: lease.ms, ping_ms: lease.heartbeatMs },
      resumed: turn !== null,
      session_id: session,
      turn_id: turn,
      peripheral_id: active ? spec.id : null,
      tools: active ? [...spec.tools] : [],
    })
  }

  return { hello, ready, welcome }
}

/** Where another connection has the agent, it is said when to try again. */
const withContext = (why: Refusal, retry: number): Objection => ({
  ok: false,
  refusal: why,
  context: why.code === 'agent-taken' ? { retry_ms: retry } : {},
})

/** Whose token it is: that of the header, or the one said now; never two of them. */
const whoIs = async ({ token, agent }: Said<'hello'>, opened: Principal | null, admit: Caller['admit']) => {
  if (opened && token !== undefined && !sameSecret(token, opened.token))
    return no('unauthenticated', 'the token of hello is not that of the header')
  if (!opened && token === undefined)
    return no('unauthenticated', 'no token: neither in the Authorization header, nor in hello')
  const admitted = opened ? { ok: true as const, value: opened } : await admit(token ?? '')
  if (!admitted.ok) return admitted
  const { grant, person } = admitted.value
  if (!grant) return no('agents-only', `${person.name} is a person, and no agent`)
  if (agent !== undefined && agent !== grant.agent)
    return no('grant-exceeded', `the token is for ${grant.agent}, and not for ${agent}`)
  return { ok: true, principal: admitted.value, grant } as const
}

const agreeOn = (said: Said<'hello'>, grant: AgentGrant, configured: readonly string[]) => {
  const [major, theirs = 0] = said.protocol.split('.').map(Number)
  const speaks = `${WIRE.major}.${WIRE.minor}`
  if (major !== WIRE.major)
    return no('protocol-unsupported', `${said.protocol} is not spoken here; ${speaks} is`, { speaks })
  const may = grant.peripherals.filter((id) => configured.includes(id))
  const peripherals = may.filter((id) => said.peripherals?.includes(id) ?? true)
  if (peripherals.length === 0)
    return no('capabilities-missing', `the token is for ${may.join(', ')}, and hello offers none of them`, { may })
  const offers = Capability.options.filter((name) => said.capabilities?.[name] !== false)
  if (!offers.includes(NEEDED))
    return no('capabilities-missing', `an agent has to be able to ${NEEDED}`, { needed: [NEEDED] })
  return { ok: true, peripherals, capabilities: new Set(offers), minor: Math.min(theirs, WIRE.minor) } as const
}
