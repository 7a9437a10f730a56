import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'
import { readLeniently } from '../shapes/lenient.ts'
import { Progress } from '../shapes/post.ts'

/** How often a step is shown anew while it runs, and how much of what it said last. */
const EVERY_MS = 250
const SHOWN = 2000

type Options = {
  redis: Redis
  prefix: string
  /** Takes the secrets out of a text: what is shown live is no less read than what is kept. */
  redact: (text: string) => string
}

/** The name of a message that an agent is writing. */
const MESSAGE = /\.said-\d+$/

/** What steps say while they run, for whoever looks on: nothing of it is kept. */
export const createProgress = ({ redis, prefix, redact }: Options) => {
  const channel = `${prefix}:progress`
  const lately = new Map<string, { text: string; timer: NodeJS.Timeout }>()
  const listeners = new Set<(progress: Progress) => void>()
  let subscriber: Redis | null = null

  const publish = (progress: Omit<Progress, 'text'>): void => {
    const said = lately.get(progress.step)
    lately.delete(progress.step)
    if (!said) return
    redis.publish(channel, JSON.stringify({ ...progress, text: redact(said.text) })).catch(() => {})
  }

  const subscribe = (): Redis => {
    const ear = redis.duplicate()
    ear.on('error', () => {})
    ear.on('message', (_channel, message) => {
      const progress = read(message)
      if (progress) for (const heard of [...listeners]) heard(progress)
    })
    ear.subscribe(channel).catch(() => {})
    return ear
  }

  return {
    /** Adds to what a step has said; shown in a moment, together with what comes until then. */
    say: ({ text, ...progress }: Progress): void => {
      const before = lately.get(progress.step)
      // Of a program, the last is enough; of what an agent is writing, nothing may be missing.
      if (before && MESSAGE.test(progress.step) && before.text.length + text.length > SHOWN) {
        clearTimeout(before.timer)
        publish(progress)
      }
      const said = lately.get(progress.step)
      const timer = said?.timer ?? setTimeout(() => publish(progress), EVERY_MS).unref()
      lately.set(progress.step, { text: `${said?.text ?? ''}${text}`.slice(-SHOWN), timer })
    },
    /** Hears all of it until the function that it answers is called. */
    listen: (heard: (progress: Progress) => void): (() => void) => {
      subscriber ??= subscribe()
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    close: (): void => subscriber?.disconnect(),
  }
}

/** What is on the channel is not trusted: anybody who reaches Redis can say something there. */
const read = (message: string): Progress | null => readLeniently(Progress, parseJson(message))
