import type { Intent } from './intent.ts'
import { ANY, FIND, IN, type Rule, rule, type Said, USAGES, USE, USED } from './rule.ts'
import { KINDS, markerOf, nameOf, pathOf } from './slots.ts'

/** How people ask for a name: who uses it, where it is defined. */

const DEFINED = 'defined|declared|implemented|located|written|kept|found|done|handled|set|configured|specified'
const DEFINE = 'define|defines|declare|declares|implement|implements|handle|handles|do|keep|set|configure'

const named = (kind: 'define' | 'uses', { X, where, glob }: Said, most = 4): Intent | null => {
  const name = nameOf(X, most)
  return name === null ? null : { kind, name, where, glob }
}

const below = (said: Said): Said => ({ ...said, where: said.PATH ? pathOf(said.PATH) || null : said.where })

export const uses: readonly Rule[] = [
  rule([`where ${IN} the? PATH is|are|do|does we? X ${USED}`], (said) => named('uses', below(said))),
  rule(
    [
      `who|what|which files|file|code|else|modules? is|are? ${USE} X`,
      'who|what depends|depend|relies|rely on X',
      `where is|are|was X ${USED}`,
      `where do|does|did we|i|you|they ${USE} X`,
      `where X is|are|gets|was ${USED}`,
      `${FIND} where|who X is|are ${USED}`,
      `${FIND} where|who we|i? ${USE} X`,
      `${FIND} ${USAGES} of|to|for X`,
      `${ANY} ${USAGES} of|to|for X`,
      `is|are X ${USED} anywhere|somewhere?`,
      'X usages|callers|references',
    ],
    (said) => named('uses', said),
  ),
]

export const definitions: readonly Rule[] = [
  rule([`where ${IN} the? PATH is|are X ${DEFINED}`, `where ${IN} the? PATH is|are X`], (said) =>
    named('define', below(said)),
  ),
  rule(
    [
      `where is|are|was|were X ${DEFINED}`,
      'where is|are|was|were X in?',
      'where does|do|did X live|come|sit|reside|start|happen|go from?',
      `where do|does|did|can|could|should we|i|you|one ${DEFINE}|find|see X`,
      `where X is|are|gets ${DEFINED}`,
      'where X is|lives|sits|are|live|happens',
      `${FIND} where X is|lives|are|live ${DEFINED}?`,
      `${FIND} definition|definitions|declaration|implementation|source|code of|for X`,
      'the? definition|declaration|implementation|source of|for X',
      'go|goto|jump to? the? definition? of? X',
      `which|what file|files|module|class|function|code ${DEFINE} X`,
      `who|what ${DEFINE} X`,
      `in? which|what file|folder|module is|does X ${DEFINED}|live|in`,
      'how does|do X work',
      'what does|do X do|mean',
    ],
    (said) => named('define', said),
  ),
  rule([`${FIND} ${KINDS} named|called? X`, `${FIND} X ${KINDS}`], (said) => named('define', said, 1)),
  // the wider the phrase, the fewer words it may name: "what is the weather like today" is not about the workspace
  rule(['what is|are X', 'about X', 'explain|describe X'], (said) => named('define', said, 2)),
  rule(['show|see|give me? the? X'], (said) => (markerOf(said.X) === null ? named('define', said, 1) : null)),
]
