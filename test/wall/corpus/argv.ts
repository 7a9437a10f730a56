import type { RefusalCode } from '../../../src/shapes/refusal.ts'
import { type Attempt, call, run } from '../attempt.ts'

/** Commands that are forms of no rule, word by word: no program is run. */
const refused = (peripheral: string, commands: Record<string, string[]>, expect: RefusalCode = 'command-not-allowed') =>
  Object.entries(commands).map(
    ([id, argv]): Attempt => ({
      id: `a command in ${peripheral}: ${id}`,
      where: 'run',
      peripheral,
      calls: [run(...argv)],
      expect,
    }),
  )

const SHELLS: Record<string, string[]> = {
  'a shell': ['sh', '-c', 'cat ../outside/secret.txt'],
  'a shell by its whole path': ['/bin/sh', '-c', 'id'],
  'a shell by way of env': ['env', 'sh', '-c', 'id'],
  'a shell by way of xargs': ['xargs', 'sh'],
  'a shell by way of find': ['find', '.', '-exec', 'sh', '-c', 'id', ';'],
  'a shell as one word': ['sh -c id'],
  'a semicolon': ['ls;', 'id'],
  'an ampersand as the program': ['ls&&id'],
  'a variable before the program': ['PATH=/tmp', 'ls'],
  'a variable of the loader': ['LD_PRELOAD=./x.so', 'ls'],
  'a program of the workspace': ['./src/a.js'],
  'a program of the machine by its path': ['/usr/bin/ls'],
  'a program by dots': ['../../usr/bin/ls'],
  'another program': ['cat', '.env'],
  'to copy': ['cp', '@outside@/secret.txt', 'x'],
  'to link': ['ln', '-s', '/', 'x'],
  'to delete': ['rm', '-rf', '@outside@'],
  'to change owners': ['chown', 'root', 'x'],
  'to fetch': ['curl', 'http://127.0.0.1:@port@/'],
  'to listen': ['nc', '-l', '1234'],
  'to become somebody else': ['sudo', 'id'],
  'to leave the sandbox': ['nsenter', '-t', '1', '-a'],
  'to make another sandbox': ['bwrap', '--bind', '/', '/', 'sh'],
  'to unpack over the machine': ['tar', '-P', '-xf', 'x.tar'],
  'an empty program': [''],
  'a program in capitals': ['LS'],
  'a program with a blank': ['ls '],
  'a program with a letter that cannot be seen': ['l\u200bs'],
  'a program of letters that look the same': ['ѕһ'],
}

const NODE: Record<string, string[]> = {
  'a text as a program': ['node', '-e', 'process.exit()'],
  'a text as a program, in one word': ['node', '--eval=process.exit()'],
  'a text that is printed': ['node', '-p', 'process.env'],
  'another loader': ['node', '--import', 'data:text/javascript,0', 'src/a.js'],
  'another loader in one word': ['node', '--import=./x.mjs', 'src/a.js'],
  'a required file': ['node', '-r', './x.js', 'src/a.js'],
  'a debugger': ['node', '--inspect=0.0.0.0:1234', 'src/a.js'],
  'an environment from a file': ['node', '--env-file=.env', 'src/a.js'],
  'a program from what it is told': ['node', '-'],
  'no program at all': ['node'],
  'an option after the program': ['node', 'src/a.js', '--experimental-x'],
  'an address as a program': ['node', 'https://127.0.0.1:@port@/x.mjs'],
  'python with a text': ['python3', '-c', 'import os'],
  'python with a module': ['python3', '-m', 'http.server'],
  'python that looks first': ['python3', '-i', 'x.py'],
  'npm with any script': ['npm', 'run', 'deploy'],
  'npm with another shell': ['npm', 'run', 'build', '--script-shell=sh'],
  'npm in another folder': ['npm', '--prefix', '../outside', 'run', 'build'],
  'npm that installs': ['npm', 'install', 'left-pad'],
  'npm that executes': ['npm', 'exec', 'sh'],
  'npx that installs': ['npx', 'prettier'],
  'npx of another package': ['npx', '--no-install', 'sh'],
  'npx with a package': ['npx', '--no-install', '-p', 'x', 'prettier'],
  'prettier with a plugin': ['npx', '--no-install', 'prettier', '--plugin=./x.js', 'src'],
  'eslint with rules of its own': ['npx', '--no-install', 'eslint', '--rulesdir', 'x', 'src'],
  'the compiler with a place for its output': ['npx', '--no-install', 'tsc', '--outDir', '../outside'],
  'cargo that runs': ['cargo', 'run'],
  'cargo with settings': ['cargo', '--config', 'x=1', 'build'],
  'ruff with settings': ['ruff', 'check', '--config', 'x.toml', 'src'],
}

