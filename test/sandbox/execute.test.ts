import { readFileSync, realpathSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Job } from '../../src/sandbox/job.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { createPlace, sh } from './place.ts'

test('a program answers with its exit code, its output and then its errors', async () => {
  using place = createPlace()
  const script = 'echo error >&2; echo output; printf "$1"; exit 3'
  expect(await execute(place.job(sh(script, 'no line end')))).toEqual({
    exit: 3,
    ended: 'exit',
    output: 'output\nno line end\nerror\n',
  })
})

test('a program that may not be started any more when everything is ready for it is not, and why is said', async () => {
  using place = createPlace()
  const job = place.job(sh('touch begun'), { mode: 'workspace-write', objection: async () => 'it is too late' })
  expect(await execute(job)).toEqual({ exit: 126, ended: 'exit', output: 'it is too late\n' })
  expect((await execute(place.job(sh('ls')))).output).not.toContain('begun')
})

test('words are words: nothing in them is obeyed by a shell', async () => {
  using place = createPlace()
  const words = ['$(id)', '`id`', '; id', '*', '"', "'", '\n', '']
  const { output } = await execute(place.job(['printf', '[%s]', ...words]))
  expect(output).toBe(words.map((word) => `[${word}]`).join(''))
})

test('output is passed on as it comes, in whole characters', async () => {
  using place = createPlace()
  const said: string[] = []
  const script = 'printf "\\303"; sleep 0.05; printf "\\244"; echo; echo more'
  const { output } = await execute(place.job(sh(script), { said: (text) => said.push(text) }))
  expect({ whole: said.join(''), torn: said.some((text) => text.includes('\uFFFD')), output }).toEqual({
    whole: 'ä\nmore\n',
    torn: false,
    output: 'ä\nmore\n',
  })
})

test('a program that ends by a signal is told apart from one that exits', async () => {
  using place = createPlace()
  expect(await execute(place.job(sh('kill -TERM $$')))).toEqual({ exit: 143, ended: 'signal', output: '' })
})

test.each([
  [['nothing-of-that-name'], /^there is no program nothing-of-that-name on the PATH of the sandbox, which is \//],
  [[], /^this is no command/],
  [['echo', 'a\0b'], /^this is no command/],
])('what cannot be run says why: %j', async (argv, why) => {
  using place = createPlace()
  expect(await execute(place.job(argv))).toEqual({ exit: 126, ended: 'exit', output: expect.stringMatching(why) })
})

test('a workspace that holds the system itself is refused', async () => {
  using place = createPlace()
  const { output } = await execute(place.job(['true'], { workspace: { root: '/', offLimits: [] } }))
  expect(output).toBe('the workspace / holds the system itself: choose a folder of its own\n')
})

test('the environment is made from nothing', async () => {
  using place = createPlace()
  const { output } = await execute(place.job(['env']))
  const names = output.split('\n').map((line) => line.split('=')[0] ?? '')
  expect(names.filter((name) => !name.startsWith('GIT_')).sort()).toEqual(
    ['', 'CI', 'HOME', 'LANG', 'NO_COLOR', 'PATH', 'PWD', 'TERM', 'TMPDIR', 'USER'].sort(),
  )
  expect(output.split('\n')).toContain(`USER=${userInfo().username}`)
})

test('a program sees few things of the machine, and they are these', async () => {
  using place = createPlace()
  const { output } = await execute(place.job(['ls', '-A', '/']))
  const allowed = 'bin dev etc gnu lib lib32 lib64 libx32 nix opt proc sbin tmp usr'.split(' ')
  const own = place.root.split('/')[1] ?? ''
  const node = realpathSync(process.execPath).split('/')[1] ?? ''
  expect(
    output
      .trim()
      .split('\n')
      .filter((name) => ![...allowed, own, node].includes(name)),
  ).toEqual([])
})

test('the workspace is where it is outside, and can be written only where the mode says so', async () => {
  using place = createPlace()
  const attempt = (mode: Job['mode']) => execute(place.job(sh('pwd; echo $1 >mark && cat mark', mode), { mode }))
  expect(await attempt('read-only')).toEqual({
    exit: 2,
    ended: 'exit',
    output: expect.stringMatching(/Read-only file system/),
  })
  expect([await attempt('workspace-write'), readFileSync(join(place.root, 'mark'), 'utf8')]).toEqual([
    { exit: 0, ended: 'exit', output: `${place.root}\nworkspace-write\n` },
    'workspace-write\n',
  ])
  expect(await attempt('full')).toEqual({ exit: 0, ended: 'exit', output: `${place.root}\nfull\n` })
})

test('there is a private /tmp with a home in it, and nothing of it stays', async () => {
  using place = createPlace()
  const script = 'echo x >/tmp/mark-$1 && echo x >$HOME/mark && echo $HOME && ls /tmp | grep -c mark-$1'
  const name = place.secret
  expect(await execute(place.job(sh(script, name)))).toEqual({ exit: 0, ended: 'exit', output: '/tmp/home\n1\n' })
  const again = await execute(place.job(sh('ls /tmp /tmp/home | grep -c mark', name)))
  expect(again).toEqual({ exit: 1, ended: 'exit', output: '0\n' })
})

test('a folder of the machine can be opened to be read', async () => {
  using place = createPlace()
  const argv = sh('cat $1/secret.txt; echo x >$1/new', place.outside)
  expect((await execute(place.job(argv, { readable: [place.outside] }))).output).toMatch(
    RegExp(`^${place.secret}\n.*Read-only file system\n$`),
  )
})

test('Node runs in it, and talks to itself over its own localhost', async () => {
  using place = createPlace()
  const script = `require('net').createServer((s) => s.end('hi')).listen(0, 'localhost', function () {
    require('net').connect(this.address().port, 'localhost').on('data', (d) => { console.log(String(d)); process.exit() })
  })`
  const path = `${process.env['PATH']}:${realpathSync(process.execPath).replace(/\/node$/, '')}`
  expect(await execute(place.job(['node', '-e', script], { path }))).toEqual({ exit: 0, ended: 'exit', output: 'hi\n' })
})

test('full is the machine as the user has it, without what is covered', async () => {
  using place = createPlace()
  const script =
    'cat $1/secret.txt; echo; echo x >$1/new && echo $HOME; cat .env .bellhop/store.txt private/one.txt 2>&1'
  const { output } = await execute(place.job(sh(script, place.outside), { mode: 'full' }))
  expect(output.split('\n').slice(0, 2)).toEqual([place.secret, homedir()])
  expect(output.split(place.secret)).toHaveLength(2)
})
