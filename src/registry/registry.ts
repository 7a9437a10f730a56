import { createHmac } from 'node:crypto'
import { parseJson } from '../lib/parse-json.ts'
import { oneLine } from '../lib/plain.ts'
import { randomToken, sameSecret } from '../lib/secret.ts'
import type { Redis } from '../redis/redis.ts'
import {
  AgentType,
  type Challenge,
  PROTOCOL,
  Presence,
  type Probe,
  type Proof,
  Readiness,
  type Registration,
} from '../shapes/agent.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { GRANT, LAPSE, LEAVE, NOTE, REGISTER, REJECT, RENEW, STAND_DOWN, STAND_IN, SUCCEED } from './scripts.ts'

/** How long a challenge can be answered. */
const CHALLENGE_MS = 10_000

/** In characters. */
const ACTIVITY = 200

type Options = {
  redis: Redis
  prefix: string
  /** What a proof is made with: the secret of this instance. */
  secret: string
  leaseMs: number
  /** The peripherals this instance has: what an agent offers beyond them does not count. */
  peripherals: readonly string[]
}

/** What a move comes to. */
type Answer = 'ok' | 'handed-over' | RefusalCode

export type Registry = ReturnType<typeof createRegistry>

/** Answers a challenge: shows that whoever speaks for the agent knows this instance's secret. */
export const answerTo = (nonce: string, secret: string): string =>
  createHmac('sha256', secret).update(nonce).digest('hex')

/**
 * Who is here, and who has proved to be ready. Connected is not ready: an agent registers, is challenged, proves
 * itself with probes, and keeps a lease by heartbeats. A broken entry is shown as broken and stops nobody else.
 */
