import { createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import { z } from 'zod'
import { ripgrep } from './ripgrep.ts'
import { defineTool, failed, PathArgument } from './tool.ts'

const args = z.strictObject({ pattern: z.string().min(1).max(1000), path: PathArgument.optional() })

export const glob = defineTool({
  args,
  help: 'glob {pattern, path?}: the files whose names match, such as **/*.ts',
  pathOf: ({ path = '.' }) => path,
  run: ({ pattern }, target, bench) => {
    const matches = matcher(pattern)
    if (!matches) return Promise.resolve(failed(`not a glob pattern: ${pattern}`))
    const toHit = (path: string, below: string) => (matches(below) ? { path, line: path } : null)
    return ripgrep({ args: ['--files'], toHit }, target, bench)
  },
})

type Matches = (path: string) => boolean

/** Matches paths the way people write patterns: without a slash, the name at any depth. */
export const matcher = (pattern: string): Matches | null => {
  try {
    const matches = picomatch(pattern.replace(/^\.?\//, ''), { basename: !pattern.includes('/'), strictBrackets: true })
    return isHeavy(pattern) ? bounded(matches, pattern) : matches
  } catch {
    return null
  }
}

const starsIn = (text: string): number => text.match(/\*+/g)?.length ?? 0

/** Whether a name could take for ever: every star tries every length. Of alternatives, the one with most stars counts. */
const isHeavy = (pattern: string): boolean => {
  const plain = pattern.replace(/\{[^{}]*\}/g, (group) => ' *'.repeat(Math.max(...group.split(',').map(starsIn))))
  return starsIn(plain) > 4 || /[*+?@!]\(/.test(pattern)
}

/** How long one name may take with a pattern that is heavy: nothing else runs meanwhile. */
const MATCH_MS = 100

const bounded = (matches: Matches, pattern: string): Matches => {
  const context = createContext({ matches, path: '' })
  const script = new Script('matches(path)')
  return (path) => {
    context['path'] = path
    try {
      return script.runInContext(context, { timeout: MATCH_MS })
    } catch {
      throw new Error(`the pattern takes too long to match: ${pattern}`)
    }
  }
}
