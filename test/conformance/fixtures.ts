import { setTimeout } from 'node:timers/promises'
import {
  type CallToolResult,
  completable,
  fromJsonSchema,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerAsking } from './fixtures-asking.ts'

/** What the suite calls "a minimal test image": one red pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
/** A WAV file with no sound in it. */
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
/** The pause between two notifications that the suite wants to see one after the other. */
const PAUSE_MS = 50

/**
 * The tools, resources and prompts that the conformance suite calls by name, with the texts it asks for. They are of the
 * test's own profile: the product has none of them.
 */
export const registerFixtures = (
  server: McpServer,
  notify: Pick<ServerNotifier, 'toolsChanged' | 'promptsChanged'>,
) => {
  registerContents(server)
  registerProcesses(server)
  registerTriggers(server, notify)
  registerSchemas(server)
  registerResources(server)
  registerPrompts(server)
  registerAsking(server)
}

type Content = CallToolResult['content']

const say = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** What a tool answers, without anything else happening. */
const CONTENTS: Record<string, { description: string; content: Content }> = {
  test_simple_text: {
    description: 'Answers with text',
    content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  },
  test_image_content: {
    description: 'Answers with an image',
    content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }],
  },
  test_audio_content: {
    description: 'Answers with a sound',
    content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  },
  test_embedded_resource: {
    description: 'Answers with a resource inside of it',
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  },
  test_multiple_content_types: {
    description: 'Answers with text, an image and a resource',
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  },
}

const registerContents = (server: McpServer): void => {
  for (const [name, { description, content }] of Object.entries(CONTENTS))
    server.registerTool(name, { description, inputSchema: z.object({}) }, async () => ({ content }))
}

type Doing = (ctx: ServerContext) => Promise<CallToolResult>

const tool = (server: McpServer, name: string, description: string, doing: Doing): void => {
  server.registerTool(name, { description, inputSchema: z.object({}) }, (_, ctx) => doing(ctx))
}

/** Tools that say something while they run, or fail. */
const registerProcesses = (server: McpServer): void => {
  tool(server, 'test_error_handling', 'Fails', async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  tool(server, 'test_tool_with_logging', 'Logs three times', async (ctx) => {
    await ctx.mcpReq.log('info', 'Tool execution started')
    await setTimeout(PAUSE_MS)
    await ctx.mcpReq.log('info', 'Tool processing data')
    await setTimeout(PAUSE_MS)
    await ctx.mcpReq.log('info', 'Tool execution completed')
    return say('Tool with logging executed successfully')
  })
  tool(server, 'test_logging_tool', 'Logs, where the request asks for a log', async (ctx) => {
    await ctx.mcpReq.log('info', 'Logging tool executed')
    return say('Logging tool executed')
  })
  tool(server, 'test_tool_with_progress', 'Reports 0, 50 and 100 of 100', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await setTimeout(PAUSE_MS)
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    }
    return say('Tool with progress executed successfully')
  })
  tool(server, 'test_reconnection', 'Closes its stream before it answers', async (ctx) => {
    ctx.http?.closeSSE?.()
    await setTimeout(2 * PAUSE_MS)
    return say('Reconnection test completed successfully')
  })
}

/** Tools after which a list is said to have changed. */
const registerTriggers = (server: McpServer, notify: Pick<ServerNotifier, 'toolsChanged' | 'promptsChanged'>): void => {
  tool(server, 'test_trigger_tool_change', 'Says that the tools have changed', async () => {
    notify.toolsChanged()
    return say('Tool list changed')
  })
  tool(server, 'test_trigger_prompt_change', 'Says that the prompts have changed', async () => {
    notify.promptsChanged()
    return say('Prompt list changed')
  })
}

/** JSON Schema as the suite wants it back, word for word. */
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

type JsonSchema = Parameters<typeof fromJsonSchema>[0]

const registerSchemas = (server: McpServer): void => {
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: fromJsonSchema<Record<string, unknown>>(SCHEMA_2020_12 as unknown as JsonSchema),
    },
    async () => say('Accepted'),
  )
}

const registerResources = (server: McpServer): void => {
  const text = { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  const about = { description: 'A text that does not change', mimeType: 'text/plain' }
  server.registerResource('static-text', 'test://static-text', about, async ({ href }) => ({
    contents: [{ uri: href, ...text }],
  }))
  const picture = { description: 'A picture that does not change', mimeType: 'image/png' }
  server.registerResource('static-binary', 'test://static-binary', picture, async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }],
  }))
  const watched = { description: 'A text to subscribe to', mimeType: 'text/plain' }
  server.registerResource('watched-resource', 'test://watched-resource', watched, async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Watched resource content' }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const templated = { description: 'Data by its id', mimeType: 'application/json' }
  server.registerResource('template', template, templated, async ({ href }, { id }) => {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri: href, mimeType: 'application/json', text: data }] }
  })
}

const userSays = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })

const registerPrompts = (server: McpServer): void => {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, async () => ({
    messages: [userSays('This is a simple prompt for testing.')],
  }))
  const offered = completable(z.string().describe('First test argument'), (typed) =>
    ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)),
  )
  const argsSchema = z.object({ arg1: offered, arg2: z.string().describe('Second test argument') })
  const parameterized = { description: 'A prompt with arguments', argsSchema }
  server.registerPrompt('test_prompt_with_arguments', parameterized, async ({ arg1, arg2 }) => ({
    messages: [userSays(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }))
  const address = z.object({ resourceUri: z.string().describe('URI of the resource to embed') })
  const embedding = { description: 'A prompt with a resource in it', argsSchema: address }
  server.registerPrompt('test_prompt_with_embedded_resource', embedding, async ({ resourceUri }) => {
    const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }
    return {
      messages: [
        { role: 'user', content: { type: 'resource', resource } },
        userSays('Please process the embedded resource above.'),
      ],
    }
  })
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image in it' }, async () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      userSays('Please analyze the image above.'),
    ],
  }))
}
