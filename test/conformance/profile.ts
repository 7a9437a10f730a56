import { startTestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import { withFixtures } from './extend.ts'
import { startProxy } from './proxy.ts'

export type Profile = {
  /** Where the MCP door is. */
  url: string
  /** Where a client gets in that cannot bring a token along: each time as another agent. */
  enter: () => Promise<string>
} & AsyncDisposable

/** The product's own gateway and worker, with authentication on, and the fixtures of the suite beside what it offers. */
export const startProfile = async (): Promise<Profile> => {
  const house = await startTestHouse({ extend: withFixtures })
  const proxies: AsyncDisposable[] = []
  const url = `${house.url}/mcp`
  return {
    url,
    enter: async () => {
      const agent = `guest-${proxies.length}`
      const proxy = await startProxy(url, await house.mint(agentGrant({ agent, type: agent })))
      proxies.push(proxy)
      return proxy.url
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()))
      await house[Symbol.asyncDispose]()
    },
  }
}
