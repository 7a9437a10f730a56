import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { scratch } from '../support/folder.ts'
import type { Tools } from './tools.ts'

/** The sets of scenarios, each by what runs it. The two revisions are frozen sets, each on a wire of its own. */
export const SETS = {
  '2025-11-25': ({ conformance }: Tools) => [conformance, '--requirements', '2025-11-25'],
  '2026-07-28': ({ conformance }: Tools) => [conformance, '--requirements', '2026-07-28'],
  '0.1.16': ({ older }: Tools) => [older, '--suite', 'all'],
}
export type SetName = keyof typeof SETS

/** What a set came to: a line for each scenario, and those apart that do not count towards conformance. */
export type Outcome = { exitCode: number | undefined; required: string[]; unscored: string[] }

const SUITE_MS = 50_000

/** Runs one set of the conformance suite against a server. */
export const runSuite = async (tools: Tools, set: SetName, url: string): Promise<Outcome> => {
  using folder = scratch()
  const [program = '', ...which] = SETS[set](tools)
  const args = [program, 'server', '--url', url, ...which, '-o', folder.path]
  const { exitCode, stdout, stderr } = await execa(tools.node, args, {
    reject: false,
    timeout: SUITE_MS,
    cwd: folder.path,
  })
  const { summary, unscored } = readSummary(stdout)
  if (summary.length === 0) throw new Error(`the suite did not come to an end:\n${stdout}\n${stderr}`)
  const lines = await Promise.all(
    summary.map(async (row) => ({
      ...row,
      line: `${row.scenario} ${row.passed}/${row.passed + row.failed}${await reasons(folder.path, row)}`,
    })),
  )
  return {
    exitCode,
    required: lines.filter(({ scenario }) => !unscored.has(scenario)).map(({ line }) => line),
    unscored: lines.filter(({ scenario }) => unscored.has(scenario)).map(({ line }) => line),
  }
}

type Row = { scenario: string; passed: number; failed: number }

const readSummary = (text: string): { summary: Row[]; unscored: Set<string> } => ({
  summary: [...text.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)].map(([, scenario = '', passed, failed]) => ({
    scenario,
    passed: Number(passed),
    failed: Number(failed),
  })),
  unscored: new Set([...text.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, scenario = '']) => scenario)),
})

type Check = { id: string; status: string; errorMessage?: string }

/** Why a scenario failed, as the suite says it; what is not offered at all needs no reasons. */
const reasons = async (folder: string, { scenario, failed }: Row): Promise<string> => {
  if (failed === 0 || scenario.startsWith('tasks-')) return ''
  const dated = new RegExp(`^server-${scenario}-\\d{4}-\\d\\d-\\d\\dT`)
  const found = (await readdir(folder)).find((name) => dated.test(name))
  const checks: Check[] = found ? JSON.parse(await readFile(join(folder, found, 'checks.json'), 'utf8')) : []
  const wrong = checks.filter(
    ({ status, errorMessage = '' }) => status === 'FAILURE' && !errorMessage.startsWith('Not testable: '),
  )
  return wrong.length === 0 ? '' : `: ${wrong.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('; ')}`
}
