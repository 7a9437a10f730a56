import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DENIED, reachOf } from '../../src/workspace/scope.ts'
import { wall } from '../support/explore.ts'

type Scope = Parameters<typeof reachOf>[0]
const scope = (parts: Partial<Scope> = {}): Scope => ({ ...wall().scope, write: ['**'], ...parts })
const all = reachOf(scope())

const SECRET = [
  '.git',
  '.git/config',
  '.git/hooks/pre-commit',
  'sub/.git',
  'sub/deep/.git/HEAD',
  '.env',
  '.env.local',
  '.env.production',
  'app/.env',
  'prod.env',
  '.envrc',
  'server.pem',
  'certs/server.key',
  'id_rsa',
  'id_rsa.old',
  'home/id_ed25519',
  'id_ecdsa',
  'id_dsa',
  '.npmrc',
  '.pypirc',
  '.netrc',
  '.git-credentials',
  'a.p12',
  'a.pfx',
  'a.jks',
  'a.keystore',
  'a.kdbx',
  '.aws/credentials',
  '.aws',
  'home/.ssh/config',
  '.gnupg/pubring.kbx',
  '.kube/config',
  'home/.docker/config.json',
  'credentials.json',
  'service-account.json',
  'service-account-prod.json',
  '.htpasswd',
  '.vault-token',
  'secrets.json',
  'config/secrets.yaml',
  'secrets.yml',
  'secrets.toml',
  'infra/terraform.tfstate',
  'terraform.tfstate.backup',
  '.config/gcloud/legacy_credentials/a/adc.json',
  '.cargo/credentials.toml',
]

const PLAIN = [
  'README.md',
  'src/a.ts',
  '.gitignore',
  '.gitattributes',
  '.gitmodules',
  '.github/workflows/test.yml',
  'git/config',
  'digit',
  '.env.example',
  '.env.sample',
  '.env.template',
  'app/.env.example',
  'example.env',
  'environment.ts',
  'src/env.ts',
  'server.crt',
  'ca.crt',
  'id_rsa.pub',
  'id_ed25519.pub',
  'cacert.pem',
  'keys.ts',
  'monkey',
  'key',
  'src/key.ts',
  'pem',
  '.kube/cache',
  '.docker/Dockerfile',
  'docker/config.json',
  'credentials.ts',
  'secrets.ts',
  'service-account.ts',
  '.config/settings.json',
  'naïve/fichier.txt',
  '日本語.txt',
  'файл.txt',
]

describe('what nobody may touch', () => {
  test.each(SECRET.map((name) => [name]))('%s is neither read nor written', (name) => {
    expect([all.mayRead(name), all.mayWrite(name)]).toEqual([false, false])
  })

  test.each(PLAIN.map((name) => [name]))('%s is like any other file', (name) => {
    expect([all.mayRead(name), all.mayWrite(name)]).toEqual([true, true])
  })

  test('what is spared does not spare what is in it, nor another spelling of it', () => {
    const names = ['.env.example/.env', '.ENV.EXAMPLE', '.env.example ', '.env.example.key', 'id_rsa.pub/id_rsa']
    expect(names.filter(all.mayRead)).toEqual([])
  })

  test('no scope opens it', () => {
    for (const name of SECRET) {
      const opened = reachOf(scope({ read: ['**', name, '.git/**'], write: ['**', name] }), ['**', name])
      expect([name, opened.mayRead(name), opened.mayWrite(name)]).toEqual([name, false, false])
    }
  })

  test('every pattern in the list is one', () => {
    const broken = DENIED.filter((pattern) => !reachOf(scope({ deny: [pattern] })).mayRead('some/plain-file.txt'))
    expect(broken).toEqual([])
  })
})

