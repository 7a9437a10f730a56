import { BELLHOP, roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Author, Draft } from '../../src/shapes/evidence.ts'

/** Numbers that are the same in every run. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 9) % below
  }
}

const COMMON =
  'the retry handler takes the oldest entry of a queue and gives it back when the lease of its worker has lapsed so that nothing is lost'.split(
    ' ',
  )
const RARE = 50_000

/** Steps of many sessions, as a house would write them over months: of about 600 bytes, with paths, replies and words. */
export const createRows = (seed = 7) => {
  const random = createRandom(seed)
  let made = 0
  const text = () =>
    Array.from({ length: 45 }, () => (random(10) === 0 ? `word${random(RARE)}` : COMMON[random(COMMON.length)])).join(
      ' ',
    )

  const step = (n: number): Draft => {
    const session = `s-${Math.floor(n / 200)}`
    const agent = ['claude-1', 'codex-1', 'tickle-1'][n % 3] ?? 'claude-1'
    const author: Author = { kind: 'agent', id: agent, face: 'rehearsal', via: null }
    const outcome =
      random(20) === 0
        ? ({ kind: 'failed', message: text() } as const)
        : { kind: 'ok' as const, output: text(), paths: [`src/part${random(40)}/file${random(50)}.ts`], cut: null }
    return sessionDraft({
      id: `e${n}`,
      session,
      room: `room-${n % 5}`,
      agent,
      author,
      body: {
        event: 'step-ended',
        turn: `t${n}`,
        step: `t${n}.0`,
        tool: ['read', 'grep', 'glob'][random(3)] ?? 'read',
        outcome,
      },
      tags: ['peripheral/explore'],
      // A reply to the one before it in its session: chains as long as a session.
      ...(n % 200 === 0 ? {} : { inReplyTo: `e${n - 1}` }),
    })
  }

  const line = (n: number): Draft =>
    roomDraft({ id: `e${n}`, room: `room-${n % 5}`, author: BELLHOP, body: { event: 'message', text: text() } })

  return {
    /** The next rows; one in a thousand is a line in a room. */
    next: (count: number): Draft[] =>
      Array.from({ length: count }, () => {
        const n = made++
        return n % 1000 === 999 ? { ...line(n), session: `s-${Math.floor(n / 200)}` } : step(n)
      }),
  }
}
