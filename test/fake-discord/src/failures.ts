import type { Failure, RequestMatch } from './api.ts'

type Asked = { method: string; path: string; route: string; body: unknown }

export type Failures = {
  add: (match: RequestMatch, how: Failure) => void
  /** What is to happen to this request; each failure is used up by as many as it is for. */
  take: (asked: Asked) => Failure | null
}

export const createFailures = (): Failures => {
  const waiting: { match: RequestMatch; how: Failure; left: number }[] = []
  return {
    add: (match, how) => {
      waiting.push({ match, how, left: how.times ?? 1 })
    },
    take: (asked) => {
      const at = waiting.findIndex(({ match }) => fits(match, asked))
      const found = waiting[at]
      if (!found) return null
      found.left -= 1
      if (found.left <= 0) waiting.splice(at, 1)
      return found.how
    },
  }
}

const fits = ({ method, route, body }: RequestMatch, asked: Asked): boolean => {
  if (method && method.toUpperCase() !== asked.method) return false
  if (typeof route === 'string' && route !== asked.route) return false
  if (route instanceof RegExp && !route.test(asked.path)) return false
  return body ? body(asked.body) : true
}
