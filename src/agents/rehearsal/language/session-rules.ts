import { exactOf } from './exact.ts'
import type { Intent } from './intent.ts'
import { exactly, type Rule, rule } from './rule.ts'
import { pathOf } from './slots.ts'
import type { Word } from './words.ts'

/** How people ask for what comes after the work: keep it, bring it to others, look back on it, go elsewhere. */

const CHANGES = 'it|this|that|everything|all|the|my|our? of? the|my|our? change|changes|work|rest?'

const isQuoted = ([word, ...others]: readonly Word[]): boolean => word?.kind === 'quoted' && others.length === 0

const committed = (message: string | null): Intent | null =>
  message === null || message.trim() === '' ? null : { kind: 'commit', message }

export const commits: readonly Rule[] = [
  exactly([`commit ${CHANGES} with|under|as the|a? message|title|text X`], ({ X }) => committed(exactOf(X))),
  // "commit and push" has no message
  exactly([`commit ${CHANGES} with|as? X`], ({ X }) => (isQuoted(X) ? committed(exactOf(X)) : null)),
]

export const pushes: readonly Rule[] = [
  rule(['git? push it|this|that|everything|the|my|our? commit|commits|branch|changes|work?'], ({ where, glob }) =>
    where === null && glob === null ? { kind: 'push' } : null,
  ),
]

export const lookBacks: readonly Rule[] = [
  rule(
    [
      'what did|have you do|done so? far?',
      'what happened|has here|happened? so? far?',
      'show|see|give|list|read|query me? the|your|this|all? evidence of? the|this? session|turn?',
      'the|your? evidence',
    ],
    () => ({ kind: 'evidence' }),
  ),
]

export const reflections: readonly Rule[] = [
  rule(
    [
      'reflect on? it|this|that|the|our|your? session|turn|work?',
      'review it|this|that|the|our|your? session|turn|work',
      'look back on? the|this? session|turn|work?',
      'how did it|that|this go',
    ],
    () => ({ kind: 'reflect' }),
  ),
]

export const hops: readonly Rule[] = [
  rule(['deploy|release|ship it|this|that|everything?'], () => ({ kind: 'hop', to: 'deploy' })),
  rule(
    [
      'hop to|into|over? the? PATH peripheral?',
      'switch to|into? the? PATH peripheral?',
      'go|enter to|into? the? PATH peripheral',
    ],
    ({ PATH }) => {
      const to = PATH === undefined ? '' : PATH.bare || pathOf(PATH)
      return to === '' ? null : { kind: 'hop', to }
    },
  ),
]
