import { join } from 'node:path'
import { cachedPackages, type Env, type Say } from '../support/cached-packages.ts'

/** What the tests run against the product, and a Node that is new enough to run it: none of it is a dependency. */
const PACKAGES = {
  [`node-linux-${process.arch}`]: '24.21.0',
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  'conformance-0.1.16': 'npm:@modelcontextprotocol/conformance@0.1.16',
  '@modelcontextprotocol/inspector': '2.12.0',
}

export type Tools = { node: string; conformance: string; older: string; inspector: string; mcpdo: string }

const WHAT = 'the MCP conformance suite, the inspector and a Node for them'

/** Where the tools are. */
export const findTools = async (env?: Env, say?: Say): Promise<Tools> => {
  const folder = await cachedPackages({ name: 'mcp-tools', what: WHAT, packages: PACKAGES }, env, say)
  const modules = join(folder, 'node_modules')
  return {
    node: join(modules, `node-linux-${process.arch}/bin/node`),
    conformance: join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
    older: join(modules, 'conformance-0.1.16/dist/index.js'),
    inspector: join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
    mcpdo: join(modules, '@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js'),
  }
}