describe('a spelling does not get around what is denied', () => {
  test.each([
    ['case', ['.GIT', '.Git/config', '.ENV', '.Env.Local', 'ID_RSA', 'Server.PEM', 'CREDENTIALS.JSON', '.SSH/config']],
    ['full width', ['.ｇｉｔ', '．git', '.ｅｎｖ', 'id＿rsa', 'server．pem', '.git／config']],
    [
      'what is not to be seen',
      ['.g\u200cit', '.gi\u200dt/config', '.\u2060env', 'id_r\u00adsa', '\ufeff.git', '.git\u180e'],
    ],
    [
      'more of what is not to be seen',
      ['.g\u{e0067}it', '.gi\ufe0ft', '.e\u034fnv', '.g\u115fit', '.gi\u202et', '.env\u0000'],
    ],
    ['marks on letters', ['.gi\u0307t', '.gít', '.énv', 'ıd_rsa', '.GİT', 'server.pe\u0301m']],
    ['letters drawn the same', ['.gіt', '.еnv', 'id_гsa', '.ɡit', 'server.реm', '.ѕѕһ/config', 'credentıals.json']],
    ['mathematical letters', ['.𝐠𝐢𝐭', '.𝚎𝚗𝚟', '.ⓖⓘⓣ', 'server.ᵖᵉᵐ']],
    [
      'blanks and dots at the end',
      ['.git ', '.git.', '.git . .', '.git./config', '.env...', 'id_rsa ', 'server.key.', '.git\u3000'],
    ],
    [
      'streams and short names',
      ['.git::$INDEX_ALLOCATION', '.git::$INDEX_ALLOCATION/config', '.env:x', 'git~1', 'GIT~2/config'],
    ],
    ['other dashes and dots', ['service–account.json', 'service‐account-x.json', 'server。pem', 'server․pem', '․git']],
  ])('%s', (_what, names) => {
    expect(names.filter(all.mayRead)).toEqual([])
    expect(names.filter(all.mayWrite)).toEqual([])
    expect(names.map((name) => `deep/${name}/below`).filter(all.mayRead)).toEqual([])
  })

  test('nor around what a scope denies', () => {
    const { mayRead } = reachOf(scope({ deny: ['Private/**', 'notes.txt', 'docs/*.secret'] }))
    const denied = [
      'private',
      'PRIVATE/a.md',
      'prıvate/a.md',
      'a/NOTES.txt',
      'notes.txt /x.y',
      'Docs/A.Secret',
      'docs/a.secret/b.c',
    ]
    expect(denied.filter(mayRead)).toEqual([])
    const others = ['x.privat', 'not.es/private.md', 'docs/deep/a.secret', 'notes.md']
    expect(others.filter((name) => !mayRead(name))).toEqual([])
  })

  test('all but some can be denied, and these are what is left', () => {
    const { mayRead, mayWrite } = reachOf(scope({ deny: ['!Src/**'] }))
    const names = ['.', 'Src', 'Src/a.ts', 'Src/.env', 'src/a.ts', 'docs', 'docs/Src/a.ts']
    expect(names.filter(mayRead)).toEqual(['.', 'Src', 'Src/a.ts'])
    expect(names.filter(mayWrite)).toEqual(['Src', 'Src/a.ts'])
  })

  const disguise = fc.constantFrom<(text: string) => string>(
    (text) => text.toUpperCase(),
    (text) => text.normalize('NFD'),
    (text) => [...text].join('\u200b'),
    (text) => [...text].map((char) => `${char}\u0300`).join(''),
    (text) => text.replace(/[!-.0-~]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0)),
    (text) => `${text}. `,
    (text) => text.replace(/./u, (char) => `\u2066${char}\u2069`),
  )

  test('whatever is put together of these', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SECRET),
        fc.array(disguise, { maxLength: 4 }),
        fc.boolean(),
        (name, disguises, deep) => {
          const disguised = name
            .split('/')
            .map((part) => disguises.reduce((text, change) => change(text), part))
            .join('/')
          const path = deep ? `some/${disguised}/below` : disguised
          expect([path, all.mayRead(path), all.mayWrite(path)]).toEqual([path, false, false])
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('and plain names are not taken for secrets', () => {
    const word = fc
      .stringMatching(/^[a-z]{1,8}$/)
      .filter((text) => !['env', 'pem', 'key', 'jks', 'pfx', 'ppk'].includes(text))
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('ts', 'md', 'py', 'crt', 'pub'),
        (parts, ending) => {
          expect(all.mayRead(`${parts.join('/')}.${ending}`)).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('what a scope opens', () => {
  test('is matched on the real name exactly', () => {
    const { mayRead, mayWrite } = reachOf(scope({ read: ['src/**', '*.md'], write: ['src/*.ts', 'test/{a,b}.ts'] }))
    const names = [
      '.',
      'src',
      'src/a.ts',
      'src/deep/a.ts',
      'SRC/a.ts',
      'srcs/a.ts',
      'a.md',
      'x/y/a.md',
      'a.MD',
      'test/a.ts',
      'test/c.ts',
    ]
    expect(names.filter(mayRead)).toEqual(['.', 'src', 'src/a.ts', 'src/deep/a.ts', 'a.md', 'x/y/a.md'])
    expect(names.filter(mayWrite)).toEqual(['src/a.ts', 'test/a.ts'])
  })

  test('is nothing where nothing is named, or where it is no pattern', () => {
    const none = reachOf(scope({ read: [], write: [] }))
    const broken = reachOf(scope({ read: ['{a', 'b'], write: ['[', 'b'] }))
    expect(['.', 'a', '{a'].filter((name) => none.mayRead(name) || none.mayWrite(name))).toEqual([])
    expect(['a', '{a', '[', 'b'].filter(broken.mayRead)).toEqual(['b'])
    expect(['a', '{a', '[', 'b'].filter(broken.mayWrite)).toEqual(['b'])
  })

  test('a denial that is no pattern denies all', () => {
    const { mayRead, mayWrite } = reachOf(scope({ deny: ['{a'] }))
    expect(['a', 'b.txt'].filter((name) => mayRead(name) || mayWrite(name))).toEqual([])
  })

  test('the root is never written', () => {
    expect([all.mayRead('.'), all.mayWrite('.')]).toEqual([true, false])
  })

  test('can be widened for writing, within what is not denied', () => {
    const { mayRead, mayWrite } = reachOf(scope({ read: ['**'], write: ['src/**'], deny: ['src/gen/**'] }), [
      'docs/**',
      'src/gen/**',
      '.git/**',
    ])
    expect(['src/a', 'docs/a', 'other/a', 'src/gen/a', '.git/a'].filter(mayWrite)).toEqual(['src/a', 'docs/a'])
    expect(mayRead('docs/a')).toBe(true)
  })

  test('takes no longer for names and patterns made to take long', () => {
    const { mayRead } = reachOf(
      scope({ read: [`${'*a'.repeat(60)}`, `${'**/'.repeat(40)}x`], deny: [`${'{a,b}'.repeat(4)}*`] }),
    )
    expect(mayRead('a'.repeat(4000))).toBe(false)
    expect(mayRead('c/'.repeat(2000))).toBe(false)
    expect(mayRead(`c${'a'.repeat(300)}`)).toBe(true)
  })
})
