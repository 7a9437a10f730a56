// A little MCP server with good tools and bad ones. What it says of them stands in a file of the workspace.
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const about = () => {
  try {
    return readFileSync('about.txt', 'utf8').trim()
  } catch {
    return 'Says it again.'
  }
}

/** @param {unknown} said */
const text = (said, isError = false) => ({ content: [{ type: 'text', text: String(said) }], isError })

/** @param {() => unknown} work */
const tried = (work) => {
  try {
    return text(work() ?? 'done')
  } catch (error) {
    return text(/** @type {NodeJS.ErrnoException} */ (error).code, true)
  }
}

let calls = 0

/** By name: what it does with the text that it is given. @type {Record<string, (given: string, all: object) => any>} */
const tools = {
  echo: (given) => text(given),
  loose: (_given, all) => text(JSON.stringify(all)),
  env: (name) => text(process.env[name] ?? 'nothing'),
  count: () => text(++calls),
  fails: () => text('no such page', true),
  errs: () => {
    throw new Error('a bug')
  },
  dies: () => {
    process.stderr.write('out of order\n')
    process.exit(3)
  },
  hangs: () => new Promise(() => {}),
  floods: () => {
    // A full pipe is tried again.
    for (;;) tried(() => writeSync(1, 'x'.repeat(65_536)))
  },
  pings: () => {
    const params = { _meta: { pad: 'x'.repeat(60_000) } }
    for (let id = 0; id < 1000; id++) console.log(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params }))
    return new Promise(() => {})
  },
  garbage: () => {
    process.stdout.write('Listening on port 80\n')
    return new Promise(() => {})
  },
  long: (lines) => text(Array.from({ length: Number(lines) }, (_, i) => `line ${i + 1}`).join('\n')),
  huge: () => text('x'.repeat(9 * 1024 * 1024)),
  writes: (path) => tried(() => writeFileSync(path, 'written\n')),
  reads: (path) => tried(() => readFileSync(path, 'utf8')),
  fetches: async (address) =>
    text(
      await fetch(address).then(
        ({ status }) => status,
        ({ cause }) => `no answer: ${cause}`,
      ),
    ),
  image: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }),
}

const inputSchema = {
  type: /** @type {const} */ ('object'),
  properties: { text: { type: 'string', maxLength: 500 } },
  required: ['text'],
  additionalProperties: false,
}

if (process.argv.includes('--broken')) {
  process.stderr.write('no config\n')
  process.exit(1)
}

const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler('tools/list', () => ({
  tools: Object.keys(tools).map((name) => ({
    name,
    description: about(),
    inputSchema: name === 'loose' ? { type: 'object' } : inputSchema,
  })),
}))
server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) =>
  tools[name]?.(String(given['text']), given),
)
await server.connect(new StdioServerTransport())
