import type { Scope } from '../shapes/peripheral.ts'
import { covererOfAny, matcherOfAny } from './pattern.ts'

/** What nobody may touch, whatever a scope opens; with all that is below it. Matched on names as `fold` makes them. */
export const DENIED: readonly string[] = [
  // git's internals, under the short name too that some file systems give them
  '.git',
  'git~[0-9]',
  // settings of the machine it runs on
  '.env',
  '.env.*',
  '*.env',
  '.envrc',
  'secret.{json,yaml,yml,toml}',
  'secrets.{json,yaml,yml,toml}',
  '.secrets',
  // keys
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.ppk',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.agekey',
  'id_{rsa,dsa,ecdsa,ed25519}*',
  '.ssh',
  '.gnupg',
  '.password-store',
  // what programs log in with
  '.npmrc',
  '.pypirc',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.git-credentials',
  '.credentials.json',
  'credentials.json',
  'application_default_credentials.json',
  'client_secret*.json',
  'service-account*.json',
  '.vault-token',
  '.vault-pass',
  '.vault_pass',
  '.dockercfg',
  '.terraformrc',
  '*.tfstate',
  '*.tfstate.*',
  '.s3cfg',
  '.boto',
  '.aws',
  '.azure',
  '**/.config/gcloud',
  '**/.config/gh/hosts.yml',
  '**/.docker/config.json',
  '**/.kube/config',
  '**/.cargo/credentials{,.toml}',
  '**/.gem/credentials',
]

/** What looks like one of these and is for everybody: examples, public keys, the certificates of the authorities. */
const SPARED =
  /(?<=^|\/)(?:\.env\.(?:example|sample|template|dist)|(?:example|sample|template)\.env|id_\w+\.pub|(?:cacert|ca-bundle|roots)\.pem)(?=\/|$)/g

/** Names in the workspace, real and relative; `.` is the root. */
export type Reaching = { mayRead: (name: string) => boolean; mayWrite: (name: string) => boolean }

/**
 * Where a scope reaches. What is denied wins, whatever its spelling, and with it all that is below. What is opened is
 * matched on the real name exactly. A pattern that is none opens nothing; as a denial, it denies all.
 */
export const reachOf = (scope: Scope, more: readonly string[] = []): Reaching => {
  if (more.length > 0) return made(scope, more)
  const reaching = known.get(scope) ?? made(scope, more)
  known.set(scope, reaching)
  return reaching
}

/** A scope is made into a test once: it is asked of every call, and of every hit of a search. */
const known = new WeakMap<Scope, Reaching>()

const made = ({ read, write, deny }: Scope, more: readonly string[]): Reaching => {
  const denied = denier(deny)
  const readable = opener(read)
  const writable = opener([...write, ...more])
  return {
    // Of the root is shown what may be shown of it, name by name.
    mayRead: (name) => (name === '.' ? read.length > 0 : readable(name) && !denied(name)),
    mayWrite: (name) => name !== '.' && writable(name) && !denied(name),
  }
}

const opener = (patterns: readonly string[]): ((name: string) => boolean) =>
  matcherOfAny(patterns.filter(isPattern)) ?? (() => false)

/** What a scope denies, and what is denied to all. A pattern for all others is for the name as it is. */
export const denier = (deny: readonly string[]): ((name: string) => boolean) => {
  const own = deny.filter((pattern) => !pattern.startsWith('!'))
  const covers = covererOfAny([...own, ...own.map(foldLetters).filter(isPattern)]) ?? (() => true)
  const isOther = matcherOfAny(deny.filter((pattern) => pattern.startsWith('!'))) ?? (() => true)
  return (name) => {
    const spellings = spellingsOf(name)
    const judged = /env|pub|pem/.test(name) ? name.replace(SPARED, '-') : name
    if (isOther(name) || spellings.some(covers)) return true
    return (judged === name ? spellings : spellingsOf(judged)).some(deniedToAll)
  }
}

const deniedToAll = covererOfAny(DENIED) ?? (() => true)

const isPattern = (pattern: string): boolean => matcherOfAny([pattern]) !== null

/** A name as it is, as a file system or a reader might take it, and without what Windows takes for a stream of it. */
const spellingsOf = (name: string): string[] => {
  const folded = fold(name)
  const spellings = folded === name ? [name] : [name, folded]
  return name.includes(':') ? [...spellings, folded.replace(/:[^/]*/g, '')] : spellings
}

/** One spelling for all that could pass for each other: Windows leaves out blanks and dots at the end of a name. */
const fold = (name: string): string =>
  foldLetters(name)
    .replace(/[. ]+(?=\/|$)/g, '')
    // A folder whose name is nothing to be seen is no folder.
    .replace(/\/{2,}|^\/+/g, (slashes, at) => (at === 0 ? '' : slashes.slice(0, 1)))

/** Without case, width, accents and all that is not to be seen; letters of other alphabets that are drawn the same. */
const foldLetters = (text: string): string => {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase()
  const seen = text.normalize('NFKD').replace(/[\p{M}\p{DI}\p{Cc}\p{Cf}]/gu, '')
  const small = seen
    .toUpperCase()
    .toLowerCase()
    .replace(/\p{Pd}/gu, '-')
  return small.replace(/[^ -~]/gu, (char) => LOOK_ALIKES.get(char) ?? char)
}

const LOOK_ALIKES = new Map(
  ['аa сc ԁd еe ɡg һh іi јj кk ӏl мm пn оo рp ԛq гr ѕs тt ѵv ԝw хx уy', 'αa εe ιi κk νv οo ρp τt υu χx γy 。.']
    .flatMap((pairs) => pairs.split(' '))
    .map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
)
