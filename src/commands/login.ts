import { join } from 'node:path'
import { execa } from 'execa'
import { loadHouse } from '../config/load.ts'
import { openFolder } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { findAgentProgram, homeOf, programOf } from '../house/programs.ts'
import { Problem } from '../lib/problem.ts'
import { claudeHome } from '../runners/claude/environment.ts'
import { codexHome } from '../runners/codex/environment.ts'
import { wayOut } from '../runners/variables.ts'

/** How each program is signed in; what else is given on the line is handed on to it. */
const SIGN_IN = {
  claude: { words: ['auth', 'login'], homeFor: claudeHome },
  codex: { words: ['login'], homeFor: codexHome },
}

/**
 * `bellhop login AGENT`: signs the program of an agent in, by its own dialogue, in the folder that is its own here. What the
 * user's own sign-in elsewhere is stays as it is, and is not used. Answers the exit code.
 */
export const login = async (id: string, words: readonly string[], settings: Settings): Promise<number> => {
  const { config } = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  const agent = config.agents.find((known) => known.id === id)
  const name = agent ? programOf(agent) : null
  if (!agent || name === null) {
    const there = config.agents.filter((known) => programOf(known) !== null).map((known) => known.id)
    throw new Problem(`there is no agent ${id} that is a program`, `name one of ${there.join(', ') || 'none'}`)
  }
  if (!process.stdin.isTTY && words.length === 0)
    throw new Problem(
      'to sign in needs a terminal',
      `run it in one${name === 'codex' ? `, or without a browser: bellhop login ${id} -- --device-auth` : ''}`,
    )
  const found = await findAgentProgram(agent, name, settings.path)
  if (typeof found === 'string') throw new Problem(found, 'install it, and run this again')
  const home = homeOf(agent, name, openFolder(settings.data))
  const { words: own, homeFor } = SIGN_IN[name]
  const { exitCode } = await execa(found.file, [...own, ...words], {
    cwd: home,
    env: {
      PATH: settings.path,
      TERM: settings.variables?.['TERM'] ?? 'dumb',
      ...wayOut(settings.variables ?? {}),
      ...homeFor(home),
    },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
  })
  return exitCode ?? 1
}
