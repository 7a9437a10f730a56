import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { whoami } from '../support/whoami.ts'

const ROOT = join(import.meta.dirname, '../..')

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

/** A project of somebody else's that has the package installed. */
const project = () => {
  const folder = scratch()
  mkdirSync(join(folder.path, 'node_modules'))
  symlinkSync(ROOT, join(folder.path, 'node_modules/bellhop'))
  folder.write('package.json', '{ "type": "module" }')
  return folder
}

test('the client is imported by its public name, and asks, commands, says and follows', async () => {
  using folder = project()
  folder.write(
    'script.js',
    `import { createClient } from 'bellhop/client'
const [url, token] = process.argv.slice(2)
const client = createClient({ url, token })
const show = (value) => console.log(JSON.stringify(value))
show(await client.ask('whoami'))
show((await client.command('mode', {}, { room: 'quiet', id: 'mode' })).value.output)
const { value } = await client.say({ room: 'quiet', id: 'read', text: '@codex read README.md' })
const kinds = []
await client.items({ turn: value.assignments[0].turn }, ({ kind, item }) => kinds.push(kind + ' ' + (item?.type ?? '')), AbortSignal.timeout(20000))
show(kinds)
show(await client.ask('show', { entry: 'nothing' }))
`,
  )
  const { stdout } = await execa(process.execPath, ['script.js', house.url, house.tokens.admin], {
    cwd: folder.path,
    env: {},
    extendEnv: false,
  })
  expect(stdout.split('\n').map((line) => JSON.parse(line))).toEqual([
    { ok: true, value: whoami({ name: OWNER, role: 'admin', face: 'api', via: null }) },
    { room: 'quiet', mode: 'execute' },
    [
      'started userMessage',
      'completed userMessage',
      'started toolStep',
      'completed toolStep',
      'started agentMessage',
      'delta ',
      'completed agentMessage',
    ],
    {
      ok: false,
      refusal: { code: 'entry-unknown', message: 'there is no entry nothing', remedy: 'look the id up with /evidence' },
    },
  ])
})

const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
  },
  include: ['*.ts'],
}

const compile = (folder: string) =>
  execa(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], { reject: false, cwd: folder })

test('its types are whole, and know what each operation takes and answers', async () => {
  using folder = project()
  folder.write('tsconfig.json', JSON.stringify(OPTIONS))
  folder.write(
    'right.ts',
    `import { createClient, type Entry, type ItemEvent } from 'bellhop/client'
const client = createClient({ url: 'http://localhost:7070', token: '' })
export const tools = async (): Promise<string[]> => {
  const found = await client.ask('evidence', { event: 'step-ended', limit: 5, tag: ['room/lobby'] })
  if (!found.ok) throw new Error(found.refusal.remedy)
  return found.value.entries.flatMap(({ body }: Entry) => (body.event === 'step-ended' ? [body.tool] : []))
}
export const mode = async (): Promise<'discuss' | 'diagnose' | 'execute' | undefined> => {
  const done = await client.command('mode', { to: 'diagnose' }, { room: 'lobby' })
  return done.ok ? done.value.output?.mode : undefined
}
export const text = (event: ItemEvent): string => (event.kind === 'delta' ? event.text : event.item.id)
`,
  )
  expect(await compile(folder.path)).toMatchObject({ stdout: '', exitCode: 0 })

  folder.write(
    'wrong.ts',
    `import { createClient } from 'bellhop/client'
const client = createClient({ url: 'http://localhost:7070', token: '' })
export const wrong = [
  client.ask('evidence', { event: 'party' }),
  client.ask('mode', {}),
  client.ask('show'),
  client.command('mode', { to: 'party' }),
  client.command('who', {}),
]
`,
  )
  const { stdout, exitCode } = await compile(folder.path)
  expect([exitCode === 0, stdout.match(/wrong\.ts\(\d+/g)]).toEqual([
    false,
    [4, 5, 6, 7, 8].map((line) => `wrong.ts(${line}`),
  ])
})
