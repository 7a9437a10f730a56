import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What a client carries from round to round for us: signed, so that it cannot be changed on the way. */
export const requestState = createRequestStateCodec<{ round: string }>({ key: randomBytes(32) })

const PREFIX = 'test_input_required_result_'

/** Fixtures that want something of the client before they answer: a person's input, a model's, or its roots. */
export const registerAsking = (server: McpServer): void => {
  registerPushed(server)
  registerForms(server)
  registerRounds(server)
  registerStates(server)
  registerCapabilities(server)
  registerPrompt(server)
}

const say = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

type Doing = (ctx: ServerContext) => Promise<CallToolResult | InputRequiredResult>

const tool = (server: McpServer, name: string, description: string, doing: Doing): void => {
  server.registerTool(name, { description, inputSchema: z.object({}) }, (_, ctx) => doing(ctx))
}

const Named = z.object({ name: z.string() })
const askName = (message: string) => inputRequired.elicit({ message, requestedSchema: Named })
const askModel = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

const modelSaid = ({ mcpReq }: ServerContext, key: string): string | null => {
  const answer = inputResponse(mcpReq.inputResponses, key)
  if (answer.kind !== 'sampling') return null
  const { content } = answer.result
  const [part] = Array.isArray(content) ? content : [content]
  return part?.type === 'text' ? part.text : JSON.stringify(content)
}

/** What 2025 sends as requests of the server's own: the same handlers, which the library asks on its own. */
const registerPushed = (server: McpServer): void => {
  const prompt = z.object({ prompt: z.string().describe('The prompt to send to the model') })
  const sampling = { description: 'Asks the model of the client', inputSchema: prompt }
  server.registerTool('test_sampling', sampling, async ({ prompt: text }, ctx) => {
    const said = modelSaid(ctx, 'answer')
    return said === null
      ? inputRequired({ inputRequests: { answer: askModel(text, 100) } })
      : say(`LLM response: ${said}`)
  })
  const message = z.object({ message: z.string().describe('The message to show to the person') })
  const eliciting = { description: 'Asks the person at the client', inputSchema: message }
  server.registerTool('test_elicitation', eliciting, async ({ message: text }, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'answer')
    if (answer.kind === 'elicit')
      return say(`User response: action=${answer.action}, content=${JSON.stringify(answer.content)}`)
    return inputRequired({ inputRequests: { answer: inputRequired.elicit({ message: text, requestedSchema: USER }) } })
  })
}

type Form = Extract<Parameters<typeof inputRequired.elicit>[0]['requestedSchema'], { type: 'object' }>

const USER: Form = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
}

const DEFAULTS: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  required: [],
}

const titled = (kind: string) =>
  ['First', 'Second', 'Third'].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${kind}` }))
const OPTIONS = ['option1', 'option2', 'option3']
const ENUMS: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
  required: [],
}

const registerForms = (server: McpServer): void => {
  const forms: [name: string, description: string, form: Form][] = [
    ['test_elicitation_sep1034_defaults', 'Shows a form with defaults', DEFAULTS],
    ['test_elicitation_sep1330_enums', 'Shows a form with every kind of choice', ENUMS],
  ]
  for (const [name, description, requestedSchema] of forms)
    tool(server, name, description, async ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'form')
      if (answer.kind === 'elicit')
        return say(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`)
      const form = inputRequired.elicit({ message: 'Please fill in the form', requestedSchema })
      return inputRequired({ inputRequests: { form } })
    })
  tool(server, 'test_streaming_elicitation', 'Asks, and streams what it asks', async ({ mcpReq }) => {
    const named = acceptedContent(mcpReq.inputResponses, 'user_name', Named)
    return named
      ? say(`Hello, ${named.name}!`)
      : inputRequired({ inputRequests: { user_name: askName('What is your name?') } })
  })
}

const roots = ({ mcpReq }: ServerContext): string | null => {
  const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
  return answer.kind === 'roots' ? answer.roots.map(({ uri }) => uri).join(', ') : null
}

