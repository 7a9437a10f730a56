import { copyFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

const DEPLOY = join(import.meta.dirname, '../../docs/deploy')
const promtool = (...args: string[]) =>
  execa('promtool', args, { cwd: join(DEPLOY, 'prometheus'), reject: false, all: true })

test.each([
  ['check', 'rules', 'bellhop.rules.yml'],
  ['test', 'rules', 'bellhop.rules.test.yml'],
])('promtool %s %s %s', async (...args) => {
  const { exitCode, all } = await promtool(...args)
  expect([exitCode, all]).toEqual([0, expect.stringContaining('SUCCESS')])
})

type Panel = { title: string; targets?: { expr: string }[] }
type Answer = { status: string; data: { result: unknown[] }; error?: string }

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return port
}

test('a real Prometheus with the documented config scrapes an instance, and answers what the dashboard asks', async () => {
  using workspace = testWorkspace()
  using folder = scratch()
  await using instance = await startUp({ workspace: workspace.path })
  must(await converse(instance.client, { room: 'lobby', text: '@claude read README.md' }, AbortSignal.timeout(60_000)))
  const minted = await bellhop(['token', 'mint', '--person', 'prometheus', '--role', 'viewer', '--data', instance.data])
  folder.write('bellhop.token', minted.stdout)
  copyFileSync(join(DEPLOY, 'prometheus/bellhop.rules.yml'), join(folder.path, 'bellhop.rules.yml'))
  const documented = readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8')
  const config = folder.write(
    'prometheus.yml',
    documented.replace('127.0.0.1:7070', new URL(instance.url).host).replaceAll('15s', '1s'),
  )
  expect((await execa('promtool', ['check', 'config', config], { reject: false })).exitCode).toBe(0)

  const port = await freePort()
  const server = execa(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder.path, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { reject: false, all: true },
  )
  const ask = async (query: string): Promise<Answer> =>
    (await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`)).json() as Promise<Answer>
  try {
    await eventually('a turn to be scraped', async () => {
      const said = await ask('sum(bellhop_turn_seconds_count{outcome="done"})').catch(() => null)
      return said?.data.result.length === 1 && (await ask('up{job="bellhop"} == 1')).data.result.length === 1
    })
    const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/bellhop.json'), 'utf8')) as { panels: Panel[] }
    const expressions = panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')),
    )
    const answers = await Promise.all(expressions.map(async (expr) => ({ expr, ...(await ask(expr)) })))
    expect(answers.filter(({ status }) => status !== 'success')).toEqual([])
    const empty = answers.filter(({ data }) => data.result.length === 0).map(({ expr }) => expr)
    // Without a network, a model, a trouble or a lost lease there is nothing to say of them.
    const none = /network|tokens|cost|leases|stalled|drains_failed|refusals|deliver|rate\(|increase\(/
    expect(empty.filter((expr) => !none.test(expr))).toEqual([])
    const rules = (await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] }
    }
    expect(rules.data.groups.flatMap((group) => group.rules).filter(({ lastError }) => lastError)).toEqual([])
  } finally {
    server.kill()
    await server
  }
})
