import { join } from 'node:path'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { hashOfToken, mintToken, newToken } from '../../src/evidence/tokens.ts'
import { folderAt } from '../../src/house/folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { scratch } from '../support/folder.ts'
import { agentGrant } from '../support/grant.ts'
import { startUp } from '../support/instance.ts'
import { ADA, must } from '../support/store.ts'
import type { Way } from './clients.ts'

/** An agent that nobody else is, in a room: the token it comes with, and the ways in. */
type Visitor = { agent: string; room: string; http: Way & { kind: 'http' }; stdio: Way }

export type Place = {
  /** The evidence, through a connection of the test's own. */
  store: Store
  visitor: () => Promise<Visitor>
} & AsyncDisposable

const CLI = join(import.meta.dirname, '../../dist/src/cli.js')

/** A whole instance as a person starts it, with the product as it is, for clients of every kind. */
export const startPlace = async (): Promise<Place> => {
  const workspace = scratch()
  const data = scratch()
  workspace.write('README.md', '# teapot\n\nIt pours.\n')
  const instance = await startUp({ workspace: workspace.path, data: data.path })
  const store = await openStore({ url: folderAt(data.path).store, clock: systemClock })
  let made = 0
  return {
    store,
    visitor: async () => {
      const agent = `visitor-${++made}`
      const grant = agentGrant({ agent, type: agent })
      const token = newToken()
      must(await mintToken(store, { hash: hashOfToken(token), grant, label: agent, expires: null }, ADA))
      return {
        agent,
        room: grant.room,
        http: { kind: 'http', url: `${instance.url}/mcp`, token },
        stdio: {
          kind: 'stdio',
          command: process.execPath,
          args: [CLI, 'mcp', '--data', data.path, '--workspace', workspace.path],
          env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', BELLHOP_TOKEN: token },
        },
      }
    },
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await instance[Symbol.asyncDispose]()
      workspace[Symbol.dispose]()
      data[Symbol.dispose]()
    },
  }
}
