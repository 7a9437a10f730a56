import type { Intent } from './intent.ts'
import { ANY, FIND, IN, type Rule, rule, type Said, USAGES, USE, USED } from './rule.ts'
import { markerOf, pathOf, patternOf } from './slots.ts'

/** How people ask for text: find it, match it, count it. */

const MENTION = 'mention|mentions|contain|contains|have|has|include|includes|say|says|match|matches'
const SEEK = 'find|search|look|looking|searching|grep|rg|locate|scan|check'

const searched = ({ X, where, glob }: Said): Intent | null => {
  const pattern = patternOf(X)
  return pattern && { kind: 'search', ...pattern, where, glob }
}

const counted = ({ X, where, glob }: Said): Intent | null => {
  const pattern = patternOf(X)
  return pattern && { kind: 'count', of: 'matches', ...pattern, where, glob }
}

const below = (said: Said): Said => ({ ...said, where: said.PATH ? pathOf(said.PATH) || null : said.where })
const withRegex = (said: Said): Said | null => (said.X.some((word) => word.kind === 'regex') ? said : null)

const PLACED = `${SEEK} ${IN}|at? the? PATH folder|directory? for X`
const SOUGHT = [
  `which|what|who files|file|lines|line|code|else? ${MENTION} X`,
  `${FIND} files|lines|places|code that|which? ${MENTION}|containing|mentioning|matching|with X`,
  `${FIND} mentions|occurrences|instances|matches of|for|to X`,
  `is|are there ${ANY} X`,
  `do|does we|it have ${ANY} X`,
  'any|mentions|occurrences|anything of|about|on? X',
  'where do|does|did we|i|it|they mention|say X',
  'where is|are X mentioned',
  `find|search|grep|rg|locate|scan for|me? ${ANY} X`,
  `look|looking|searching|check for|up ${ANY} X`,
]

export const regexes: readonly Rule[] = [
  rule([PLACED], (said) => withRegex(said) && searched(below(said))),
  rule(SOUGHT, (said) => withRegex(said) && searched(said)),
]

export const searches: readonly Rule[] = [
  rule([PLACED], (said) => searched(below(said))),
  rule(SOUGHT, searched),
  rule([`list|show|give|display|print me? ${ANY} X`], (said) => (markerOf(said.X) === null ? null : searched(said))),
]

export const matchCounts: readonly Rule[] = [
  rule(
    [
      `how many files|places|lines ${MENTION}|${USE} X`,
      `how many times is|are|was|do|does|did we|i|you? X ${USED}|mentioned|appear|occur|said`,
      `how many times do|does|did we|i|you|they ${USE}|${MENTION} X`,
      `how many ${USAGES}|mentions|occurrences|times of|to X are|is? there?`,
      'how many X are|is|do? there|we? have|left|exist?',
      `count|number of? all? the? ${USAGES}|mentions|occurrences of|to X`,
      'count|number of? all? the? X',
    ],
    counted,
  ),
]
