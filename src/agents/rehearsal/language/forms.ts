import { creations, replacements } from './change-rules.ts'
import { fileCounts, globs, lineCounts, lineReads, lists, reads, severalReads } from './file-rules.ts'
import type { Intent } from './intent.ts'
import { definitions, uses } from './name-rules.ts'
import { type Rule, rule } from './rule.ts'
import { calls, commands, fetches, tests } from './run-rules.ts'
import { commits, hops, lookBacks, pushes, reflections } from './session-rules.ts'
import { matchCounts, regexes, searches } from './text-rules.ts'

/** One form of the grammar: how it is written, examples that are held to it by a test, and the steps it takes. */
export type Form = {
  intent: Intent['kind']
  form: string
  examples: readonly string[]
  steps: string
  rules: readonly Rule[]
}

const help: readonly Rule[] = [
  rule(
    [
      'help me?',
      'what can|do you do|understand',
      'what can|should i|we ask|say|do you|for?',
      'who|what are you',
      'how do you work',
      'commands|usage',
    ],
    () => ({ kind: 'help' }),
  ),
]

/**
 * The grammar, once: the help answer and `docs/rehearsal.md` are this table.
 * The order is the precedence: the first rule whose phrase fits and whose slots make sense wins.
 */
export const forms: readonly Form[] = [
  {
    intent: 'use',
    form: 'use TOOL {JSON}',
    examples: ['use read {"path": "README.md"}', 'use hop {"to": "test"}', 'please use the tool evidence'],
    steps: 'exactly this call, whatever it is; the answer is its report',
    rules: calls,
  },
  {
    intent: 'replace',
    form: 'replace TEXT with TEXT in FILE (everywhere)',
    examples: [
      'replace "minutes: 3" with "minutes: 2" in src/brew.js',
      'change `let` to `const` in src/a.ts everywhere',
      'replace all OPEN by DONE in notes.md',
    ],
    steps: '`read` FILE, then `edit` it; without `everywhere`, the text must be there once',
    rules: replacements,
  },
  {
    intent: 'create',
    form: 'create FILE with TEXT',
    examples: ['create notes/today.md with "# Today"', 'write "one\\ntwo" to the file list.txt'],
    steps: '`read` FILE, since what is there must have been seen, then `write` it',
    rules: creations,
  },
  {
    intent: 'test',
    form: 'run the tests',
    examples: ['run the tests', 'test it', 'do all tests pass?'],
    steps:
      '`read` package.json, then what else says which tests there are; `run` npm test, pytest, cargo test, go test or node --test',
    rules: tests,
  },
  {
    intent: 'run',
    form: 'run COMMAND',
    examples: ['run git status --short', 'run node --test "test/a b.test.js"', 'run `git log -1`'],
    steps: '`run` it, word by word, without a shell',
    rules: commands,
  },
  {
    intent: 'fetch',
    form: 'fetch URL',
    examples: ['fetch https://example.org/', 'open the page https://example.org/a'],
    steps: '`web-fetch` it',
    rules: fetches,
  },
  {
    intent: 'commit',
    form: 'commit TEXT',
    examples: ['commit "Steep green tea for less time"', 'commit the changes with the message "Less time"'],
    steps:
      '`run` git status and git diff to look; in deploy `advance` with what they said; then `run` git add -A and git commit -m TEXT',
    rules: commits,
  },
  {
    intent: 'push',
    form: 'push',
    examples: ['push', 'push the commit'],
    steps: '`run` git push; in deploy after a look and `advance`, where that was not done yet',
    rules: pushes,
  },
  {
    intent: 'evidence',
    form: 'what did you do',
    examples: ['what did you do?', 'show the evidence'],
    steps: '`evidence`, and show it',
    rules: lookBacks,
  },
  {
    intent: 'reflect',
    form: 'review the session',
    examples: ['review the session', 'reflect'],
    steps: '`evidence`, then `reflect` with words made from the reports',
    rules: reflections,
  },
  {
    intent: 'hop',
    form: 'hop to PERIPHERAL',
    examples: ['hop to test', 'go to the edit peripheral', 'deploy it'],
    steps: '`hop`; `deploy` alone is a hop to deploy',
    rules: hops,
  },
  {
    intent: 'read',
    form: 'read lines N-M of PATH',
    examples: ['show me src/a.ts lines 10-20', 'lines 10 to 20 of src/a.ts', 'print the first 20 lines of README.md'],
    steps: '`read` those lines; if the file is not there, `glob` for its name and `read` the only one',
    rules: lineReads,
  },
  {
    intent: 'read',
    form: 'read PATH',
    examples: ['read README.md', 'please open the file src/a.ts', 'cat src/a.ts:10-20', "what's in README.md?"],
    steps: '`read` its beginning; if the file is not there, `glob` for its name and `read` the only one',
    rules: reads,
  },
  {
    intent: 'reads',
    form: 'read PATH and PATH',
    examples: ['read README.md and src/a.ts', 'show me a.ts, b.ts and c.ts in src'],
    steps: '`read` the beginnings of all of them, side by side; five at most',
    rules: severalReads,
  },
  {
    intent: 'list',
    form: 'list files (in PATH)',
    examples: ['list files in src', 'what is in src?', 'show the tree'],
    steps:
      '`list` one folder where there is that tool; else `glob`, and name the paths, or the folders where they are many',
    rules: lists,
  },
  {
    intent: 'list',
    form: 'which files match GLOB (in PATH)',
    examples: [
      'which files match *.ts?',
      'list *.md in docs',
      'list all python files',
      'find files named retry',
      'where is package.json?',
    ],
    steps: '`glob` for GLOB, then ignoring case, and name the paths',
    rules: globs,
  },
  {
    intent: 'count',
    form: 'how many lines does PATH have',
    examples: ['how many lines does README.md have?', 'count the lines in src/main.rs'],
    steps: '`read` PATH and count',
    rules: lineCounts,
  },
  {
    intent: 'count',
    form: 'how many files (in PATH)',
    examples: ['how many ts files in src?', 'count the markdown files', 'how many files are there?'],
    steps: '`glob` and count',
    rules: fileCounts,
  },
  {
    intent: 'count',
    form: 'how many TEXT (in PATH)',
    examples: ['how many TODOs in src?', 'count "as const" in ts files', 'how many times is parse used?'],
    steps: '`grep` for TEXT, then ignoring case, and count the lines',
    rules: matchCounts,
  },
  {
    intent: 'uses',
    form: 'who uses NAME (in PATH)',
    examples: ['who uses parse?', 'where is parseArgs called in src?', 'usages of `Store.open`'],
    steps: '`grep` for NAME as a word, then ignoring case',
    rules: uses,
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
      '`grep` for a definition of NAME; if there is none, `glob` for a file and `grep` for a mention of it; `read` around the best hit',
    rules: definitions,
  },
  {
    intent: 'search',
    form: 'grep /REGEX/ (in PATH)',
    examples: ['grep /re.ry/i in src', 'find /fn \\w+_test/ in rs files'],
    steps: '`grep` for REGEX, then ignoring case',
    rules: regexes,
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
    steps: '`grep` for TEXT as it stands, then ignoring case, then for the rarest of its words',
    rules: searches,
  },
  {
    intent: 'help',
    form: 'help',
    examples: ['help', 'what can you do?'],
    steps: 'none; the answer is this table',
    rules: help,
  },
]
