import { exactWord, writtenOf } from './exact.ts'
import { isFileLike } from './files.ts'
import type { Intent } from './intent.ts'
import { exactly, IN, type Rule, rule, type Said } from './rule.ts'
import { pathOf } from './slots.ts'

/** How people ask for a change: one text for another in a file, or a file with a text. */

const REPLACE = 'replace|change|swap|substitute'
const EVERY = 'all|every|each the? occurrences|occurrence|instances|instance? of? the?'
const BY = 'with|by|to|into|for'
const FILE = 'the|a|an? new? file?'

const replaced = ({ OLD, NEW, PATH, where }: Said, all: boolean): Intent | null => {
  const path = PATH === undefined ? where : pathOf(PATH)
  if (OLD === undefined || NEW === undefined || !path) return null
  const [old, text] = [exactWord(OLD), exactWord(NEW)]
  return old === '' ? null : { kind: 'replace', old, new: text, path, all }
}

const created = ({ X, PATH }: Said): Intent | null => {
  const path = PATH === undefined ? '' : pathOf(PATH)
  const text = writtenOf(X)
  const plainly = (X.length === 1 && X[0]?.kind === 'quoted') || isFileLike(path) || path.includes('/')
  return path === '' || text === null || !plainly ? null : { kind: 'create', path, text }
}

export const replacements: readonly Rule[] = [
  rule([`${REPLACE} the? OLD ${BY} NEW`, `in the? file? PATH ${REPLACE} the? OLD ${BY} NEW`], (said) =>
    replaced(said, false),
  ),
  rule(
    [
      `${REPLACE} ${EVERY} OLD ${BY} NEW everywhere?`,
      `${REPLACE} the? OLD ${BY} NEW everywhere`,
      `${REPLACE} the? OLD everywhere ${BY} NEW`,
      `${REPLACE} the? OLD ${BY} NEW ${IN} the? file? PATH everywhere`,
    ],
    (said) => replaced(said, true),
  ),
]

export const creations: readonly Rule[] = [
  exactly(
    [
      `create|write ${FILE} PATH with|containing|saying the|a? text|content|contents|line? X`,
      `write|put|save X to|into|in ${FILE} PATH`,
    ],
    created,
  ),
]