/** One question and its answer, three kinds of it; what is missing is asked again. */
const registerRounds = (server: McpServer): void => {
  tool(server, `${PREFIX}elicitation`, 'Asks for a name', async ({ mcpReq }) => {
    const named = acceptedContent(mcpReq.inputResponses, 'user_name', Named)
    return named
      ? say(`Hello, ${named.name}!`)
      : inputRequired({ inputRequests: { user_name: askName('What is your name?') } })
  })
  tool(server, `${PREFIX}sampling`, 'Asks the model of the client', async (ctx) => {
    const said = modelSaid(ctx, 'capital_question')
    const capital_question = askModel('What is the capital of France?', 100)
    return said === null ? inputRequired({ inputRequests: { capital_question } }) : say(said)
  })
  tool(server, `${PREFIX}list_roots`, 'Asks for the roots of the client', async (ctx) => {
    const found = roots(ctx)
    const client_roots = inputRequired.listRoots()
    return found === null ? inputRequired({ inputRequests: { client_roots } }) : say(`Roots: ${found}`)
  })
}

const Confirmed = z.object({ ok: z.boolean() })
const askToConfirm = () => inputRequired.elicit({ message: 'Please confirm', requestedSchema: Confirmed })

/** What is remembered between two rounds. */
const registerStates = (server: McpServer): void => {
  const roundOf = ({ mcpReq }: ServerContext) => mcpReq.requestState<{ round: string }>()?.round
  const ask = async (inputRequests: InputRequests, round: string) =>
    inputRequired({ inputRequests, requestState: await requestState.mint({ round }) })
  for (const name of ['request_state', 'tampered_state'])
    tool(server, `${PREFIX}${name}`, 'Asks, and knows what it asked', async (ctx) =>
      roundOf(ctx) === name && acceptedContent(ctx.mcpReq.inputResponses, 'confirm', Confirmed)
        ? say('state-ok')
        : ask({ confirm: askToConfirm() }, name),
    )
  tool(server, `${PREFIX}multiple_inputs`, 'Asks three things at once', async (ctx) => {
    const named = acceptedContent(ctx.mcpReq.inputResponses, 'user_name', Named)
    const greeting = modelSaid(ctx, 'greeting')
    const found = roots(ctx)
    if (roundOf(ctx) === 'all' && named && greeting !== null && found !== null)
      return say(`${greeting} ${named.name}: ${found}`)
    const asked = { user_name: askName('What is your name?'), greeting: askModel('Generate a greeting', 50) }
    return ask({ ...asked, client_roots: inputRequired.listRoots() }, 'all')
  })
  tool(server, `${PREFIX}multi_round`, 'Asks twice', async (ctx) => {
    const { inputResponses } = ctx.mcpReq
    const round = roundOf(ctx)
    const Coloured = z.object({ color: z.string() })
    const coloured = acceptedContent(inputResponses, 'step2', Coloured)
    if (round === '2' && coloured) return say(`Favorite color: ${coloured.color}`)
    if (round === undefined || !acceptedContent(inputResponses, 'step1', Named))
      return ask({ step1: askName('Step 1: What is your name?') }, '1')
    const message = 'Step 2: What is your favorite color?'
    return ask({ step2: inputRequired.elicit({ message, requestedSchema: Coloured }) }, '2')
  })
}

/** What the client of this request can do; in 2026 every request says so itself. */
const capabilitiesOf = ({ mcpReq }: ServerContext): ClientCapabilities =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities

const registerCapabilities = (server: McpServer): void => {
  // A question that the client has not said it can answer is refused by the library, with the error the suite wants.
  tool(server, 'test_missing_capability', 'Works only with a client that has a model', async (ctx) => {
    const said = modelSaid(ctx, 'greeting')
    const greeting = askModel('Generate a greeting', 50)
    return said === null ? inputRequired({ inputRequests: { greeting } }) : say(said)
  })
  tool(server, `${PREFIX}capabilities`, 'Asks only what the client can answer', async (ctx) => {
    if (Object.keys(ctx.mcpReq.inputResponses ?? {}).length > 0) return say('Answered')
    const { sampling, elicitation } = capabilitiesOf(ctx)
    const asked = {
      ...(sampling && { greeting: askModel('Generate a greeting', 50) }),
      ...(elicitation && { user_name: askName('What is your name?') }),
    }
    return Object.keys(asked).length > 0 ? inputRequired({ inputRequests: asked }) : say('There is nothing to ask')
  })
}

const registerPrompt = (server: McpServer): void => {
  const Context = z.object({ context: z.string() })
  const description = 'A prompt that asks for its context'
  server.registerPrompt(`${PREFIX}prompt`, { description }, async ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context', Context)
    if (given) return { messages: [{ role: 'user', content: { type: 'text', text: `Context: ${given.context}` } }] }
    const message = 'What context should the prompt use?'
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema: Context }) },
    })
  })
}
