import { setTimeout } from 'node:timers/promises'

/** Asks until there is an answer: tests wait for a state, never for a time. This folder has all that it needs in itself. */
export const eventually = async <T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  ms = 60_000,
): Promise<T> => {
  const end = Date.now() + ms
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`)
    await setTimeout(10)
  }
}
