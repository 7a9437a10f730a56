import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

/** What the registry asks of a manifest, as far as it concerns this one. */
const Manifest = z.strictObject({
  $schema: z.url(),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().max(100),
  description: z.string().min(1).max(100),
  version: z.string(),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: z.string(),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(z.record(z.string(), z.unknown())),
      environmentVariables: z.array(z.record(z.string(), z.unknown())),
    }),
  ]),
})

test('the manifest for the registry names this package, in this version', () => {
  const ours = JSON.parse(textOf('package.json'))
  const { name, version, packages } = Manifest.parse(JSON.parse(textOf('server.json')))
  expect([name, version, packages[0].identifier, packages[0].version]).toEqual([
    ours.mcpName,
    ours.version,
    ours.name,
    ours.version,
  ])
})

/** The pieces of a language in a page. */
const piecesOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, piece = '']) => piece)

type Server = { url?: string; command?: string; args?: string[] }

test('what the page says to write into the configs of clients is well formed, and leads to a door that is there', () => {
  const page = textOf('docs/mcp.md')
  const servers = piecesOf(page, 'json').map((piece) => {
    const { mcpServers, servers: named = mcpServers } = JSON.parse(piece)
    return named.bellhop as Server
  })
  expect(servers.map(({ url, command, args }) => url ?? [command, args?.slice(0, 2)].flat().join(' '))).toEqual([
    'bellhop mcp --workspace',
    'http://127.0.0.1:7070/mcp',
    'bellhop mcp --workspace',
  ])
  const [http = '', stdio = ''] = piecesOf(page, 'toml')
  expect(http).toContain('url = "http://127.0.0.1:7070/mcp"')
  expect(stdio).toContain('args = ["mcp", "--workspace", "/path/to/project"]')
  expect(textOf('config/default.yaml')).toMatch(/^ {2}port: 7070/m)
  expect(textOf('src/house/doors.ts')).toContain("path: '/mcp'")
})

test('the page names every resource there is', async () => {
  const { templates } = await import('../../src/mcp/target.ts')
  const page = textOf('docs/mcp.md')
  expect(templates.filter(({ uriTemplate }) => !page.includes(`\`${uriTemplate}\``))).toEqual([])
})
