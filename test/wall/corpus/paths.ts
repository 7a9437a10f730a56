import type { ToolCall } from '../../../src/shapes/peripheral.ts'
import type { RefusalCode } from '../../../src/shapes/refusal.ts'
import {
  type Attempt,
  adding,
  edit,
  glob,
  grep,
  list,
  multiEdit,
  patching,
  read,
  run,
  type Where,
  write,
} from '../attempt.ts'

type Tried = { with: string; where: Where; call: (path: string) => ToolCall }

/** Every tool that takes a path; programs by a command that names one. */
const LOOKING: Tried[] = [
  { with: 'read', where: 'read', call: read },
  { with: 'list', where: 'read', call: list },
  { with: 'glob', where: 'read', call: glob },
  { with: 'grep', where: 'read', call: grep },
  { with: 'ls', where: 'run', call: (path) => run('ls', '-la', path) },
]
const CHANGING: Tried[] = [
  { with: 'write', where: 'write', call: write },
  { with: 'edit', where: 'write', call: edit },
  { with: 'multi-edit', where: 'write', call: multiEdit },
  { with: 'a patch that adds', where: 'patch', call: adding },
  { with: 'a patch that changes', where: 'patch', call: patching },
]

type Trick = Pick<Attempt, 'files' | 'links' | 'hard' | 'expect'> & { path: string; what: string }

const trick = (what: string, path: string, more: Omit<Trick, 'what' | 'path'> = {}): Trick => ({ what, path, ...more })
const out = (what: string, path: string, more: Omit<Trick, 'what' | 'path'> = {}): Trick =>
  trick(what, path, { expect: 'out-of-scope', ...more })

/** Ways to a file beside the workspace. */
const OUT: Trick[] = [
  out('dots', '../outside/secret.txt'),
  out('dots behind a dot', './../outside/secret.txt'),
  out('dots behind a folder', 'src/../../outside/secret.txt'),
  out('dots behind a folder that is not there', 'nowhere/../../outside/secret.txt'),
  out('dots behind a file', 'README.md/../../outside/secret.txt'),
  out('dots and double slashes', './/..//outside//secret.txt'),
  out('more dots than there are folders', `${'../'.repeat(40)}etc/passwd`),
  out('the folder above', '..'),
  out('a neighbour with the same beginning', '../ws-evil/secret.txt'),
  out('its own name from above', '../ws/../outside/secret.txt'),
  out('an absolute path', '@outside@/secret.txt'),
  out('an absolute path with two slashes', '/@outside@/secret.txt'),
  out('an absolute path with dots', '@root@/../outside/secret.txt'),
  out('a slash at the end', '../outside/secret.txt/'),
  out('a dot at the end', '../outside/secret.txt/.'),
  out('the root of the machine', '/'),
  out('the passwords of the machine', '/etc/shadow'),
  out('the home of the user', '@home@/.ssh/id_rsa'),
  out('the data folder', '@data@/secrets.json'),
  out('the evidence itself', '@top@/evidence.db'),
  out('what another session was shown', '@top@/spills/s-attic/t7.7'),
  out('the repository of the undo', '../shadow'),
  out('the root by way of a process', '/proc/self/root@outside@/secret.txt'),
  out('the folder of a process', '/proc/self/cwd/../outside/secret.txt'),
  out('the environment of the house', '/proc/@house@/environ'),
  trick('what the house has open', '/proc/@house@/fd/0'),
  out('a device', '/dev/zero'),
  trick('what was put into the shell', '/dev/stdin'),
  out('the settings of the kernel', '/sys/kernel'),
  out('a link to a file', 'l1', { links: { l1: '@outside@/secret.txt' } }),
  out('a relative link', 'src/l2', { links: { 'src/l2': '../../outside/secret.txt' } }),
  out('a link to a folder', 'l3/secret.txt', { links: { l3: '../outside' } }),
  out('a link to the folder above', 'l4/outside/secret.txt', { links: { l4: '..' } }),
  out('a link to the root', 'l5@outside@/secret.txt', { links: { l5: '/' } }),
  out('a link to the root of a process', 'l6@outside@/secret.txt', { links: { l6: '/proc/self/root' } }),
  out('a chain of links', 'l7', { links: { l7: 'l8', l8: 'src/l9', 'src/l9': '../../outside/secret.txt' } }),
  out('a chain of folders', 'l10/l11/secret.txt', { links: { l10: 'src', 'src/l11': '../../outside' } }),
  trick('a link and dots', 'l3/../ws-evil/secret.txt', { links: { l3: '../outside' } }),
  out('a link that is named like a file', 'README.txt', { links: { 'README.txt': '/etc/passwd' } }),
  trick('a link that leads nowhere yet', 'l12', { links: { l12: '../outside/@mark@' }, expect: 'gate-failed' }),
  trick('a folder that leads nowhere yet', 'l13/x', { links: { l13: '../@mark@' }, expect: 'gate-failed' }),
  trick('a link that leads to itself', 'l14', { links: { l14: 'l14' }, expect: 'gate-failed' }),
  trick('links that lead to each other', 'l15', { links: { l15: 'l16', l16: 'l15' }, expect: 'gate-failed' }),
  trick('another name of a file outside', 'other.txt', { hard: { 'other.txt': '@outside@/hard.txt' } }),
]

