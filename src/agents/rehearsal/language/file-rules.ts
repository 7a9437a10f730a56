import { isFileLike } from './files.ts'
import type { Intent } from './intent.ts'
import { FIND, IN, type Rule, rule, type Said } from './rule.ts'
import { globOf, isGlob, type Lines, linesOf, markerOf, pathAndLines, pathOf } from './slots.ts'
import { isPaused, type Word } from './words.ts'

/** How people ask for files: read one or some of its lines, list them, count them. */

const SHOW = 'read|open|cat|print|view|display|show|see|give|less|head me? the|a? file?'
const TO = 'to|and|through|until|till line?'
const NAMED = 'that|which? are|is? named|called|matching|match|matches|like'
const MOST_PATHS = 5
const EXIST = 'are|is|do|exist? there|we? have?'

const spoken = (phrase: string): string[] => [`${SHOW} ${phrase}`, `the? ${phrase}`]

const readOf = ({ PATH, where }: Said, lines: Lines | null): Intent | null => {
  const { path, ...own } = PATH === undefined ? { path: '', from: null, to: null } : pathAndLines(PATH)
  const full = [where, path].filter((part) => part).join('/')
  return full === '' || isGlob(full) ? null : { kind: 'read', path: full, ...(lines ?? own) }
}

/** "a.ts, b.ts and c.ts": several paths with a comma or an "and" between each two. */
const pathsOf = (words: readonly Word[]): Word[] | null => {
  const paths: Word[] = []
  let apart = true
  for (const [at, word] of words.entries()) {
    if (word.bare === 'and' || word.bare === '&') {
      apart = true
      continue
    }
    if (!apart) return null
    paths.push(word)
    const next = words[at + 1]
    apart = next !== undefined && isPaused(word, next)
  }
  return paths.length >= 2 && paths.length <= MOST_PATHS ? paths : null
}

const readsOf = ({ X, where }: Said, fits: (word: Word) => boolean): Intent | null => {
  const paths = pathsOf(X)
  if (!paths?.every(fits)) return null
  return { kind: 'reads', paths: paths.map((word) => [where, pathOf(word)].filter((part) => part).join('/')) }
}

const listed = ({ X, where }: Said): Intent | null => {
  const glob = globOf(X)
  return glob === null ? null : { kind: 'list', where, glob }
}

const isFolder = (word: Word): boolean => markerOf([word]) === null && !isGlob(word.text) && !isFileLike(pathOf(word))

const isFile = (word: Word): boolean => isGlob(word.text) || isFileLike(pathAndLines(word).path)

export const lineReads: readonly Rule[] = [
  rule(
    [
      `${SHOW} PATH from|at? line|lines LINES`,
      ...spoken('line|lines LINES of|from PATH'),
      ...spoken('line|lines LINES'),
    ],
    (said) => readOf(said, linesOf(said.LINES?.bare ?? '')),
  ),
  rule(
    [
      `${SHOW} PATH from|between? line|lines? FROM ${TO} TO`,
      ...spoken(`line|lines FROM ${TO} TO of|from PATH`),
      ...spoken(`line|lines FROM ${TO} TO`),
    ],
    (said) => readOf(said, linesOf(`${said.FROM?.bare}-${said.TO?.bare}`)),
  ),
  rule([...spoken('first|top TO lines of|from PATH'), ...spoken('first|top TO lines')], (said) =>
    readOf(said, linesOf(`1-${said.TO?.bare}`)),
  ),
  rule([...spoken('first|top line of|from PATH'), ...spoken('first|top line')], (said) => readOf(said, linesOf('1'))),
]

export const reads: readonly Rule[] = [
  rule(['read|open|cat|view|less|head me? the|a? file? PATH file?', 'take|have? a? look at the? PATH file?'], (said) =>
    readOf(said, null),
  ),
  rule([...spoken('contents|content of PATH'), 'what does PATH say|contain|contains|have'], (said) =>
    said.PATH && isFolder(said.PATH) ? null : readOf(said, null),
  ),
  rule([`${SHOW} PATH file?`, 'what is the? PATH'], (said) =>
    said.PATH && isFile(said.PATH) ? readOf(said, null) : null,
  ),
  rule(['what is there|inside?', `${SHOW} what is there|inside?`], (said) =>
    said.where !== null && isFileLike(said.where) ? readOf(said, null) : null,
  ),
]

export const severalReads: readonly Rule[] = [
  rule(['read|open|cat|view|less|head me? both? the? files|file? X'], (said) =>
    readsOf(said, (word) => !isGlob(word.text) && pathOf(word) !== ''),
  ),
  rule([`${SHOW} X`], (said) => readsOf(said, (word) => !isGlob(word.text) && isFile(word))),
]

export const lists: readonly Rule[] = [
  rule(
    [
      `${FIND} files|contents|content|everything|folders|directories there?`,
      `${FIND} file|files|folder|directory|project|repo|source? tree|structure|layout|listing`,
      'ls|tree|list|dir',
      `what|which files|folders ${EXIST}`,
    ],
    ({ where, glob }) => ({ kind: 'list', where, glob }),
  ),
  rule(['what is there|inside?', `${SHOW} what is there|inside?`], ({ where, glob }) =>
    where === null ? null : { kind: 'list', where, glob },
  ),
  rule(['what is the? PATH'], ({ PATH, glob }) =>
    PATH?.text.includes('/') && isFolder(PATH) ? { kind: 'list', where: pathOf(PATH) || null, glob } : null,
  ),
  rule(
    [`${FIND} contents|content|files of the? PATH folder|directory?`, 'ls|list|tree the? PATH folder|directory?'],
    (said) =>
      said.PATH && said.where === null && isFolder(said.PATH)
        ? { kind: 'list', where: pathOf(said.PATH) || null, glob: said.glob }
        : null,
  ),
]

export const globs: readonly Rule[] = [
  rule([`${FIND} files ${IN} the? PATH folder|directory? ${NAMED} X`], (said) =>
    said.PATH ? listed({ ...said, where: pathOf(said.PATH) || null }) : null,
  ),
  rule(
    [
      `${FIND} file|files ${NAMED} X`,
      `what|which file|files ${NAMED} X`,
      `${FIND} X files`,
      `what|which X files ${EXIST}`,
      `are|is|do|any there|we? have? any? X files`,
    ],
    listed,
  ),
  rule([`${FIND} PATH`, 'where is the? PATH file?', 'where the? PATH is', 'is there a|an? PATH'], (said) =>
    said.PATH?.kind === 'plain' && isFile(said.PATH) ? listed({ ...said, X: [said.PATH] }) : null,
  ),
]

export const fileCounts: readonly Rule[] = [
  rule([`how many files ${EXIST}`, 'count|number of? all? the? files'], ({ where, glob }) => ({
    kind: 'count',
    of: 'files',
    where,
    glob,
  })),
  rule([`how many X files ${EXIST}`, 'count|number of? all? the? X files'], ({ X, where }) => {
    const glob = globOf(X)
    return glob === null ? null : { kind: 'count', of: 'files', where, glob }
  }),
]

export const lineCounts: readonly Rule[] = [
  rule(
    [
      `how many lines of? code? ${EXIST}`,
      'how many lines does|do|has|of PATH have|contain|got?',
      'how many lines long? is PATH long?',
      'count|number of? all? the? lines of PATH',
      'count|number of? all? the? lines',
    ],
    ({ PATH, where }) => {
      const path = PATH === undefined ? where : pathOf(PATH)
      return path === null || path === '' ? null : { kind: 'count', of: 'lines', path }
    },
  ),
]