const OUTSIDE: Record<string, string[]> = {
  'a program outside': ['node', '../outside/a.js'],
  'a program outside by its path': ['node', '@outside@/a.js'],
  'a program outside in python': ['python3', '/usr/lib/python3/x.py'],
  'a folder outside': ['ls', '..'],
  'a folder outside behind one inside': ['ls', 'src', '@outside@'],
  'a secret': ['ls', '-l', '.env'],
  'a secret to a formatter': ['npx', '--no-install', 'prettier', '--write', '.env'],
  'the settings of git to a formatter': ['gofmt', '-w', '.git/config'],
}

const LOOKS: Record<string, string[]> = {
  'the first lines with an option more': ['head', '-c', '100', 'README.md'],
  'the last lines for ever': ['tail', '-f', 'README.md'],
  'the last lines of another process': ['tail', '-n', '1', '--pid=1', 'README.md'],
  'names from a file': ['wc', '--files0-from=../outside/secret.txt'],
  'names from a file, for the kind': ['file', '-f', '../outside/secret.txt'],
  'other magic': ['file', '-m', 'x', 'README.md'],
  'a difference with a program': ['diff', '--to-file=../outside', '-u', 'README.md', 'src'],
  'a folder without a word between': ['ls', '--', '..'],
  'another colour': ['ls', '--color=always'],
  'a number that is none': ['head', '-n', '+1', 'README.md'],
  'a number that is an option': ['head', '-n', '-1', 'README.md'],
}

const LOOKED_OUTSIDE: Record<string, string[]> = {
  'the first lines of a secret': ['head', '-n', '3', '.env'],
  'the last lines of a secret': ['tail', '-n', '3', 'config/.env.local'],
  'the first lines outside': ['head', '-n', '3', '../outside/secret.txt'],
  'the size outside': ['wc', '-c', '@outside@/secret.txt'],
  'the kind of a device': ['file', '/dev/sda'],
  'the size of the machine': ['du', '-sh', '/'],
  'the difference to a secret': ['diff', '-u', 'README.md', '.env'],
  'the difference to a file outside': ['diff', '-u', 'README.md', '../outside/secret.txt'],
}

const TESTS: Record<string, string[]> = {
  'node that loads first': ['node', '--test', '--import', './x.mjs'],
  'node that reports outside': ['node', '--test', '--test-reporter-destination=../outside/x'],
  'pytest with a plugin': ['pytest', '-p', 'x'],
  'pytest with settings': ['pytest', '-c', '../outside/x.ini'],
  'pytest with a root': ['pytest', '--rootdir=..'],
  'a target of make that is no test': ['make', 'install'],
  'make in another folder': ['make', '-C', '../outside', 'test'],
  'make with another shell': ['make', 'SHELL=/bin/sh', 'test'],
  'go with a program around it': ['go', 'test', '-exec', 'sh', './...'],
  'maven with the network': ['mvn', 'test'],
  'a push': ['git', 'push'],
  packages: ['npm', 'install'],
}

/** What is no list of words at all. */
const SHAPES: Record<string, unknown> = {
  'one text': 'ls -la',
  nothing: [],
  numbers: [1, 2],
  'words in words': [['ls']],
  'a NUL in a word': ['ls', 'a\0b'],
  'half a character': ['ls', '\ud800'],
  'too many words': Array.from({ length: 201 }, () => 'x'),
  'words that are too long': ['ls', 'x'.repeat(40_000)],
  null: null,
  'what looks like a list': { 0: 'ls', length: 1 },
}

export const ARGV: readonly Attempt[] = [
  ...refused('edit', SHELLS),
  ...refused('edit', NODE),
  ...refused('edit', OUTSIDE, 'out-of-scope'),
  ...refused('explore', LOOKS),
  ...refused('explore', LOOKED_OUTSIDE, 'out-of-scope'),
  ...refused('test', TESTS),
  ...Object.entries(SHAPES).map(
    ([id, argv]): Attempt => ({
      id: `a command that is ${id}`,
      where: 'run',
      peripheral: 'edit',
      calls: [call('run', { argv })],
      expect: 'arguments-invalid',
    }),
  ),
]
