import type { Entry } from '../shapes/evidence.ts'
import type { Feed } from './feed.ts'
import type { Live } from './live.ts'

type Ear = Pick<Live, 'next'>

/**
 * Reads a part of the store, and is woken only by what is written in that part: else everybody who follows a room would look
 * whenever anything is said anywhere. The feed looks again by itself where it hears nothing.
 */
export async function* near<T>(
  feed: Pick<Feed, 'listen'>,
  concerns: (entry: Entry) => boolean,
  read: (ear: Ear) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  let due = false
  let wake = () => {}
  const leave = await feed.listen((entry) => {
    if (!concerns(entry)) return
    due = true
    wake()
  })
  const next = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        signal?.removeEventListener('abort', end)
        wake = () => {}
        due = false
        resolve()
      }
      signal?.addEventListener('abort', end)
      wake = end
      // What came since the last time was heard.
      if (due || signal?.aborted) end()
    })
  try {
    yield* read({ next })
  } finally {
    leave()
    wake()
  }
}

export const ofRoom =
  (room: string) =>
  ({ tags }: Entry): boolean =>
    tags.includes(`room/${room}`)

export const ofSession =
  (session: string) =>
  (entry: Entry): boolean =>
    entry.session === session
