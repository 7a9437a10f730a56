// The Dockerfile without a Docker engine: its commands run one by one on a bare machine, and what they come to is started.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { bareMachine, contextFiles, giveToUser, REPOSITORY } from './bare.ts'
import { buildImage, buildStage, dockerfile, finalStage, type Machine } from './build.ts'
import { environmentOf, packagesOf, said } from './dockerfile.ts'

let built: Awaited<ReturnType<typeof buildImage>>
let image: Machine

beforeAll(async () => {
  built = await buildImage()
  image = built.image
}, 600_000)
afterAll(() => built?.[Symbol.dispose]())

test('what is copied is in the clone, and a build is given nothing that is not needed', () => {
  const files = contextFiles()
  const copied = said(buildStage, 'COPY').flatMap((text) => text.split(' ').slice(0, -1))
  expect(copied.filter((path) => path !== '.' && !files.includes(path))).toEqual([])
  const tops = [...new Set(files.map((file) => file.split('/')[0]))].sort()
  expect(tops).toEqual(
    'LICENSE README.md SECURITY.md adapters bellhop config docs package-lock.json package.json src tsconfig.json'.split(
      ' ',
    ),
  )
})

test('every package that is installed is in Debian, and the image has what peripherals run', async () => {
  const wanted = [...packagesOf(buildStage), ...packagesOf(finalStage)]
  const { stdout } = await execa('apt-cache', ['show', '--no-all-versions', ...wanted])
  const known = [...stdout.matchAll(/^Package: (\S+)$/gm)].map(([, name]) => name)
  expect(wanted.filter((name) => !known.includes(name))).toEqual([])
  expect(packagesOf(finalStage)).toEqual(['bubblewrap', 'ca-certificates', 'git', 'redis-server', 'ripgrep', 'tini'])
})

test('both stages begin with one image, which is pinned to a version, and the last is nobody special', () => {
  const [argument = ''] = dockerfile.match(/^ARG .*$/m) ?? []
  expect(argument).toMatch(/^ARG NODE=node:\d+\.\d+\.\d+-[a-z]+-slim$/)
  expect([said(buildStage, 'FROM'), said(finalStage, 'FROM')]).toEqual([[`$${'{NODE}'} AS build`], [`$${'{NODE}'}`]])
  expect(said(finalStage, 'USER')).toEqual(['1000:1000'])
})

test('the image holds the package and what it runs with, and neither sources nor tools', async () => {
  const modules = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as Record<string, object>
  const inImage = (name: string): boolean => existsSync(image.at(`/opt/bellhop/node_modules/${name}`))
  expect(
    Object.keys(modules['devDependencies'] ?? {})
      .filter(inImage)
      .filter((name) => !name.startsWith('@types/')),
  ).toEqual([])
  expect(Object.keys(modules['dependencies'] ?? {}).filter((name) => !inImage(name))).toEqual([])
  const absent = ['src/cli.ts', 'test', 'tsconfig.json', 'node_modules/better-sqlite3/deps']
  expect(absent.filter((path) => existsSync(image.at(`/opt/bellhop/${path}`)))).toEqual([])
  const { components } = JSON.parse(readFileSync(image.at('/opt/bellhop/dist/sbom.cdx.json'), 'utf8'))
  expect(components.map(({ name }: { name: string }) => name)).toContain('better-sqlite3')
  const { stdout } = await execa('du', ['-sm', image.at('/opt/bellhop')])
  console.log(`the image holds ${Number.parseInt(stdout, 10)} MB of Bellhop, besides Node and Debian's packages`)
})

