import { join } from 'node:path'
import { cachedPackages, type Env, type Say } from './cached-packages.ts'

/** The programs of agents, as the tests drive them: no dependencies, since users bring their own. */
export const CLAUDE_VERSION = '2.1.325'
export const CODEX_VERSION = '0.166.0'

const PACKAGES = {
  claude: `npm:@anthropic-ai/claude-code-linux-${process.arch}@${CLAUDE_VERSION}`,
  codex: `npm:@openai/codex@${CODEX_VERSION}-linux-${process.arch}`,
}

const TRIPLE = process.arch === 'arm64' ? 'aarch64-unknown-linux-musl' : 'x86_64-unknown-linux-musl'

/** Where the real programs are. */
export const findClis = async (env?: Env, say?: Say): Promise<{ claude: string; codex: string }> => {
  const what = 'the programs claude and codex, for the tests'
  const modules = join(await cachedPackages({ name: 'agent-clis', what, packages: PACKAGES }, env, say), 'node_modules')
  return { claude: join(modules, 'claude/claude'), codex: join(modules, `codex/vendor/${TRIPLE}/bin/codex`) }
}
