import { isFileLike, isPathLike } from './files.ts'
import type { Intent, Scope } from './intent.ts'
import { type Phrase, phrase, type Slots } from './phrase.ts'
import {
  globOf,
  isGlob,
  KINDS,
  type Lines,
  linesOf,
  markerOf,
  nameOf,
  pathAndLines,
  pathOf,
  patternOf,
} from './slots.ts'
import type { Word } from './words.ts'

/**
 * The grammar, once: each form with its examples, the steps it takes and the phrases that say it.
 * The help answer and `docs/rehearsal.md` are this table; the first form whose phrase fits and whose slots make sense wins.
 */
export type Form = {
  intent: Intent['kind']
  form: string
  examples: readonly string[]
  steps: string
  rules: readonly Rule[]
}
export type Said = Slots & Scope
type Rule = { phrases: readonly Phrase[]; intent: (said: Said) => Intent | null }

const DET = 'all|any|every|some? of? the|a|an|my|our|this?'
const SHOW = 'read|open|cat|print|view|display|show|see|give|less|head me? the|a? file?'
const FIND = `find|search|look|looking|searching|grep|rg|locate|scan|check|get|list|ls|show|give|see|print|display for|me|up|out? ${DET}`
const USED = 'used|called|imported|referenced|invoked|needed|consumed'
const USE = 'use|uses|using|call|calls|calling|import|imports|reference|references|invoke|invokes|need|needs'
const USAGES = 'usage|usages|uses|use|callers|calls|references|refs|users|consumers|importers'
const DEFINED = 'defined|declared|implemented|located|written|kept|found|done|handled|set|configured|specified'
const DEFINE = 'define|defines|declare|declares|implement|implements|handle|handles|do|keep|set|configure'
const MENTION = 'mention|mentions|contain|contains|have|has|include|includes|say|says'
const NAMED = 'named|called|matching|like|with|ending|match|matches|in|that|are? name|names|match?'
const IN = 'in|under|inside|within|below|through'

