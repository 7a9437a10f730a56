import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'

const COMMITTED = join(import.meta.dirname, '../../docs/schemas')
const committed = (name: string) => readFileSync(join(COMMITTED, name), 'utf8')
const filesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

test('every protocol is written into a folder, as JSON Schema and as TypeScript', async () => {
  using folder = scratch()
  const [json, ts] = [
    await bellhop(['schema', '--json', '--out', join(folder.path, 'schemas')]),
    await bellhop(['schema', '--ts', '--out', join(folder.path, 'schemas')]),
  ]
  expect([json.exitCode, ts.exitCode, filesIn(join(folder.path, 'schemas'))]).toEqual([0, 0, filesIn(COMMITTED)])
  expect(`${json.stdout}\n${ts.stdout}`.split('\n').sort()).toEqual(
    Object.keys(filesIn(COMMITTED)).map((name) => join(folder.path, 'schemas', name)),
  )
})

test('without a folder it is printed: as one JSON value, or as one file of declarations', async () => {
  const { stdout } = await bellhop(['schema', '--json'])
  const names = readdirSync(COMMITTED).filter((name) => name.endsWith('.json'))
  expect(JSON.parse(stdout)).toEqual(
    Object.fromEntries(names.map((name) => [name.replace('.json', ''), JSON.parse(committed(name))])),
  )
  expect(`${(await bellhop(['schema', '--ts'])).stdout}\n`).toBe(committed('bellhop.d.ts'))
})

test('one language has to be named', async () => {
  const [none, both] = [await bellhop(['schema']), await bellhop(['schema', '--ts', '--json'])]
  expect([none.exitCode, none.stderr, both.exitCode]).toEqual([
    1,
    'bellhop: a schema in which language?\n  say --json or --ts',
    1,
  ])
})
