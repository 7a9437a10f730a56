import { join } from 'node:path'
import type { AgentGrant } from '../../src/shapes/principal.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import type { Way } from './clients.ts'
import { withFixtures } from './extend.ts'
import { startProxy } from './proxy.ts'

export type Profile = {
  house: TestHouse
  /** Where the MCP door is. */
  url: string
  /** A token of an agent that nobody else is. */
  agent: (part?: Partial<AgentGrant>) => Promise<string>
  /** Where a client gets in that cannot bring a token along: each time as another agent. */
  enter: () => Promise<string>
} & AsyncDisposable

/** The product's own gateway and worker, with authentication on; with the fixtures of the suite, or as it is. */
export const startProfile = async ({ fixtures }: { fixtures: boolean }): Promise<Profile> => {
  const house = await startTestHouse(fixtures ? { extend: withFixtures } : {})
  const proxies: AsyncDisposable[] = []
  const url = `${house.url}/mcp`
  let made = 0
  const agent = (part: Partial<AgentGrant> = {}) => {
    const name = `guest-${++made}`
    return house.mint(agentGrant({ agent: name, type: name, ...part }))
  }
  return {
    house,
    url,
    agent,
    enter: async () => {
      const proxy = await startProxy(url, await agent())
      proxies.push(proxy)
      return proxy.url
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()))
      await house[Symbol.asyncDispose]()
    },
  }
}

const CLI = join(import.meta.dirname, '../../dist/src/cli.js')

/** The program that an MCP client starts to speak with it over its own pipes. */
export const stdioWay = ({ house: { settings } }: Profile, token: string): Way => ({
  kind: 'stdio',
  command: process.execPath,
  args: [CLI, 'mcp', '--data', settings.data, '--workspace', settings.workspace],
  env: { PATH: settings.path, HOME: '/nonexistent', BELLHOP_TOKEN: token },
})
