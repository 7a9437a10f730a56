import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { startUp } from '../support/instance.ts'
import { testWorkspace } from '../support/workspace.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')

/** The examples of the page: what is run, and what it says. */
const examples = [...page.matchAll(/^```(sh|ts) run\n([\s\S]*?)^```\n^```text\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', code = '', output = '']) => ({ language, code, output: output.trimEnd() }),
)

/** What an example says, with `…` for what differs from time to time. */
const saying = (output: string): RegExp =>
  new RegExp(
    `^${output
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*')}$`,
  )

const workspace = testWorkspace()
const folder = scratch()
let instance: Awaited<ReturnType<typeof startUp>>
let said: string[]
beforeAll(async () => {
  instance = await startUp({ workspace: workspace.path })
  folder.write('bin/bellhop', `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'dist/src/cli.js')} "$@"\n`)
  chmodSync(join(folder.path, 'bin/bellhop'), 0o755)
  mkdirSync(join(folder.path, 'node_modules'))
  symlinkSync(ROOT, join(folder.path, 'node_modules/bellhop'))
  folder.write('package.json', '{ "type": "module" }')
  said = await runAll()
})
afterAll(async () => {
  await instance.stop()
  folder[Symbol.dispose]()
  workspace[Symbol.dispose]()
})

const run = async (file: string, args: string[]): Promise<string> => {
  const env = {
    PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}`,
    BELLHOP: instance.url,
    BELLHOP_DATA: instance.data,
    TOKEN: instance.secrets.admin,
  }
  return (await execa(file, args, { cwd: folder.path, env, extendEnv: false, timeout: 60_000 })).stdout
}

/** The shell is the same for all: what one example sets, the next one has. What each one says ends with a mark. */
const runAll = async (): Promise<string[]> => {
  const shell = examples.filter(({ language }) => language === 'sh').map(({ code }) => `${code}\nprintf '\\0'\n`)
  const told = await run('bash', ['--norc', '-euo', 'pipefail', '-c', shell.join('\n')])
  const programs = examples.filter(({ language }) => language === 'ts')
  return [...told.split('\0').slice(0, -1), ...(await Promise.all(programs.map(({ code }) => runProgram(code))))]
}

const runProgram = async (code: string): Promise<string> => {
  folder.write('example.ts', code)
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: ['node'], typeRoots }
  folder.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['example.ts'] }))
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')])
  return run(process.execPath, ['example.js'])
}

test('the page has its examples, programs last', () => {
  expect(examples.map(({ language }) => language)).toEqual([...Array<string>(9).fill('sh'), 'ts'])
  expect(page.match(/^```(?:sh|ts)/gm)?.length).toBe(examples.length)
})

test.each(examples.map(({ code, output }, n) => [n + 1, code.trim().split('\n').at(-1), output] as const))(
  'example %i says what it is said to: %s',
  (n, _line, output) => {
    expect(said[n - 1]?.trimEnd()).toMatch(saying(output))
  },
)
