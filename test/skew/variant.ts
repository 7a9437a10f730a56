import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import { scratch } from '../support/folder.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The next minor version: one step of the schema that adds, one event more, fields more in what others read. */
export const nextMinor = () => {
  const folder = scratch()
  for (const name of ['src', 'adapters']) cpSync(join(ROOT, name), join(folder.path, name), { recursive: true })
  for (const name of ['config', 'node_modules', 'tsconfig.json']) symlinkSync(join(ROOT, name), join(folder.path, name))
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const [major, minor] = own.version.split('.').map(Number)
  const version = `${major}.${(minor ?? 0) + 1}.0`
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ ...own, version }))

  const change = (file: string, ...pairs: [string, string][]): void => {
    const path = join(folder.path, 'src', file)
    let text = readFileSync(path, 'utf8')
    for (const [from, to] of pairs) {
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
      text = text.replace(from, to)
    }
    writeFileSync(path, text)
  }
  const added = 'create table shade (id text); alter table turn add column shade text;'
  change('evidence/engine/sqlite-schema.ts', [
    '  (sqlite) => sqlite.exec(LISTS),\n]',
    `  (sqlite) => sqlite.exec(LISTS),\n  (sqlite) => sqlite.exec('${added}'),\n]`,
  ])
  change('evidence/engine/postgres-schema.ts', [');\n  `,\n]', `);\n  \`,\n  '${added}',\n]`])
  change(
    'shapes/evidence.ts',
    ['ENTRY_VERSION = 2', 'ENTRY_VERSION = 3'],
    ["body('turn-started', { turn: Id })", "body('turn-started', { turn: Id, shade: z.string().optional() })"],
    [
      "  'turn-started': {",
      "  'shade-cast': { type: 'coordination', claim: 'observation', body: body('shade-cast', { shade: z.string() }) },\n  'turn-started': {",
    ],
    ["  events['turn-started'].body,", "  events['shade-cast'].body,\n  events['turn-started'].body,"],
  )
  change('agents/turn.ts', ["{ event: 'turn-started', turn }", "{ event: 'turn-started', turn, shade: 'new' }"])
  const cast =
    "await parts.store.append([houseDraft(parts.newId(), { event: 'shade-cast', shade: 'new' }, ['lobby'])])\n"
  for (const file of ['house/worker.ts', 'house/gateway.ts'])
    change(
      file,
      [
        'const parts = await openParts',
        "const { houseDraft } = await import('../evidence/drafts.ts')\n  const parts = await openParts",
      ],
      ['  const { config, ', `  ${cast}  const { config, `],
    )
  change('registry/progress.ts', ['JSON.stringify({ ...progress,', "JSON.stringify({ shade: 'new', ...progress,"])
  change('registry/networks.ts', [
    'JSON.stringify({ holder, standing })',
    "JSON.stringify({ shade: 'new', holder, standing: { ...standing, shade: 'new' } })",
  ])
  change('cli.ts', ["kind: 'ready', url", "kind: 'ready', shade: 'new', url"])
  execaSync(process.execPath, [join(folder.path, 'src/build.mjs')])
  return { cli: join(folder.path, 'dist/src/cli.js'), version, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

export const OWN_CLI = join(ROOT, 'dist/src/cli.js')
