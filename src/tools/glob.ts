import picomatch from 'picomatch'
import { z } from 'zod'
import { ripgrep } from './ripgrep.ts'
import { defineTool, failed } from './tool.ts'

const args = z.strictObject({ pattern: z.string().min(1).max(1000), path: z.string().min(1).optional() })

export const glob = defineTool({
  args,
  help: 'glob {pattern, path?}: the files whose names match, such as **/*.ts',
  pathOf: ({ path = '.' }) => path,
  run: ({ pattern }, target, bench) => {
    const matches = matcher(pattern)
    if (!matches) return Promise.resolve(failed(`not a glob pattern: ${pattern}`))
    return ripgrep(
      ['--files', '--', target.real],
      (line) => {
        const path = line.slice(bench.workspace.root.length + 1)
        const below = target.name === '.' ? path : path.slice(target.name.length + 1)
        return matches(below) ? { path, line: path } : null
      },
      bench,
    )
  },
})

/** Matches paths the way people write patterns: without a slash, the name at any depth. */
export const matcher = (pattern: string): ((path: string) => boolean) | null => {
  try {
    return picomatch(pattern.replace(/^\.?\//, ''), { basename: !pattern.includes('/'), strictBrackets: true })
  } catch {
    return null
  }
}