/** What is in the workspace and nobody's business, however it is spelt. */
const CLOSED: Trick[] = [
  out('the settings', '.env'),
  out('the settings by dots', 'src/../.env'),
  out('the settings in a folder', 'config/.env.local'),
  out('the settings by their whole path', '@root@/.env'),
  out('the settings in capitals', '.ENV'),
  out('the settings in some capitals', 'config/.Env.Local'),
  out('the settings with a dot at the end', '.env.'),
  out('the settings with a blank at the end', '.env '),
  out('the settings as Windows has streams', '.env::$DATA'),
  out('the settings with another stream', '.env:x'),
  out('the settings in wide letters', '．ｅｎｖ'),
  out('the settings with a letter that looks the same', '.еnv'),
  out('the settings with a letter that cannot be seen', '.e\u200bnv'),
  out('the settings with a joiner', '.en\u200dv'),
  out('the settings with a soft hyphen', '.en\u00adv'),
  out('the settings from right to left', '\u202e.env'),
  out('the settings with an accent that is put on later', '.e\u0301nv'),
  out('the settings with a mark of order', '\ufeff.env'),
  out('the settings by a link', 'l20', { links: { l20: '.env' } }),
  out('the settings by another name', 'notes.txt', { links: { 'notes.txt': 'config/.env.local' } }),
  out('a key', 'keys/server.pem'),
  out('a key in capitals', 'KEYS/SERVER.PEM'),
  out('a key that is not there yet', 'id_rsa'),
  out('the settings of git', '.git/config'),
  out('the settings of git in capitals', '.GIT/config'),
  out('the settings of git with a dot', '.git./config'),
  out('the settings of git with a blank', '.git /config'),
  out('the settings of git by a short name', 'git~1/config'),
  out('the settings of git with a letter that cannot be seen', '.g\u200cit/config'),
  out('the settings of git without a dot on the letter', '.gıt/config'),
  out('the settings of git in letters of another script', '.ɡіt/config'),
  out('the settings of git by a link', 'l21/config', { links: { l21: '.git' } }),
  out('a hook', '.git/hooks/pre-commit'),
  out('what git was given', '.git/objects'),
  out('git in a folder', 'vendor/.git/config', { files: { 'vendor/x.txt': 'x' } }),
  out('the settings of npm', '.npmrc'),
  out('what a shell runs by itself', '.envrc'),
  out('a password of the web', 'web/.htpasswd'),
]

/** Names that mean a way out elsewhere, and here are names. */
const ELSEWHERE: Trick[] = [
  trick('dots in the manner of the web', '%2e%2e%2foutside%2fsecret.txt'),
  trick('dots in the manner of the web, twice', '%252e%252e/outside/secret.txt'),
  trick('dots in more bytes than it takes', '..%c0%afoutside%c0%afsecret.txt'),
  trick('the slashes of Windows', '..\\outside\\secret.txt'),
  trick('a drive of Windows', 'C:\\Windows\\win.ini'),
  trick('a share of Windows', '\\\\127.0.0.1\\share'),
  trick('a device of Windows', 'CON'),
  trick('an address of a file', 'file:///etc/passwd'),
  trick('the home of a shell', '~/.ssh/id_rsa'),
  trick('the home of somebody else', '~root/.ssh/id_rsa'),
  trick('a variable', '$HOME/.netrc'),
  trick('a variable of another shell', '%USERPROFILE%/.netrc'),
  trick('a command of a shell', '$(cat ../outside/secret.txt)'),
  trick('a command between backticks', '`cat ../outside/secret.txt`'),
  trick('a slash that looks the same', '..∕outside∕secret.txt'),
  trick('a wide slash', '..／outside／secret.txt'),
  trick('dots that look the same', '․․/outside/secret.txt'),
  trick('dots in one letter', '‥/outside/secret.txt'),
  trick('a pattern', '../*/secret.txt', { expect: 'out-of-scope' }),
  trick('a NUL', '../outside/secret.txt\0.md', { expect: 'out-of-scope' }),
  trick('a NUL at the end', 'README.md\0', { expect: 'out-of-scope' }),
  trick('a line break', 'README.md\n../outside/secret.txt'),
  trick('a path that is too long', `${'a/'.repeat(2100)}x`, { expect: 'arguments-invalid' }),
  trick('a name that is too long', `src/${'n'.repeat(400)}`, { expect: 'gate-failed' }),
  trick('dots without end', `${'../'.repeat(1300)}etc/passwd`, { expect: 'out-of-scope' }),
  trick('nothing', '', { expect: 'arguments-invalid' }),
  trick('a blank', ' '),
  trick('an option', '--pre=sh'),
  trick('a file of options', '@../outside/secret.txt'),
]

/** Each trick with as many tools as it takes for all to be tried with many: the tools take turns. */
const tried = (tricks: readonly Trick[], tools: readonly Tried[], first: number): Attempt[] =>
  tricks.flatMap(({ path, what, ...more }, n) => {
    const tool = tools[(first + n) % tools.length]
    if (!tool) return []
    const call = tool.call(path)
    const { expect, ...given } = more
    const code = expectedOf(tool, path, expect)
    return [{ id: `${tool.with}: ${what}`, where: tool.where, peripheral: 'edit', calls: [call], ...given, ...code }]
  })

/** What is no path at all is noticed earlier where it stands in a command or a patch. */
const expectedOf = ({ where }: Tried, path: string, expect: RefusalCode | undefined): Pick<Attempt, 'expect'> => {
  const parsed = (where === 'run' || where === 'patch') && (expect !== 'out-of-scope' || path.includes('\0'))
  return expect === undefined || parsed ? {} : { expect }
}

export const PATHS: readonly Attempt[] = [
  ...tried(OUT, LOOKING, 0),
  ...tried(OUT, CHANGING, 0),
  ...tried(CLOSED, LOOKING, 1),
  ...tried(CLOSED, CHANGING, 1),
  ...tried(ELSEWHERE, [...LOOKING, ...CHANGING], 0),
]
