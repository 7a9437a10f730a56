import { setTimeout as sleep } from 'node:timers/promises'
import type { Once, Outlet, Piece, Sent, Spot } from '../../src/chat/outlet.ts'
import type { Post } from '../../src/shapes/post.ts'
import type { TurnView } from '../../src/shapes/turn-view.ts'

type Job = { key: string; spot: Spot; pieces: () => Piece<unknown>[] }

/**
 * A small delivery: each channel in order, a piece again until the network has it, cards changed where they are. It keeps
 * nothing, so that an outlet can be looked at without what the real one keeps.
 */
export const createDelivery = () => {
  const failed: { key: string; why: string }[] = []
  const lanes = new Map<string, Promise<void>>()
  const seen = new Set<string>()
  const refs = new Map<string, string>()
  const views = new Map<string, TurnView>()
  const over = new AbortController()
  let outlet: Outlet<unknown> | null = null

  const take = (job: Job): void => {
    const before = lanes.get(job.spot.channel) ?? Promise.resolve()
    lanes.set(
      job.spot.channel,
      before.then(() => work(job)),
    )
  }

  const work = async ({ key, spot, pieces }: Job): Promise<void> => {
    for (const [index, piece] of pieces().entries()) await say(spot, piece, `${key}.${index}`)
  }

  /** Until the network has it: once more after what can be tried again, marked where it may have been said. */
  const say = async (spot: Spot, piece: Piece<unknown>, key: string): Promise<void> => {
    let again = false
    for (let failures = 0; !over.signal.aborted; failures++) {
      const sent = await attempt(spot, piece, { key, again })
      if (sent.kind === 'sent') return
      if (sent.kind === 'never') return void failed.push({ key, why: sent.why })
      again ||= sent.kind === 'unsure'
      await pause(sent, failures, over.signal)
    }
  }

  const attempt = async (spot: Spot, { card, body }: Piece<unknown>, once: Once): Promise<Sent> => {
    if (!outlet) return { kind: 'later', why: 'there is no network yet' }
    if (card === null) return outlet.send(spot, body, once)
    const name = `${spot.channel} ${card}`
    const known = refs.get(name)
    const sent = await (known && outlet.edit ? outlet.edit(spot, known, body) : outlet.send(spot, body, once))
    if (sent.kind === 'gone') refs.delete(name)
    if (sent.kind === 'sent' && sent.ref !== null) refs.set(name, sent.ref)
    return sent
  }

  return {
    failed: failed as readonly { key: string; why: string }[],
    began: () => outlet !== null,
    begin: (by: Outlet<unknown>): void => {
      outlet = by
    },
    post: (post: Post, spot: Spot): void => {
      const key = `${post.position}.${spot.channel}`
      if (!outlet || seen.has(key)) return
      seen.add(key)
      const by = outlet
      take({ key, spot, pieces: () => by.pieces(post, spot) })
    },
    /** Of views that came while another was on its way, the last one is shown. */
    turn: (view: TurnView, spot: Spot): void => {
      const card = outlet?.card
      if (!card || !outlet?.edit) return
      const name = `turn ${view.turn} ${spot.channel}`
      views.set(name, view)
      const pieces = (): Piece<unknown>[] => {
        const latest = views.get(name)
        views.delete(name)
        return latest ? [{ card: `turn ${view.turn}`, body: card.of(latest) }] : []
      }
      take({ key: `${name} ${view.state} ${view.steps.taken}`, spot, pieces })
    },
    settled: async (): Promise<void> => {
      await Promise.all(lanes.values())
    },
    end: async (): Promise<void> => {
      over.abort()
      await Promise.all(lanes.values())
    },
  }
}

const pause = (sent: Sent, failures: number, signal: AbortSignal): Promise<unknown> => {
  if (sent.kind === 'gone') return Promise.resolve()
  const ms = sent.kind === 'later' && sent.afterMs !== undefined ? sent.afterMs : Math.min(500, 20 * 2 ** failures)
  return sleep(ms, undefined, { signal }).catch(() => null)
}
