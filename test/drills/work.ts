import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWorkspace } from '../support/workspace.ts'

/** Puts down that it has begun, takes its time, and puts down that it is done: each time it is run, whoever runs it. */
const TALLY = `
import os, sys, time
name, seconds = sys.argv[1], float(sys.argv[2])
def put(word):
    log = os.open('tally/log', os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f'{word} {name}\\n'.encode())
    os.close(log)
put('begun')
time.sleep(seconds)
put('done')
`

/** A workspace with work whose every run can be counted: undo does not touch what it leaves, since git does not see it. */
export const drillWorkspace = () => {
  const folder = testWorkspace()
  folder.write('tally.py', TALLY)
  folder.write('.gitignore', 'tally/\n')
  mkdirSync(join(folder.path, 'tally'))
  return folder
}

/** The steps of a line, each of which puts down its own name. */
export const stepsOf = (line: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${line}.${i}`)

/** What is asked of an agent that it should do these steps; where there are none, something that leaves nothing. */
export const askFor = (agent: string, steps: readonly string[], ms: number): string => {
  const parts = steps.map((step) => `run python3 tally.py ${step} ${ms / 1000}`)
  return `@${agent} ${parts.join(', then ') || 'read README.md'}`
}

export type Tally = { begun: string[]; done: string[] }

/** What was really run, in its order. */
export const tallyIn = (workspace: string): Tally => {
  const file = join(workspace, 'tally/log')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const of = (word: string) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []))
  return { begun: of('begun'), done: of('done') }
}
