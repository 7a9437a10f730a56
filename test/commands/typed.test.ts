import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'

const errorsOf = async (...args: string[]) => {
  using folder = scratch()
  const { stdout, stderr, exitCode } = await bellhop(args, { cwd: folder.path })
  expect([stdout, exitCode]).toEqual(['', 1])
  return stderr
}

test.each([
  ['nothing to verify', ['verify'], 'expected a session, or "all"', 'verify'],
  ['a number that is none', ['token', 'mint', '--days', 'soon'], 'days: expected a number', 'token mint'],
  ['a role that there is not', ['token', 'mint', '--role', 'boss'], 'role: expected', 'token mint'],
  ['a limit that is too high', ['sessions', '--limit', '1000'], 'limit: expected at most 200', 'sessions'],
  ['a time that is none', ['evidence', '--since', 'soon'], 'since: expected a time', 'evidence query'],
])('%s: what is wrong is said in plain words, and where its use on this line is shown', async (_, args, what, name) => {
  const [first = '', ...rest] = (await errorsOf(...args)).split('\n')
  expect(first.startsWith(`bellhop: ${what}`)).toBe(true)
  expect([first.includes('usage: /'), rest]).toEqual([false, [`  \`bellhop ${name} --help\` says how it is used`]])
  expect((await bellhop([...name.split(' '), '--help'])).stdout).toMatch(/^Usage: bellhop /)
})

test('help is of all, of one, and of one below another; what there is not is said so', async () => {
  const helpOf = async (...names: string[]) => (await bellhop(['help', ...names])).stdout.split('\n')[0]
  expect(await Promise.all([helpOf(), helpOf('token'), helpOf('token', 'mint')])).toEqual([
    'Usage: bellhop [options] [command]',
    'Usage: bellhop token [options] [command]',
    'Usage: bellhop token mint [options]',
  ])
  expect(await errorsOf('help', 'tokne')).toBe(
    'bellhop: there is no command tokne\n  `bellhop help` has all that there is',
  )
})

test('a worker has no door, and no option for one', async () => {
  expect(await errorsOf('worker', '--port', '7070')).toContain("unknown option '--port'")
})

test('a file that is something else is no damaged backup', async () => {
  using folder = scratch()
  const file = folder.write('notes.tar', 'I kept this for later.\n'.repeat(100))
  expect(await errorsOf('backup', '--verify', file)).toBe(
    'bellhop: this is no backup of Bellhop\n  name a file that `bellhop backup` made',
  )
})
