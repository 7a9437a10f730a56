import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
import { createAgentTools } from './agents.ts'
import { createCompletion } from './completion.ts'
import type { Guest } from './guest.ts'
import type { Era, Handlers, McpHouse, McpLimits, Offer } from './house.ts'
import type { Link } from './link.ts'
import { createPersonTools } from './people.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { createResources } from './resources.ts'
import { templates } from './target.ts'

type Options = { house: McpHouse; limits: McpLimits; guest: Guest; link: Link; era: Era }

/** Makes servers for one principal: all that it is offered is put together once, and a server from that at little cost. */
export const createBuild = (options: Options): (() => Server) => {
  const { house, guest, link, era } = options
  const whole: Offer = { options: optionsFor(guest), handlers: handlersFor(options) }
  const offer = house.toolsOnly ? onlyTools(whole) : whole
  const whom = { principal: guest.principal, era, notices: link.notices }
  const extended = house.extend ? house.extend(offer, whom) : offer
  const guarded = Object.entries(extended.handlers).map(([method, handle]) => [method, guard(house, handle)] as const)
  return () => {
    const server = new Server(
      { name: 'bellhop', title: 'Bellhop', version: house.version },
      { ...extended.options, debouncedNotificationMethods: ['notifications/tools/list_changed'] },
    )
    for (const [method, handle] of guarded) server.setRequestHandler(method as 'tools/list', handle as never)
    return server
  }
}

/** The tools of an offer, and nothing else of it. */
const onlyTools = ({ options, handlers }: Offer): Offer => ({
  options: { ...options, capabilities: { tools: { listChanged: true } } },
  handlers: Object.fromEntries(Object.entries(handlers).filter(([method]) => method.startsWith('tools/'))),
})

const optionsFor = ({ principal: { grant } }: Guest): Offer['options'] => ({
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
  },
  instructions: grant
    ? `You are ${grant.agent} in the room ${grant.room}. Your tools are those of the peripheral you are in; hop asks for another, and the list changes with it. Every call is a step, and every step is evidence.`
    : 'You speak as a person. What only looks is answered at once; what changes something is said in a room.',
})

const handlersFor = ({ house, limits, guest, link, era }: Options): Handlers => {
  const { principal } = guest
  const tools = principal.grant ? createAgentTools({ house, limits, guest, link }) : createPersonTools(house, principal)
  const resources = createResources(house, principal)
  const complete = createCompletion(house, principal, resources)
  const handlers: Handlers = {
    'tools/list': async () => {
      const hasListed = link.lists()
      const listed = await tools.list()
      hasListed()
      return { tools: listed }
    },
    'tools/call': ({ params }, context) => tools.call(params, context),
    'resources/list': async () => ({ resources: await resources.list() }),
    'resources/templates/list': () => ({ resourceTemplates: templates }),
    'resources/read': async ({ params: { uri } }) => ({ contents: [await resources.read(uri)] }),
    'prompts/list': () => ({ prompts: listPrompts(house.specs) }),
    'prompts/get': ({ params }) => getPrompt(house.specs, params.name, params.arguments),
    'completion/complete': ({ params }) => complete(params),
  }
  return era === 'modern' ? handlers : { ...handlers, ...subscribing(link, limits) }
}

/** How a client of the older era says what it watches; one of the newer says so when it opens a stream. */
const subscribing = (link: Link, { watchesEach }: McpLimits): Handlers => ({
  'resources/subscribe': ({ params: { uri } }) => {
    if (link.watches(uri)) return {}
    if (link.watching().size >= watchesEach)
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `no more than ${watchesEach} resources can be watched`)
    if (!link.watch(uri)) throw new ResourceNotFoundError(uri)
    return {}
  },
  'resources/unsubscribe': ({ params: { uri } }) => {
    link.unwatch(uri)
    return {}
  },
})

type Handle = (request: never, context: never) => unknown

/** What fails in the house is not told to clients: they learn that it failed, and the log why. */
const guard =
  ({ log }: McpHouse, handle: Handle): Handle =>
  async (request, context) => {
    try {
      return await handle(request, context)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      log('an MCP request failed', { error: (error as Error).stack ?? String(error) })
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'it failed; the log of the instance says why')
    }
  }