export const createRegistry = ({ redis, prefix, secret, leaseMs, peripherals }: Options) => {
  const index = `${prefix}:agents`
  const keys = (id: string) => ['record', 'challenge', 'lease', 'next'].map((part) => `${prefix}:{agent:${id}}:${part}`)
  const run = async (script: string, id: string, ...args: (string | number)[]): Promise<Answer> =>
    (await redis.eval(script, 4, ...keys(id), ...args)) as Answer
  const move = async (script: string, id: string, ...args: (string | number)[]): Promise<Result<null>> => {
    const answer = await run(script, id, ...args)
    return answer === 'ok' || answer === 'handed-over' ? ok(null) : refusedAs(answer, id)
  }

  const presence = async (id: string): Promise<Presence> => {
    const [record, , lease] = keys(id)
    const fields = await redis.hgetall(record ?? '').catch((): Record<string, string> => ({ type: 'unreadable' }))
    return read(id, fields, (await redis.exists(lease ?? '')) === 1)
  }

  /** Those that are said to be ready and have no lease: of many agents hardly any, so all are looked at in one go. */
  const leaseless = async (ids: readonly string[]): Promise<string[]> => {
    const looks = ids.map(async (id) => {
      const [record = '', , lease = ''] = keys(id)
      const [readiness, leased] = await Promise.all([redis.hget(record, 'readiness'), redis.exists(lease)])
      return readiness === 'ready' && leased === 0
    })
    // One that cannot be read hides nobody else.
    const found = await Promise.allSettled(looks)
    return ids.filter((_id, i) => found[i]?.status === 'fulfilled' && found[i].value)
  }

  /** What keeps somebody from standing in: it has no challenge of its own, so what it answers to is its own name. */
  const mayStandIn = (id: string, holder: string, answer: string, probes: readonly Probe[]): Result<null> | null => {
    if (!sameSecret(answer, answerTo(holder, secret)))
      return refused(refusal('credential-invalid', `${id} is not spoken for with this instance's secret`))
    const reason = reasonOf(probes)
    return reason === '' ? null : refused(refusal('probe-failed', `${id} is not ready: ${reason}`))
  }

  /** What comes of a proof by somebody who knows the secret: a lease, or that it is not ready, and why. */
  const settle = async (proof: Omit<Proof, 'answer'>, nonce: string): Promise<Result<Presence>> => {
    const { id, holder, probes, activity = '' } = proof
    const reason = reasonOf(probes)
    const moved =
      reason === ''
        ? await move(GRANT, id, holder, nonce, leaseMs, oneLine(activity, ACTIVITY))
        : await move(REJECT, id, holder, nonce, reason)
    if (!moved.ok) return moved
    if (reason !== '') return refused(refusal('probe-failed', `${id} is not ready: ${reason}`))
    return ok(await presence(id))
  }

  return {
    register: async ({
      id,
      type,
      protocol,
      peripherals: offered,
      holder,
    }: Registration): Promise<Result<Challenge>> => {
      if (protocol !== PROTOCOL) {
        return refused(
          refusal('protocol-unsupported', `${id} speaks protocol ${protocol}; this Bellhop speaks ${PROTOCOL}`),
        )
      }
      const agreed = offered.filter((peripheral) => peripherals.includes(peripheral))
      if (agreed.length === 0) {
        return refused(
          refusal(
            'capabilities-missing',
            `${id} offers ${offered.join(', ')}; needed is one of ${peripherals.join(', ')}`,
          ),
        )
      }
      const nonce = randomToken()
      await redis.sadd(index, id)
      const moved = await move(REGISTER, id, holder, type, JSON.stringify(agreed), nonce, CHALLENGE_MS)
      return moved.ok ? ok({ nonce, protocol: PROTOCOL, peripherals: agreed }) : moved
    },

    prove: async ({ id, holder, answer, probes, activity }: Proof): Promise<Result<Presence>> => {
      const [challenged = '', nonce = ''] = (await redis.get(keys(id)[1] ?? ''))?.split(' ') ?? []
      if (nonce === '') return refused(refusal('challenge-stale', `${id} has no open challenge`))
      // Whoever registered since then is challenged: that says nothing of who knows the secret.
      if (challenged !== holder) return refusedAs('challenge-stale', id)
      if (!sameSecret(answer, answerTo(nonce, secret))) {
        return refused(refusal('credential-invalid', `${id} did not answer the challenge with this instance's secret`))
      }
      return settle({ id, holder, probes, activity }, nonce)
    },

    heartbeat: (id: string, holder: string): Promise<Result<null>> => move(RENEW, id, holder, leaseMs),
    /** Keeps what an agent says that it is doing: a line of plain text; nothing, where there is nothing to say. */
    note: (id: string, holder: string, activity: string): Promise<Result<null>> =>
      move(NOTE, id, holder, oneLine(activity, ACTIVITY)),
    /** Gives a lease back; where another process stands in, it has it from here on, and the agent stays ready. */
    leave: async (id: string, holder: string): Promise<Result<'left' | 'handed-over'>> => {
      const answer = await run(LEAVE, id, holder, leaseMs, 'leave')
      if (answer === 'handed-over') return ok('handed-over')
      return answer === 'ok' ? ok('left') : refusedAs(answer, id)
    },
    /** Hands a lease over where another process stands in, and keeps it where none does; answers whether it did. */
    handOver: async (id: string, holder: string): Promise<boolean> =>
      (await run(LEAVE, id, holder, leaseMs, 'stay')) === 'handed-over',
    /**
     * Says that a process could speak for an agent that another one speaks for: it has looked at it, and it works here, too.
     * It is the one that the lease is handed over to. Said again before it is over, it stays so.
     */
    standIn: async ({ id, holder, answer, probes }: Proof): Promise<Result<null>> =>
      mayStandIn(id, holder, answer, probes) ?? move(STAND_IN, id, holder, leaseMs),
    /** Takes that back: nothing is handed over to a process that ends. */
    standDown: (id: string, holder: string): Promise<Result<null>> => move(STAND_DOWN, id, holder),
    /** Takes a lease over from a process that is gone. */
    succeed: async ({ id, holder, answer, probes }: Proof, gone: string): Promise<Result<null>> =>
      mayStandIn(id, holder, answer, probes) ?? move(SUCCEED, id, holder, leaseMs, gone),
    presence,
    /** Which process speaks for the agent; null when none does. */
    holderOf: (id: string): Promise<string | null> => redis.get(keys(id)[2] ?? ''),

    /** Everybody who ever registered here, by id. */
    who: async (): Promise<Presence[]> => Promise.all((await redis.smembers(index)).sort().map(presence)),

    /** The agents whose lease ran out since somebody last looked, each told once in all processes. */
    lapsed: async (): Promise<Presence[]> => {
      const ids = await leaseless(await redis.smembers(index))
      const moved = await Promise.all(ids.map((id) => move(LAPSE, id).catch(() => null)))
      return Promise.all(ids.filter((_id, i) => moved[i]?.ok).map(presence))
    },
  }
}

/** Why an agent is not ready, by what was seen when it was looked at; nothing where it is. */
export const reasonOf = (probes: readonly Probe[]): string =>
  probes
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}: ${detail}`)
    .join('; ')

const refusedAs = (code: RefusalCode, id: string) => refused(refusal(code, sentences[code]?.(id) ?? `${id}: ${code}`))

const sentences: Partial<Record<RefusalCode, (id: string) => string>> = {
  'agent-taken': (id) => `${id} is held by another process`,
  'challenge-stale': (id) => `the challenge of ${id} is used up or too old`,
  'lease-lapsed': (id) => `${id} holds no lease`,
}

/** A row of who is here; what cannot be read is shown as broken. Ready only while the lease is held. */
const read = (id: string, fields: Record<string, string>, leased: boolean): Presence => {
  if (Object.keys(fields).length === 0)
    return { id, type: null, readiness: 'absent', peripherals: [], reason: 'it has not registered' }
  const parsed = Presence.safeParse({
    id,
    type: AgentType.safeParse(fields['type']).data,
    readiness: Readiness.safeParse(fields['readiness']).data,
    peripherals: parseJson(fields['peripherals'] ?? ''),
    reason: fields['reason'] || null,
  })
  if (!parsed.success)
    return { id, type: null, readiness: 'broken', peripherals: [], reason: 'its entry cannot be read' }
  const { data } = parsed
  if (data.readiness !== 'ready') return data
  if (!leased) return { ...data, readiness: 'lapsed' }
  return fields['activity'] ? { ...data, activity: fields['activity'] } : data
}
