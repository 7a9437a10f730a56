import { ToolName } from '../../../shapes/peripheral.ts'
import { callOf } from './call.ts'
import { argvOf, exactOf, exactWord } from './exact.ts'
import { exactly, type Rule, rule } from './rule.ts'
import { wordSet } from './words.ts'

/** How people ask for a tool by hand, for the tests, for a command, for a page of the web. */

const ALL = 'all|the|my|our? the|my|our? unit?'
/** "run the build" and "run it" name no command. */
const NO_COMMANDS = wordSet('the a an this that these those it all my our your some any')
const TOOLS: readonly string[] = ToolName.options

export const calls: readonly Rule[] = [
  exactly(['CALL'], ({ CALL }) => (CALL ? { kind: 'use', call: callOf(CALL.raw) } : null)),
  exactly(['use the? tool? PATH'], ({ PATH }) =>
    PATH && TOOLS.includes(exactWord(PATH)) ? { kind: 'use', call: { tool: exactWord(PATH), args: {} } } : null,
  ),
  exactly(['use the? tool? PATH X'], ({ PATH, X }) => {
    const plainly = exactOf(X)?.startsWith('{') || (PATH && TOOLS.includes(exactWord(PATH)))
    return plainly ? { kind: 'use', call: null } : null
  }),
]

export const tests: readonly Rule[] = [
  rule(
    [
      'test|retest it|this|that|everything|all?',
      `run|rerun|execute|start ${ALL} tests|test|suite`,
      `run|rerun|execute|start ${ALL} test suite`,
      `do|are ${ALL} tests pass|passing|green|ok|okay`,
      `check that|whether|if ${ALL} tests pass`,
    ],
    ({ where, glob }) => (where === null && glob === null ? { kind: 'test' } : null),
  ),
]

export const commands: readonly Rule[] = [
  exactly(['run|execute|exec the? command|program X', 'run|execute|exec X'], ({ X }) => {
    const argv = NO_COMMANDS.has(X[0]?.bare ?? '') ? null : argvOf(X)
    return argv && { kind: 'run', argv }
  }),
]

export const fetches: readonly Rule[] = [
  exactly(['fetch|download the? page|url|address|site? at|from? PATH'], ({ PATH }) =>
    PATH ? { kind: 'fetch', url: exactWord(PATH) } : null,
  ),
  exactly(['read|open|get|show|view|load|visit|see me? the? page|url|address|site? at|from? PATH'], ({ PATH }) =>
    PATH && /^[a-z][a-z\d+.-]*:\/\//i.test(exactWord(PATH)) ? { kind: 'fetch', url: exactWord(PATH) } : null,
  ),
]