export const forms: readonly Form[] = [
  {
    intent: 'help',
    form: 'help',
    examples: ['help', 'what can you do?'],
    steps: 'none: the answer is this table',
    rules: [
      rule(
        [
          'help me?',
          'hi|hello|hey|yo there?',
          'what can|do you do|understand',
          'what can|should i|we ask|say|do you?',
          'who|what are you',
          'how do you work',
          'show|list? the? commands|help',
        ],
        () => ({ kind: 'help' }),
      ),
    ],
  },
  {
    intent: 'count',
    form: 'how many lines does PATH have',
    examples: ['how many lines does README.md have?', 'count the lines in src/main.rs'],
    steps: '`read` PATH, count its lines',
    rules: [
      rule(
        [
          'how many lines are|is? there?',
          'how many lines of? code? does|has|are|is|of|long? in|is? PATH have|long?',
          'count|number of? the? lines of? PATH?',
          'count|number of? the? lines',
          'count|number of? the? lines of PATH',
        ],
        ({ PATH, where }) => {
          const path = PATH === undefined ? where : pathOf(PATH)
          return path ? { kind: 'count', of: 'lines', path } : null
        },
      ),
    ],
  },
  {
    intent: 'count',
    form: 'how many (EXT) files (in PATH)',
    examples: ['how many ts files in src?', 'count the markdown files', 'how many files are there?'],
    steps: '`glob`, count the paths',
    rules: [
      rule(
        ['how many files are|is|do? there|we|exist? have?', 'count|number of? all? the? files'],
        ({ where, glob }) => ({ kind: 'count', of: 'files', where, glob }),
      ),
      rule(
        ['how many X files are|is|do? there|we|exist? have?', 'count|number of? all? the? X files'],
        ({ X, where }) => withGlob(X, (glob) => ({ kind: 'count', of: 'files', where, glob })),
      ),
    ],
  },
  {
    intent: 'count',
    form: 'how many TEXT (in PATH)',
    examples: ['how many TODOs in src?', 'count "as const" in ts files', 'how many times is parse used?'],
    steps: '`grep` for TEXT, again ignoring case where nothing was found, count the lines',
    rules: [
      rule(
        [
          `how many files|places|lines ${MENTION}|${USE} X`,
          `how many times is|are|was|do|does|did we|i|you? X ${USED}|mentioned|appear|occur|said`,
          `how many ${USAGES}|mentions|occurrences|times of|to X are|is? there?`,
          'how many X are|is|do? there|we? have|left|exist?',
          'count|number of? all? the? occurrences|mentions|usages|uses|references of|to X',
          'count|number of? all? the? X',
        ],
        ({ X, where, glob }) => {
          const pattern = patternOf(X)
          return pattern && { kind: 'count', of: 'matches', ...pattern, where, glob }
        },
      ),
    ],
  },
  {
    intent: 'read',
    form: 'read PATH lines N-M',
    examples: [
      'show me src/a.ts lines 10-20',
      'read src/a.ts:10-20',
      'print the first 20 lines of README.md',
      'line 7 of src/a.ts',
    ],
    steps: '`read` those lines; where the file is not there, `glob` for its name and `read` the only one',
    rules: [
      rule(
        [
          `${SHOW} PATH from|at? line|lines LINES`,
          `${SHOW}? line|lines LINES`.replace('? me', '? me'),
          `${SHOW} line|lines LINES of|from|in? PATH?`,
          'line|lines LINES of|from PATH',
          'line|lines LINES',
        ],
        (said) => readOf(said, linesOf(said.LINES?.bare ?? '')),
      ),
      rule(
        [
          `${SHOW} PATH from|between? line|lines? FROM to|and|through|until|till line? TO`,
          `${SHOW} from|between? line|lines FROM to|and|through|until|till line? TO of|from PATH`,
          `${SHOW} from|between? line|lines FROM to|and|through|until|till line? TO`,
          'line|lines FROM to|and|through|until|till line? TO of|from PATH',
          'line|lines FROM to|and|through|until|till line? TO',
        ],
        (said) => readOf(said, linesOf(`${said.FROM?.bare}-${said.TO?.bare}`)),
      ),
      rule(
        [
          `${SHOW} first|top TO lines of|from PATH`,
          `${SHOW} first|top TO lines`,
          'the? first|top TO lines of|from PATH',
          'the? first|top TO lines',
        ],
        (said) => readOf(said, linesOf(`1-${said.TO?.bare}`)),
      ),
      rule(['the? first|top line of|from PATH', `${SHOW} first|top line of|from PATH`], (said) =>
        readOf(said, linesOf('1')),
      ),
    ],
  },
  {
    intent: 'read',
    form: 'read PATH',
    examples: ['read README.md', 'please open the file src/a.ts', 'cat package.json', "what's in README.md?"],
    steps: '`read` its beginning; where the file is not there, `glob` for its name and `read` the only one',
    rules: [
      rule(['read|open|cat|view|print|less|head me? the|a? file? PATH', 'take|have? a? look at PATH'], readWhole),
      rule(
        [
          `${SHOW} contents|content of PATH`,
          `${SHOW} PATH file?`,
          'the? contents|content of PATH',
          'what does PATH say|contain|contains|have',
          'what is PATH',
        ],
        (said) => (said.PATH && isShown(said.PATH) ? readWhole(said) : null),
      ),
      rule(['what is there|inside?'], ({ where }) =>
        where !== null && isFileLike(where) ? { kind: 'read', path: where, from: null, to: null } : null,
      ),
    ],
  },
  {
    intent: 'list',
    form: 'list (EXT) files (in PATH)',
    examples: ['list files in src', 'what is in src?', 'list all python files', 'show the tree'],
    steps: '`glob`, name the paths, or the folders where they are many',
    rules: [
      rule(
        [
          `${FIND} files|contents|content|everything|folders|directories there?`,
          `${FIND} file|files|folder|directory|project|repo|source? tree|structure|layout|listing`,
          'ls|tree|list|dir',
          'what|which files|folders are|is|do|exist? there|we? have?',
          'what is there|inside?',
        ],
        ({ X, where, glob }) => (X.length === 0 ? { kind: 'list', where, glob } : null),
      ),
      rule([`${FIND} contents|content|files of PATH`, 'ls|list|tree PATH', 'what is PATH'], ({ PATH, where, glob }) =>
        PATH && where === null && isFolder(PATH) ? { kind: 'list', where: pathOf(PATH) || null, glob } : null,
      ),
      rule(
        [`${FIND} X files`, 'what|which|are|do|is? there|we? have? any? X files are|is|do|exist? there|we? have?'],
        listed,
      ),
    ],
  },
  {
    intent: 'list',
    form: 'which files match GLOB (in PATH)',
    examples: ['which files match *.ts?', 'list *.md in docs', 'find files named retry', 'where is package.json?'],
    steps: '`glob` with GLOB, name the paths',
    rules: [
      rule([`${FIND} files ${IN} PATH that? ${NAMED} X`], (said) =>
        said.PATH ? listed({ ...said, where: pathOf(said.PATH) || null }) : null,
      ),
      rule([`${FIND} file|files that? ${NAMED} X`, `what|which files|file that? ${NAMED} X`], (said) => listed(said)),
      rule([`${FIND} PATH`, 'where is the? PATH', 'where the? PATH is', 'is|are there a|an|any? PATH'], (said) =>
        said.PATH && isFile(said.PATH) ? listed({ ...said, X: [said.PATH] }) : null,
      ),
    ],
  },
  {
    intent: 'uses',
    form: 'who uses NAME (in PATH)',
    examples: [
      'who uses parse?',
      'where is parseArgs called in src?',
      'find all usages of `Store.open`',
      'callers of run',
    ],
    steps: '`grep` for NAME as a word, again ignoring case where nothing was found',
    rules: [
      rule(
        [
          `who|what|which files|file|code|else|modules? is|are? ${USE} X`,
          `who|what depends|depend|relies|rely on X`,
          `where is|are|was|do|does|did X ${USED}`,
          `where do|does|did we|i|you|they ${USE} X`,
          `where X is|are|gets|was ${USED}`,
          `${FIND} ${USAGES} of|to|for X`,
          `${FIND} where X is|are ${USED}`,
          `all|any? the? ${USAGES} of|to|for X`,
          `is|are X ${USED} anywhere|somewhere?`,
          'X usages|callers|references',
        ],
        ({ X, where, glob }) => {
          const name = nameOf(X)
          return name === null ? null : { kind: 'uses', name, where, glob }
        },
      ),
      rule([`where ${IN} the? PATH is|are X ${USED}`], ({ X, PATH, glob }) => {
        const name = nameOf(X)
        return name === null || !PATH ? null : { kind: 'uses', name, where: pathOf(PATH) || null, glob }
      }),
    ],
  },
  {
    intent: 'define',
    form: 'where is NAME (in PATH)',
    examples: [
      'where is parse defined?',
      'where does Store live in src?',
      'find the definition of run',
      'where is the retry logic?',
      'what is MAX_STEPS?',
    ],
    steps:
      '`grep` for a definition of NAME; where there is none, for a file of that name, for the word, for it ignoring case (several words: for the most telling one); `read` around the best hit',
    rules: [
      rule(
        [
          `where is|are|was|were X ${DEFINED}`,
          'where is|are|was|were X in?',
          'where does|do|did X live|come|sit|reside|start|happen|go from?',
          `where do|does|did|can|could|should we|i|you|one ${DEFINE}|find|see X`,
          `where X is|are|gets ${DEFINED}`,
          'where X is|lives|sits|are|live|happens',
          `${FIND} where X is|lives|are ${DEFINED}?`,
          `${FIND} definition|definitions|declaration|implementation|source|code of|for X`,
          'the? definition|declaration|implementation|source of|for X',
          'go|goto|jump to? the? definition? of? X',
          `which|what file|files|module|class|function|code ${DEFINE} X`,
          `who|what ${DEFINE} X`,
          `in? which|what file|folder|module is|does X ${DEFINED}|live|in`,
          'how does|do X work',
          'what does|do X do|mean',
        ],
        (said) => defined(said, 4),
      ),
      rule([`where ${IN} the? PATH is|are X ${DEFINED}?`], (said) =>
        said.PATH ? defined({ ...said, where: pathOf(said.PATH) || null }, 4) : null,
      ),
      rule([`${FIND} ${KINDS} named|called? X`, `${FIND} X function|method|class|type|interface|struct`], (said) =>
        defined(said, 1),
      ),
      rule(['what is|are X', 'about X', 'explain|describe X'], (said) => defined(said, 2)),
      rule(['show me? the? PATH'], (said) =>
        said.PATH && markerOf([said.PATH]) === null && said.PATH.kind !== 'regex'
          ? defined({ ...said, X: [said.PATH] }, 1)
          : null,
      ),
    ],
  },
  {
    intent: 'search',
    form: 'find TEXT (in PATH)',
    examples: [
      'find TODOs in src',
      'search for "some text" in docs',
      'look for retry logic',
      'any FIXMEs in py files?',
    ],
    steps:
      '`grep` for TEXT as it stands; where nothing was found, ignoring case, then for the most telling of its words',
    rules: [
      rule([`find|search|look|grep|rg|scan|check ${IN}|at? the? PATH folder|directory? for X`], (said) =>
        said.PATH ? searched({ ...said, where: pathOf(said.PATH) || null }) : null,
      ),
      rule(
        [
          `which|what|who files|file|lines|code? ${MENTION} X`,
          `${FIND} files|lines|places|code that? ${MENTION}|containing|mentioning|with X`,
          `${FIND} mentions|occurrences|instances|matches of|for|to X`,
          `is|are|do|does there|we|it have? ${DET} X`,
          'any|mentions|occurrences|anything of|about|on? X',
          `where do|does|did we|i|it|they mention|say X`,
          `where is|are X mentioned`,
          `find|search|look|looking|searching|grep|rg|locate|scan|check|get for|me|up|out? ${DET} X`,
        ],
        (said) => searched(said),
      ),
      rule([`list|show|give|display|print me? ${DET} X`], (said) =>
        markerOf(said.X) === null ? null : searched(said),
      ),
    ],
  },
  {
    intent: 'search',
    form: 'grep /REGEX/ (in PATH)',
    examples: ['grep /re.ry/i in src', 'find /fn \\w+_test/ in rs files'],
    steps: '`grep` for REGEX, again ignoring case where nothing was found',
    rules: [],
  },
]

function rule(phrases: readonly string[], intent: Rule['intent']): Rule {
  return { phrases: phrases.map(phrase), intent }
}

function withGlob(words: readonly Word[], intent: (glob: string) => Intent): Intent | null {
  const glob = globOf(words)
  return glob === null ? null : intent(glob)
}

function listed({ X, where }: Said): Intent | null {
  return withGlob(X, (glob) => ({ kind: 'list', where, glob }))
}
