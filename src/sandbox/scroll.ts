import { count } from '../lib/count.ts'

/** Text that comes in at one end and is taken at the other. Only the newest is kept, and how much was lost is said. */
export const createScroll = (most: number) => {
  let text = ''
  let lost = 0
  let open = true
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const go of waiting) go()
  }
  return {
    add: (more: string): void => {
      if (more === '') return
      const whole = text + more
      text = whole.length <= most ? whole : whole.slice(whole.length - most).replace(/^[\uDC00-\uDFFF]/, '')
      lost += whole.length - text.length
      wake()
    },
    /** Nothing more will come. */
    close: (): void => {
      open = false
      wake()
    },
    take: (): string => {
      const taken = lost === 0 ? text : `[${count(lost, 'character')} before this were dropped]\n${text}`
      text = ''
      lost = 0
      return taken
    },
    /** Waits until there is something to take, or nothing will come any more, or the time is over. */
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        if (text !== '' || !open) return resolve()
        const go = (): void => {
          clearTimeout(timer)
          waiting.delete(go)
          resolve()
        }
        const timer = setTimeout(go, ms)
        waiting.add(go)
      }),
  }
}
