import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOpened } from '../../src/evidence/wall/address.ts'
import { isForm } from '../../src/evidence/wall/argv.ts'
import { isClosed, placeOf } from '../../src/evidence/wall/place.ts'
import { createScope } from '../../src/evidence/wall/scope.ts'
import { Wall } from '../../src/evidence/wall/wall.ts'
import { CommandRule } from '../../src/shapes/peripheral.ts'
import { matchCommand } from '../../src/tools/commands.ts'
import { judgeAddress } from '../../src/tools/web/address.ts'
import { denier, reachOf } from '../../src/workspace/scope.ts'
import { wallOf } from './rich.ts'

/** The gate and what judges it afterwards are written apart, and mean the same. */
const LONG = Boolean(process.env['BELLHOP_LONG'])
const numRuns = LONG ? 30_000 : 2000

const anyPart = fc.oneof(
  fc.constantFrom(
    '*',
    '**',
    '?',
    'a',
    'b',
    'src',
    '*.ts',
    'a*',
    '*b*',
    '[ab]',
    '[!a]',
    '[a-c]x',
    '{a,b}',
    '{a,*.ts}.c',
    'a**',
  ),
  fc.stringMatching(/^[ab*?]{1,4}$/),
)
const anyGlob = fc
  .tuple(fc.constantFrom('', '', '', '!', './', '/'), fc.array(anyPart, { minLength: 1, maxLength: 4 }))
  .map(([before, parts]) => `${before}${parts.join('/')}`)
  // Nobody can say what `a**/b` means.
  .filter((glob) => !/[^/]\*\*+\//.test(glob))

const anyName = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'src', 'x.ts', 'a.ts', 'bx', 'a.ts.c'),
  fc.stringMatching(/^[ab]{1,4}$/),
)
const anyPlace = fc.array(anyName, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))

const bare = {
  read: [],
  write: [],
  deny: [],
  hardLinks: false,
  evidence: 'none' as const,
  web: { hosts: [], private: false },
}

test('what a pattern opens', () => {
  fc.assert(
    fc.property(fc.array(anyGlob, { minLength: 1, maxLength: 2 }), anyPlace, (globs, place) => {
      const scope = { ...bare, read: globs, write: globs }
      const gate = reachOf(scope)
      const judge = createScope({ ...Wall.parse(wallOf('explore')), scope })
      expect({ read: judge.toRead(place) === null, write: judge.toWrite(place, false) === null }).toEqual({
        read: gate.mayRead(place),
        write: gate.mayWrite(place),
      })
    }),
    { numRuns },
  )
})

test('what a pattern denies, with all that lies below', () => {
  fc.assert(
    fc.property(
      anyGlob.filter((glob) => !glob.startsWith('!')),
      anyPlace,
      (glob, place) => {
        const scope = { ...bare, read: ['**'], deny: [glob] }
        const judge = createScope({ ...Wall.parse(wallOf('explore')), scope })
        expect(judge.toRead(place) === null).toBe(reachOf(scope).mayRead(place))
      },
    ),
    { numRuns },
  )
})

describe('what is closed to all', () => {
  const pieces = [
    '.git .gitignore .github git~1 .env .env.local .env.example .env.dist prod.env example.env .envrc secret.json secrets.yaml',
    'secrets.ts .secrets server.pem cacert.pem x.key key x.p8 x.jks keys id_rsa id_rsa.pub id_rsa.old id_ed25519 .ssh .gnupg',
    '.npmrc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials credentials.json credentials client_secret_1.json',
    'service-account.json service.json .vault-token .dockercfg .terraformrc x.tfstate x.tfstate.backup .s3cfg .boto .aws',
    '.azure .config gcloud gh hosts.yml .docker config.json .kube config .cargo credentials.toml .gem src a.ts README.md',
  ].flatMap((names) => names.split(' '))
  const anyClosed = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
  const isDenied = denier([])

  test('is the same for both, name by name and folder by folder', () => {
    const both = (place: string) => ({ place, closed: isClosed(place) })
    for (const name of pieces) expect(both(name)).toEqual({ place: name, closed: isDenied(name) })
    fc.assert(
      fc.property(anyClosed, (place) => {
        expect(both(place)).toEqual({ place, closed: isDenied(place) })
      }),
      { numRuns },
    )
  })

  test('is never more for the one that comes after: what the gate let through is not blamed for its name', () => {
    const odd = fc.constantFrom('', '.', ' ', '\u200b', 'é', 'Ａ', ':x', 'ⅽ')
    fc.assert(
      fc.property(anyClosed, odd, odd, fc.boolean(), (place, before, after, loud) => {
        const name = `${before}${loud ? place.toUpperCase() : place}${after}`
        const inside = placeOf(name)
        if (inside !== null && isClosed(inside))
          expect({ inside, denied: isDenied(inside) }).toEqual({ inside, denied: true })
      }),
      { numRuns },
    )
  })
})

describe('which commands have the form of a rule', () => {
  const anyWord = fc.constantFrom(
    'npm',
    'test',
    '-x',
    '--',
    'src/a.ts',
    '7',
    'main',
    'a b',
    'this',
    'that',
    'HEAD~1',
    '',
  )
  const anyRuleWord = fc.constantFrom(
    ...['test', '-x', '--', 'this', '<path>', '<path>...', '<word>', '<word>...', '<text>', '<text>...'],
    ...['<number>', '<number>...', '<this|that>', '<this|-x>...', '<rev>'],
  )
  const ruleOf = (argv: string[]) => CommandRule.parse({ argv: ['npm', ...argv], for: 'work' })

  test('is the same for both, but that the gate takes fewer words for names', () => {
    fc.assert(
      fc.property(fc.array(anyRuleWord, { maxLength: 4 }), fc.array(anyWord, { maxLength: 5 }), (words, argv) => {
        const rule = ruleOf(words)
        const given = ['npm', ...argv]
        const judged = isForm(rule, given, (word) => word !== '')
        if (matchCommand([rule], given)) expect({ words, argv, judged }).toEqual({ words, argv, judged: true })
        // Where no name is asked for, there is nothing to take differently.
        if (!words.some((word) => /^<(?:word|rev|text|path)/.test(word)))
          expect({ words, argv, judged }).toEqual({ words, argv, judged: matchCommand([rule], given) !== null })
      }),
      { numRuns },
    )
  })
})

test('which addresses a wall opens', () => {
  const addresses = [
    'https://docs.rs/zod https://DOCS.rs./ http://a.docs.rs https://docs.rs.evil.net https://evil.net/docs.rs https://bücher.de',
    'file://docs.rs/etc ftp://docs.rs data:text/plain,x //docs.rs docs.rs https://[::1]/ https://127.0.0.1 http://2130706433',
    'http://0x7f.1 http://10.1.2.3 http://172.20.0.1 http://172.40.0.1 http://169.254.169.254/meta http://[fd00::1] http://8.8.8.8',
  ].flatMap((some) => some.split(' '))
  const hosts = ['docs.rs', '*.docs.rs', '*', 'BÜCHER.de', '*.evil.net', '127.0.0.1', '8.8.8.8', '::1', '*.0.0.1']
  const different = addresses.flatMap((address) =>
    hosts.flatMap((host) =>
      [true, false].flatMap((near) => {
        const web = { hosts: [host], private: near }
        const [gate, judge] = [typeof judgeAddress(address, web) !== 'string', isOpened(address, web)]
        return gate === judge ? [] : [{ address, host, near, gate, judge }]
      }),
    ),
  )
  expect(different).toEqual([])
})
