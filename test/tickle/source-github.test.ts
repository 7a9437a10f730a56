import { chmodSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { createGithub } from '../../src/tickle/source-github.ts'
import { scratch } from '../support/folder.ts'

/** A stand-in for `gh` that writes down what it was asked, and says what it is told to. */
const standIn = (does: string) => {
  const folder = scratch()
  const file = folder.write(
    'bin/gh',
    `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word"; done > '${folder.path}/asked'\nenv > '${folder.path}/env'\npwd > '${folder.path}/cwd'\n${does}\n`,
  )
  chmodSync(file, 0o755)
  const path = [join(folder.path, 'bin'), '/usr/bin', '/bin'].join(delimiter)
  const read = (name: string) => readFileSync(join(folder.path, name), 'utf8').trim().split('\n')
  return { folder, path, read, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const ISSUES = JSON.stringify([
  { number: 7, title: 'The lease\nlapses', body: 'too `early`', url: 'x' },
  { number: 9, title: 'Tea', body: null },
])

test('the open issues of a repository are what gh says, asked word by word', async () => {
  using gh = standIn(`cat <<'END'\n${ISSUES}\nEND`)
  using empty = scratch()
  const variables = { HOME: '/nowhere', GH_TOKEN: 'secret', AWS_SECRET: 'other' }
  const issues = createGithub({ path: gh.path, variables, cwd: empty.path })
  expect(await issues('acme/teapot', 'help wanted; rm -rf /')).toEqual({
    ok: true,
    value: [
      { from: 'github:acme/teapot#7', title: 'The lease lapses (acme/teapot#7)', text: 'too `early`' },
      { from: 'github:acme/teapot#9', title: 'Tea (acme/teapot#9)', text: '' },
    ],
  })
  expect(gh.read('asked')).toEqual([
    'issue',
    'list',
    '--repo',
    'acme/teapot',
    '--json',
    'number,title,body',
    '--state',
    'open',
    '--limit',
    '50',
    '--label=help wanted; rm -rf /',
  ])
  const names = gh.read('env').map((row) => row.split('=')[0])
  expect([names.includes('GH_TOKEN'), names.includes('AWS_SECRET'), gh.read('cwd')]).toEqual([
    true,
    false,
    [empty.path],
  ])
})

const saidOf = async (does: string) => {
  using gh = standIn(does)
  const issues = await createGithub({ path: gh.path, variables: {}, cwd: gh.folder.path })('acme/teapot', null)
  return issues.ok ? issues.value : `${issues.refusal.code}: ${issues.refusal.message}`
}

test.each([
  [
    'is not signed in',
    'exit 4',
    'gh could not list the issues: it is not signed in: say `gh auth login`, or set GH_TOKEN',
  ],
  ['fails', 'echo "no such repository" >&2; exit 1', 'gh could not list the issues: no such repository'],
  ['says nothing', 'exit 1', 'gh could not list the issues: it ended with 1'],
  ['says too much', 'head -c 5000000 /dev/zero', 'gh could not list the issues: it said too much'],
  ['says something else', 'echo hello', 'gh did not say which issues there are'],
])('a gh that %s is told in a sentence', async (_name, does, message) => {
  expect(await saidOf(does)).toBe(`source-missing: ${message}`)
})

test('where there is no gh, that is what is said', async () => {
  using empty = scratch()
  const issues = await createGithub({ path: empty.path, variables: {}, cwd: empty.path })('acme/teapot', null)
  expect(issues).toMatchObject({
    refusal: {
      code: 'source-missing',
      message: 'there is no program gh here: install it, and sign in with `gh auth login`',
    },
  })
})
