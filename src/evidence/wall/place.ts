/**
 * Where in the workspace a path leads, by its letters alone: `src/a.ts`, or `.` for the workspace itself. Null where it
 * begins at the root of the machine or climbs out.
 */
export const placeOf = (path: string): string | null => {
  const { ups, way } = walked(path)
  return path.startsWith('/') || path.includes('\0') || ups > 0 ? null : way.join('/') || '.'
}

/**
 * Whether a path that leads out by its letters can be one of these names all the same: the whole name of a file of the
 * workspace ends as the name it has there, links on the way or not. Where the workspace lies, no entry says.
 */
export const endsAs = (path: string, names: readonly string[]): boolean => {
  const { way } = walked(path)
  const isOne = (name: string): boolean => way.length > 1 && name.split('/').at(-1) === way.at(-1)
  // The workspace itself may be named from outside by its own name.
  return way.length > 0 && names.some((name) => name === '.' || isOne(name))
}

/** How often a path climbs above where it begins, and the way it goes from there. */
const walked = (path: string): { ups: number; way: string[] } => {
  const way: string[] = []
  let ups = 0
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') way.push(part)
    else if (way.pop() === undefined) ups++
  }
  return { ups, way }
}

/**
 * Whether a place is closed to every wall, whatever its scope says: where git keeps its own, and what holds secrets. One
 * part of the way is enough: what lies below is closed with it.
 */
export const isClosed = (place: string): boolean => {
  const parts = place.split('/')
  const kinds = parts.map(kindOf)
  return kinds.includes('private') || (kinds.includes('keeping') && isKept(parts.map(plain).join('/')))
}

/** What a name says by itself: that all is private there, that something may be, or nothing. */
type Kind = 'private' | 'keeping' | 'open'

/** Names come again and again: as many as are remembered. */
const REMEMBERED = 10_000
const remembered = new Map<string, Kind>()

const kindOf = (part: string): Kind => {
  const known = remembered.get(part)
  if (known !== undefined) return known
  if (remembered.size >= REMEMBERED) remembered.clear()
  const name = plain(part)
  const kind = !isShared(name) && isPrivate(name) ? 'private' : KEEPING.has(name) ? 'keeping' : 'open'
  remembered.set(part, kind)
  return kind
}

/** A name as careless file systems take it: in any case and width, without blanks and dots at its end. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '')

/** Made to be shown: the pattern of a settings file, the public half of a key, certificates of authorities. */
const isShared = (name: string): boolean =>
  /^\.env\.(?:example|sample|template|dist)$|^(?:example|sample|template)\.env$/.test(name) ||
  /^id_\w+\.pub$/.test(name) ||
  ['cacert.pem', 'ca-bundle.pem', 'roots.pem'].includes(name)

const isPrivate = (name: string): boolean =>
  PRIVATE.has(name) || ENDINGS.has(/\.([^.]*)$/.exec(name)?.[1] ?? '') || BEGINNINGS.some((one) => one.test(name))

/** Folders and files that are private by their very names. */
const PRIVATE: ReadonlySet<string> = new Set(
  [
    '.git .ssh .gnupg .aws .azure .password-store .secrets',
    '.env .envrc secret.json secrets.json secret.yaml secrets.yaml secret.yml secrets.yml secret.toml secrets.toml',
    '.npmrc .pypirc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .credentials.json credentials.json',
    'application_default_credentials.json .vault-token .vault-pass .vault_pass .dockercfg .terraformrc .s3cfg .boto',
  ].flatMap((names) => names.split(' ')),
)

/** What private keys and the stores of them end with; and settings for one machine. */
const ENDINGS: ReadonlySet<string> = new Set('pem key p8 p12 pfx ppk jks keystore kdbx agekey env tfstate'.split(' '))

/** What goes on after a private beginning: `.env.local`, `id_rsa-old`, the short name of `.git` on some systems. */
const BEGINNINGS = [
  /^\.env\../,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /^git~\d$/,
  /^(?:client_secret|service-account).*\.json$/,
  /\.tfstate\./,
]

/** What programs log in with, in folders of theirs that are otherwise open. */
const KEPT = [
  '.config/gcloud',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.kube/config',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
]

const KEEPING: ReadonlySet<string> = new Set(KEPT.map((kept) => kept.split('/')[0] ?? ''))

const isKept = (place: string): boolean => KEPT.some((kept) => `/${place}/`.includes(`/${kept}/`))
