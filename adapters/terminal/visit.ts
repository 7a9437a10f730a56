import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatPort, Ears, From } from '../../src/chat/port.ts'
import type { Post, Progress } from '../../src/shapes/post.ts'
import { createLive } from './live.ts'
import type { Screen } from './screen.ts'
import { notice, show, warning } from './translate.ts'

type Options = { port: ChatPort; room: string; after: number; screen: Screen; over: AbortSignal }

/** A time in a room: from where it is read, and what was seen of it; what the person said there, which is not shown again. */
type Stay = { room: string; entered: boolean; from: From; seen: number; own: Set<string>; gone: AbortController }

/** How much of what was said before is shown where one goes. */
const LAST = 20

/** Where one is: it is read along there, and nowhere else. One can go to another room, and back again. */
export const createVisit = ({ port, room, after, screen, over }: Options) => {
  const left: Stay[] = []
  let here = { ...stayIn(room, after, after), entered: true }
  const follow = (stay: Stay, arrive: () => void): Promise<void> =>
    keepFollowing(stay, { port, screen, arrive }, AbortSignal.any([over, stay.gone.signal]))

  /** Until one is there, or was told why not: then one is where one was. */
  const goTo = (next: Stay, onArrival: () => void): Promise<void> =>
    new Promise((done) => {
      const arrive = () => {
        here.gone.abort()
        onArrival()
        here = next
        screen.enter(next.room, notice(`you are in ${next.room}`, screen.look()))
        done()
      }
      void follow(next, arrive).finally(done)
    })

  return {
    room: () => here.room,
    own: () => here.own,
    begin: (): void => void follow(here, () => {}),
    enter: async (place: string): Promise<void> => {
      if (place !== here.room) await goTo(stayIn(place, { tail: LAST }), () => left.push(here))
    },
    /** Back to where one was before; what was seen there is not shown again. */
    leave: async (): Promise<void> => {
      const before = left.at(-1)
      if (!before) return warn(screen, `you are in ${here.room}, where you began: /quit ends it for everybody`)
      await goTo(stayIn(before.room, { tail: LAST }, before.seen), () => left.pop())
    },
  }
}

const stayIn = (room: string, from: From, seen = 0): Stay => ({
  room,
  entered: false,
  from,
  seen,
  own: new Set(),
  gone: new AbortController(),
})

type Following = { port: ChatPort; screen: Screen; arrive: () => void }

/** Reads a room until the signal ends it, and begins again where it was lost; not where one never got in. */
const keepFollowing = async (stay: Stay, { port, screen, arrive }: Following, gone: AbortSignal): Promise<void> => {
  const ears = createEars(stay, screen, arrive)
  let failures = 0
  while (!gone.aborted) {
    const before = stay.seen
    const lost = await port.follow(stay.room, stay.from, ears, gone).then(() => null, reason)
    if (gone.aborted) return
    if (lost !== null && !stay.entered) return warn(screen, lost)
    if (stay.seen > before) failures = 0
    if (lost !== null && failures === 0) warn(screen, `lost the room (${lost}): trying again`)
    await pause(failures++, gone)
  }
}

const warn = ({ print, look }: Screen, text: string): void => print(warning(text, look()))

/** Hears a room: what is new of it is printed, and what is being written stands above the prompt until it is whole. */
const createEars = (
  stay: Stay,
  { terminal, print, show: showLive, look, liveRows }: Screen,
  arrive: () => void,
): Ears => {
  const live = createLive()
  /** What steps that still run were asked. */
  const calls = new Map<string, string>()
  const rows = () => live.rows(look(), liveRows())

  const open = (): void => {
    if (!stay.entered) arrive()
    stay.entered = true
    live.lose()
    showLive(rows())
  }
  const post = (post: Post): void => {
    if (stay.gone.signal.aborted || post.position <= stay.seen) return
    stay.seen = post.position
    stay.from = post.position
    live.post(post)
    if (stay.own.has(post.id)) return
    if (post.kind === 'step' && post.step?.state === 'running') return void calls.set(post.step.id, post.text)
    print(show(post, look(), post.step && calls.get(post.step.id)), rows())
    if (post.kind === 'step' && post.step) calls.delete(post.step.id)
  }
  const progress = (progress: Progress): void => {
    if (stay.gone.signal.aborted) return
    live.progress(progress)
    showLive(rows())
  }
  return terminal ? { open, post, progress } : { open, post }
}

export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const pause = (failures: number, signal: AbortSignal): Promise<unknown> =>
  sleep(Math.min(5000, 100 * 2 ** failures), undefined, { signal }).catch(() => null)
