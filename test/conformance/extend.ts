import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import type { Extend, Handlers, Notices } from '../../src/mcp/house.ts'
import { registerFixtures } from './fixtures.ts'
import { requestState } from './fixtures-asking.ts'

/** A handler, whatever its method: requests are passed on as they come. */
type Plain = (request: Asked, context: ServerContext) => Promise<Record<string, unknown>>
type Asked = { params?: { name?: string; uri?: string; ref?: { name?: string; uri?: string } } }
type Table = Record<string, Plain>

/** Lists that have the fixtures beside what is the product's, by the name of the list in the answer. */
const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}
/** What is asked of one tool, resource or prompt: of a fixture, or else of the product. */
const ASKED = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
]
/** Names and addresses that are the fixtures'. Everything else is the product's to answer, what is not there too. */
const OURS = /^(test_|json_schema_2020_12_tool$|test:\/\/(static|watched|template))/

/**
 * The product, with the fixtures beside what it offers. Only here is there a log, which the suite of 2025 asks for, and a
 * state that a client carries from round to round.
 */
export const withFixtures: Extend = ({ options, handlers }, { era, notices }) => {
  const theirs = handlers as Table
  const ours = fixtures(notices)
  const methods = [...Object.keys(LISTS), ...ASKED].filter((method) => era === 'legacy' || method in theirs)
  const table = methods.map((method) => [method, beside(method, ours[method], theirs[method])])
  const { capabilities } = options
  return {
    options: {
      ...options,
      capabilities: { ...capabilities, logging: {}, prompts: { ...capabilities?.prompts, listChanged: true } },
      requestState: { verify: requestState.verify },
    },
    handlers: { ...handlers, ...Object.fromEntries(table) } as Handlers,
  }
}

const beside =
  (method: string, ours: Plain = nothing, theirs: Plain = nothing): Plain =>
  async (request, context) => {
    const list = LISTS[method as keyof typeof LISTS]
    if (!list) return (isOurs(request) ? ours : theirs)(request, context)
    const [fixed, offered] = [await ours(request, context), await theirs(request, context)]
    return { ...offered, [list]: [...((offered[list] ?? []) as unknown[]), ...((fixed[list] ?? []) as unknown[])] }
  }

const nothing: Plain = async () => ({})

const isOurs = ({ params: { name, uri, ref } = {} }: Asked): boolean =>
  OURS.test(name ?? uri ?? ref?.name ?? ref?.uri ?? '')

/** The fixtures are registered with a server of the library's that is never connected: what it would do is taken over. */
const fixtures = (notices: Notices): Table => {
  const table: Table = {}
  const server = new McpServer({ name: 'fixtures', version: '0.0.0' })
  server.server.setRequestHandler = (method: string, handler: unknown) => {
    table[method] = handler as Plain
  }
  registerFixtures(server, notices)
  return table
}
