import type { Readable, Writable } from 'node:stream'
import { doorway } from '../house/doors.ts'
import { mcpHouse } from '../house/mcp.ts'
import { openParts, type Settings } from '../house/parts.ts'
import { openSeats } from '../house/seats.ts'
import { createSocial } from '../house/social.ts'
import { Problem } from '../lib/problem.ts'
import { serveMcpStdio } from '../mcp/stdio.ts'
import { findInstance, noInstance } from './shell.ts'

type Speaking = {
  /** Whose token to come with; without one, the user speaks for themselves. */
  token: string | undefined
  input: Readable
  output: Writable
  ends: AbortSignal
}

/**
 * `bellhop mcp`: speaks MCP on standard input and output, on the evidence and with the workers of a running instance.
 * Who comes without a token is an operator: what needs an approval is left to people.
 */
export const speakMcp = async (settings: Settings, { token, input, output, ends }: Speaking): Promise<void> => {
  if (!(await findInstance(settings))) throw await noInstance(settings)
  // Standard output is the protocol's: no line of the log goes there, whatever the config says.
  const log = { level: settings.log?.level ?? null, to: settings.log?.to === 'stderr' ? 'stderr' : 'file' } as const
  // Whoever started this keeps it while the instance ends and starts again.
  const parts = await openParts({ ...settings, log }, 'mcp', 'beside')
  const social = createSocial(parts, () => ends.aborted)
  const way = doorway(parts, social, openSeats(parts, social))
  try {
    const principal = await way.admitToken(token ?? parts.secrets.operator, 'mcp')
    if (!principal.ok) throw new Problem(principal.refusal.message, principal.refusal.remedy)
    const served = await serveMcpStdio(mcpHouse(parts, social, way), principal.value, { input, output })
    ends.addEventListener('abort', () => void served.close())
    await served.closed
    await served.close()
  } finally {
    await way.close()
    await parts.close()
  }
}
