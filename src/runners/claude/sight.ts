import { z } from 'zod'
import type { Answer } from './control.ts'
import { isOurs, SERVER } from './names.ts'
import type { Init } from './wire.ts'

/** The servers it has, and the tools of each by their own names. What else it tells of them is not for us: it has the token. */
const Status = z.object({
  mcpServers: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      error: z.string().nullish(),
      tools: z.array(z.object({ name: z.string() })).nullish(),
    }),
  ),
})

export type Sight = { state: 'ready' | 'pending' | 'wrong'; tools: string[]; wrong: string }

/** What the program says that it is connected with; null where it does not say. */
export const sightOf = (answer: Answer): Sight | null => {
  const servers = Status.safeParse(answer?.response).data?.mcpServers
  if (!servers) return null
  const ours = servers.find(({ name }) => name === SERVER)
  const others = servers.filter(({ name }) => name !== SERVER)
  const tools = [ours, ...others].flatMap((server) =>
    (server?.tools ?? []).map(({ name }) => named(server?.name, name)),
  )
  if (others.length > 0) return { state: 'wrong', tools, wrong: `it has other servers: ${namesOf(others)}` }
  if (ours?.status === 'connected') return { state: 'ready', tools, wrong: '' }
  const wrong = `our tools are not connected: ${ours?.error ?? ours?.status ?? 'it knows of none'}`
  return { state: ours?.status === 'pending' ? 'pending' : 'wrong', tools, wrong }
}

const named = (server: string | undefined, tool: string): string => (server === SERVER ? tool : `${server}/${tool}`)

/** What is wrong with what it says that it has at the beginning of a turn; null where nothing is. */
export const wrongIn = ({ tools, mcp_servers: servers }: Init): string | null => {
  const others = foreignIn(tools)
  if (others.length > 0) return `it has tools that are not ours: ${others.join(', ')}`
  const bad = servers.filter(({ name, status }) => name !== SERVER || status !== 'connected')
  if (bad.length > 0) return `it has servers that it should not have, or not so: ${bad.map(asIs).join(', ')}`
  return servers.length === 0 ? 'our tools are not connected' : null
}

export const foreignIn = (tools: readonly string[]): string[] => tools.filter((tool) => !isOurs(tool))

const asIs = ({ name, status }: { name: string; status: string }): string => `${name} (${status})`
const namesOf = (servers: readonly { name: string }[]): string => servers.map(({ name }) => name).join(', ')
