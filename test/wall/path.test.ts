// The house runs programs of its own beside the sandbox: ripgrep for searches, git for undo, find for secrets. An agent
// can write programs of the same names, and people have folders of the workspace on their PATH.

import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { facesOf } from './faces.ts'

const PATH = process.env['PATH'] ?? ''
const PROGRAMS = ['rg', 'git', 'find', 'bwrap', 'sh']
const FOLDERS = ['node_modules/.bin/', 'bin/', '']

const outside = scratch()
let house: TestHouse
beforeAll(async () => {
  process.env['PATH'] = `node_modules/.bin:bin:.:${PATH}`
  house = await startTestHouse()
})
afterAll(async () => {
  process.env['PATH'] = PATH
  await house[Symbol.asyncDispose]()
  outside[Symbol.dispose]()
})

/** Says lines as an operator, and waits until what they led to has ended: how each step ended. */
const said = async (...lines: string[]): Promise<unknown[]> => {
  const [api] = facesOf(house)
  const answers = (await api?.say(lines.map((text) => ({ text })))) ?? []
  return Promise.all(
    answers.map(async (answer) => {
      const turn = answer.ok ? (answer.value.assignments[0]?.turn ?? '') : ''
      await eventually(`${turn} to end`, () => house.store.get(`${turn}.ended`), 60_000)
      const step = (await house.store.get(`${turn}.0.outcome`))?.body
      return step?.event === 'step-ended' ? step.outcome.kind : step?.event
    }),
  )
}

/** A program by that name which leaves a mark, and then does what the real one does. */
const posing = (name: string, folder: string): string => {
  const lines = ['#!/bin/sh', `touch ${outside.path}/${name}`, `PATH='${PATH}' exec ${name} "$@"`]
  const file = `${folder}${name}`
  const patch = [
    `diff --git a/${file} b/${file}`,
    'new file mode 100755',
    '--- /dev/null',
    `+++ b/${file}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n')
  return `/edit @codex use apply-patch ${JSON.stringify({ patch })}`
}

test('programs of the workspace do not pass for those of the house, whatever is on its PATH', async () => {
  const made = await said(...FOLDERS.flatMap((folder) => PROGRAMS.map((name) => posing(name, folder))))
  expect(made).toEqual(made.map(() => 'ok'))
  const worked = await said(
    '/edit @codex use grep {"pattern": "pour"}',
    '/edit @codex use glob {"pattern": "**/*.ts"}',
    '/edit @codex use write {"path": "new.txt", "text": "x"}',
    '/edit @codex use run {"argv": ["ls"]}',
  )
  expect(worked).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(readdirSync(outside.path)).toEqual([])
})