test('the image comes up as its user, is healthy while it runs, answers, and ends in order', async () => {
  const port = await freePort()
  const env = { ...environmentOf(finalStage), BELLHOP_PORT: String(port) }
  const entry = JSON.parse(said(finalStage, 'ENTRYPOINT')[0] ?? '[]') as string[]
  const command = JSON.parse(said(finalStage, 'CMD')[0] ?? '[]') as string[]
  expect([entry.slice(0, 2), command]).toEqual([['tini', '--'], ['up']])
  const [, ask = '[]'] = /CMD (\[.*\])$/.exec(said(finalStage, 'HEALTHCHECK')[0] ?? '') ?? []
  const asUser = { cwd: '/workspace', env, asUser: true }
  const healthy = async () => (await image.run(JSON.parse(ask), asUser)).exitCode
  writeFileSync(image.at('/workspace/README.md'), '# kettle\n')
  giveToUser(image.at('/workspace/README.md'))

  expect(await healthy()).toBe(1)
  const running = start(image, [...entry.slice(2), ...command], asUser)
  await running.ready()
  expect(running.output()).toMatch(new RegExp(`^ready {2}http://127\\.0\\.0\\.1:${port}$`, 'm'))
  const { stdout: link } = await image.run(['bellhop', 'link'], asUser)
  expect(link).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/\\?token=[\\w-]+$`))
  expect(await healthy()).toBe(0)
  const { stdout } = await image.run(['bellhop', 'say', '@claude read README.md', '--json'], asUser)
  expect(JSON.parse(stdout).replies.map(({ text }: { text: string }) => text)).toEqual([
    expect.stringContaining('kettle'),
  ])
  expect([await running.stop(), await healthy()]).toEqual([0, 1])
  expect(running.output()).toContain('everything that was started has ended')
})

test('the package holds what it should, and nothing else', async () => {
  const { stdout } = await execa('tar', ['-tzf', built.tarball])
  const packed = stdout.split('\n').map((path) => path.replace(/^package\//, ''))
  const files = contextFiles()
  const under = (...folders: string[]) =>
    files.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)))
  // What the entries share, under names that change with what is in them.
  const parts = packed.filter((file) => /^dist\/src\/parts\/[\w.-]+\.js$/.test(file))
  expect(parts.length).toBeGreaterThan(0)
  expect(packed.sort()).toEqual(
    [
      ...['LICENSE', 'README.md', 'SECURITY.md', 'bellhop', 'package.json', 'src/doctor.mjs', 'dist/sbom.cdx.json'],
      ...['dist/src/cli.js', 'dist/src/client/client.js', ...parts],
      ...under('adapters/web', 'config', 'docs'),
    ].sort(),
  )
  const images = packed.filter((file) => file.endsWith('.png')).map((file) => statSync(join(REPOSITORY, file)).size)
  expect(images.filter((bytes) => bytes > LARGE_IMAGE)).toEqual([])
  const { size } = statSync(built.tarball)
  console.log(`the npm package: ${packed.length} files, ${(size / 1e6).toFixed(1)} MB`)
  expect(size).toBeLessThan(LARGE_PACKAGE)
})

const LARGE_IMAGE = 400_000
const LARGE_PACKAGE = 6_000_000

test('the package is fit to publish: npm has nothing to correct in it', async () => {
  const published = await built.builder.run(['npm', 'publish', '--dry-run', '--ignore-scripts', '--tag', 'next'], {
    cwd: '/build',
    env: { npm_config_cache: '/npm' },
  })
  const complaints = published.all
    .split('\n')
    .filter((line) => /npm (warn|error)/.test(line) && !/logged in/.test(line))
  expect([published.exitCode, complaints]).toEqual([0, []])
})

test('npx of the package, in an empty folder and with an empty home, comes up and answers', async () => {
  using machine = await bareMachine()
  for (const folder of ['/empty', '/package']) mkdirSync(machine.at(folder))
  writeFileSync(machine.at('/package/bellhop.tgz'), readFileSync(built.tarball))
  const npx = ['npx', '--yes', '--package', '/package/bellhop.tgz', '--', 'bellhop']
  const env = {
    npm_config_cache: '/npm',
    npm_config_prefer_offline: 'true',
    BELLHOP_CACHE: '/cache',
    // As where npm runs no install scripts; else they are tried first, and what they bring is taken.
    ...(process.env['BELLHOP_LONG'] === '1' ? {} : { npm_config_ignore_scripts: 'true' }),
  }
  const running = start(machine, [...npx, 'up', '--port', '0'], { cwd: '/empty', env })
  await running.ready()
  const said = await machine.run([...npx, 'say', '@codex list the files', '--json'], { cwd: '/empty', env })
  const { receipt, replies } = JSON.parse(said.stdout)
  expect([receipt.assignments[0].agent, replies.length]).toEqual(['codex-1', 1])
  expect(await running.stop()).toBe(0)
})

/** Starts a program on a machine; `stop` signals Bellhop itself, as Docker and a terminal do, not what is around it. */
const start = (machine: Machine, command: string[], options: Parameters<Machine['run']>[1]) => {
  const child = machine.run(command, options)
  let output = ''
  let isOver = false
  child.all.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const ended = child.then(({ exitCode }) => {
    isOver = true
    return exitCode
  })
  return {
    output: () => output,
    ready: async () => {
      await eventually('it to be ready', () => isOver || /^ready {2}/m.test(output), 120_000).catch(() => {})
      if (!/^ready {2}/m.test(output)) throw new Error(`it is not ready:\n${output}`)
    },
    stop: async () => {
      for (const pid of await within(child.pid ?? 0, 'dist/src/cli.js up')) process.kill(pid, 'SIGTERM')
      return ended
    },
  }
}

/** The processes below one whose command line has some words. */
const within = async (parent: number, words: string): Promise<number[]> => {
  const { stdout } = await execa('ps', ['-eo', 'pid=,ppid=,args='])
  const all = stdout.split('\n').map((line) => {
    const [, pid, above, args = ''] = /^\s*(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? []
    return { pid: Number(pid), above: Number(above), args }
  })
  const below = (pid: number): typeof all =>
    all.filter(({ above }) => above === pid).flatMap((one) => [one, ...below(one.pid)])
  return below(parent)
    .filter(({ args }) => args.includes(words) && args.startsWith('node'))
    .map(({ pid }) => pid)
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
