import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/evidence/redact.ts'
import { sourcesIn } from '../architecture/sources.ts'

const redact = createRedactor([])

/** As many characters as a token has, put together here: none of what follows was ever a credential. */
const chance = (length: number): string => 'k7Qw9Zt3Xb5Vn1Mc8Lr2Hs6Jd4Fg0Py'.repeat(4).slice(0, length)
const upper = (length: number): string => 'K7QW9ZT3XB5VN1MC8LR2'.slice(0, length)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const JWT = [json({ alg: 'HS256', typ: 'JWT' }), json({ sub: '1234567890' }), chance(43)].join('.')
const DISCORD = [base64('123456789012345678').replaceAll('=', ''), 'Ab1-_9', chance(27)].join('.')
const AWS_SECRET = `${chance(20)}/${chance(10)}+${chance(8)}`

const LINES = [`MIIE${chance(60)}`, chance(64), `${chance(20)}==`]
const pem = (kind: string, lines: readonly string[], newline = '\n'): string =>
  [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join(newline)

/** Secrets that need no label, each with the kind it is marked as. */
const SHAPES: readonly (readonly [kind: string, secret: string])[] = [
  ['aws-key', `AKIA${upper(16)}`],
  ['aws-key', `ASIA${upper(16)}`],
  ...['p', 'o', 'u', 's', 'r'].map((letter) => ['github-token', `gh${letter}_${chance(36)}`] as const),
  ['github-token', `ghs_123456_${json({ alg: 'RS256', typ: 'JWT' })}.${json({ iss: '123456', exp: 9 })}.${chance(43)}`],
  ['github-token', `github_pat_${chance(22)}_${chance(59)}`],
  ['gitlab-token', `glpat-${chance(20)}`],
  ['gitlab-token', `glpat-${chance(27)}.01.${chance(9)}`],
  ['slack-token', `xoxb-123456789012-1234567890123-${chance(24)}`],
  ['slack-token', `xoxp-${chance(24)}`],
  ['slack-token', `xapp-1-${upper(11)}-1234567890123-${chance(40)}`],
  ['api-key', `sk-ant-api03-${chance(40)}-${chance(40)}_AA`],
  ['api-key', `sk-proj-${chance(40)}_${chance(20)}`],
  ['api-key', `sk-or-v1-${chance(40)}`],
  ['api-key', `sk-${chance(48)}`],
  ['google-key', `AIza${chance(35)}`],
  ['stripe-key', `sk_live_${chance(24)}`],
  ['stripe-key', `rk_live_${chance(24)}`],
  ['npm-token', `npm_${chance(36)}`],
  ['discord-token', DISCORD],
  ['telegram-token', `123456789:AA${chance(33)}`],
  ['jwt', JWT],
  ['jwt', JWT.slice(0, JWT.lastIndexOf('.'))],
  ['private-key', pem('PRIVATE KEY', LINES)],
  ['private-key', pem('RSA PRIVATE KEY', LINES, '\r\n')],
  ['private-key', pem('OPENSSH PRIVATE KEY', LINES, '\\n')],
  ['private-key', pem('EC PRIVATE KEY', LINES, '\n    ')],
  ['private-key', pem('ENCRYPTED PRIVATE KEY', LINES, ' ')],
  [
    'private-key',
    pem('RSA PRIVATE KEY', ['Proc-Type: 4,ENCRYPTED', `DEK-Info: AES-128-CBC,${upper(16)}`, '', ...LINES]),
  ],
  ['private-key', pem('PGP PRIVATE KEY BLOCK', ['Version: 2', '', ...LINES, '=aB3d'])],
  ['private-key', pem('PRIVATE KEY', LINES, '\\n" +\n  "')],
]

describe('a secret that is known by its shape', () => {
  test.each(SHAPES)('is marked as %s, and nothing else of the sentence', (kind, secret) => {
    expect(redact(secret)).toEqual(`[redacted:${kind}]`)
    expect(redact(`I used ${secret} for it.`)).toEqual(`I used [redacted:${kind}] for it.`)
    expect(redact(`f("${secret}", 1)`)).toEqual(`f("[redacted:${kind}]", 1)`)
    expect(redact(`a\n${secret}\nb`)).toEqual(`a\n[redacted:${kind}]\nb`)
  })

  test('is marked once for each time it is there', () => {
    const [one, other] = [`ghp_${chance(36)}`, `AKIA${upper(16)}`]
    expect(redact(`${one},${other},${one}`)).toEqual(
      '[redacted:github-token],[redacted:aws-key],[redacted:github-token]',
    )
  })

  test('is marked in an address: as the user, as the password, in the path, in the query', () => {
    const [github, telegram] = [`ghp_${chance(36)}`, `123456789:AA${chance(33)}`]
    expect(redact(`https://${github}@github.com/a/b`)).toEqual('https://[redacted:github-token]@github.com/a/b')
    expect(redact(`https://me:${github}@github.com/a/b`)).toEqual('https://me:[redacted:github-token]@github.com/a/b')
    expect(redact(`https://api.telegram.org/bot${telegram}/getMe`)).toEqual(
      'https://api.telegram.org/bot[redacted:telegram-token]/getMe',
    )
    expect(redact(`https://x.dev/?key=AIza${chance(35)}&q=1`)).toEqual('https://x.dev/?key=[redacted:google-key]&q=1')
  })

  test.each([
    ['before its end', pem('PRIVATE KEY', LINES).slice(0, -25).trim()],
    ['after a line', `-----BEGIN PRIVATE KEY-----\n${LINES[0]}`],
    ['in its second line', `-----BEGIN PRIVATE KEY-----\n${LINES[0]}\n${chance(9)}`],
    ['in its first line', `-----BEGIN PRIVATE KEY-----\n${LINES[0]?.slice(0, 25)}`],
  ])('is marked where it is a private key that was cut off %s', (_, block) => {
    expect(redact(`here:\n${block}`)).toEqual('here:\n[redacted:private-key]')
  })

  test('leaves what comes after a private key', () => {
    const block = pem('PRIVATE KEY', LINES)
    expect(redact(`${block}\nand ${block}\nand so on`)).toEqual(
      '[redacted:private-key]\nand [redacted:private-key]\nand so on',
    )
    expect(redact(`${block.slice(0, -26)}\n\nand that was all of it`)).toEqual(
      '[redacted:private-key]\n\nand that was all of it',
    )
  })

  test('is marked where a reader shows a private key with the numbers of its lines', () => {
    const shown = pem('PRIVATE KEY', LINES).replaceAll('\n', () => '\n    12\t')
    expect(redact(`    11\t${shown}`)).toEqual('    11\t[redacted:private-key]')
  })
})

const [P, T, K, S] = ['[redacted:password]', '[redacted:token]', '[redacted:key]', '[redacted:secret]']

/** What goes because of where it stands, with what is left of it. */
const LABELLED: readonly (readonly [text: string, left: string])[] = [
  // source code and configuration
  ['password = "hunter2xyz"', `password = "${P}"`],
  ["const password = 'hunter2xyz';", `const password = '${P}';`],
  ['const password: string = `hunter2xyz`', `const password: string = \`${P}\``],
  ['password: str = "swordfish"', `password: str = "${P}"`],
  ['password := "swordfish"', `password := "${P}"`],
  ['if (password === "hunter2xyz") {', `if (password === "${P}") {`],
  ['connect(host="db", password="hunter2")', `connect(host="db", password="${P}")`],
  ['password = b"hunter2xyz"', `password = b"${P}"`],
  ['password = "it\'s9fine"', `password = "${P}"`],
  ['password = "correct horse battery staple"', `password = "${P}"`],
  ['{ user: "bob", password: "hunter2" }', `{ user: "bob", password: "${P}" }`],
  ['password = "hunter2xy', `password = "${P}`],
  [`const apiKey = '${chance(20)}'`, `const apiKey = '${K}'`],
  ['"api_key": "abc123def456"', `"api_key": "${K}"`],
  ['{"password":"swordfish","port":5432}', `{"password":"${P}","port":5432}`],
  ['{\\"api_key\\": \\"abc123def456\\", \\"a\\": 1}', `{\\"api_key\\": \\"${K}\\", \\"a\\": 1}`],
  ['headers["x-api-key"] = "abc123def456"', `headers["x-api-key"] = "${K}"`],
  ['SECRET_KEY = "django-insecure-9f8a7c6b5d4e"', `SECRET_KEY = "${K}"`],
  ['client_secret: GOCSPX-abc123def456', `client_secret: ${S}`],
  ['secret:\n  password: hunter2xyz\n  user: bob', `secret:\n  password: ${P}\n  user: bob`],
  ['<password>hunter2xyz</password>', `<password>${P}</password>`],
  ["ALTER USER bob WITH PASSWORD 'hunter2xyz'", `ALTER USER bob WITH PASSWORD '${P}'`],
  ['//registry.npmjs.org/:_authToken=abc123def456', `//registry.npmjs.org/:_authToken=${T}`],
  [`private_key=${'A1b2'.repeat(60)}`, `private_key=${K}`],
  [`private_key: "${'A1b2'.repeat(60)}", a: 1`, `private_key: "${K}", a: 1`],
  ['AccountName=a;AccountKey=abc123def456==;Suffix=core', `AccountName=a;AccountKey=${K};Suffix=core`],

  // AWS
  [`aws_secret_access_key = ${AWS_SECRET}`, 'aws_secret_access_key = [redacted:aws-key]'],
  [`AWS_SECRET_ACCESS_KEY=/${AWS_SECRET.slice(1)}`, 'AWS_SECRET_ACCESS_KEY=[redacted:aws-key]'],
  [`"SecretAccessKey": "${AWS_SECRET}",`, '"SecretAccessKey": "[redacted:aws-key]",'],

  // the environment
  ['DB_PASSWORD=swordfish', `DB_PASSWORD=${P}`],
  ['DB_PASSWORD=correct-horse\nDB_HOST=db', `DB_PASSWORD=${P}\nDB_HOST=db`],
  ["export DB_PASSWORD='my p@ss w0rd'", `export DB_PASSWORD='${P}'`],
  ['SMTP_PASS=swordfish', `SMTP_PASS=${P}`],
  ['A=1 API_TOKEN=swordfish npm start', `A=1 API_TOKEN=${T} npm start`],
  ['docker run -e POSTGRES_PASSWORD=swordfish postgres', `docker run -e POSTGRES_PASSWORD=${P} postgres`],
  ['DB_PASSWORD_2=hunter2', `DB_PASSWORD_2=${P}`],
  ['spring.datasource.password=hunter2', `spring.datasource.password=${P}`],

  // a command line
  ['mysql --password hunter2xyz -u root', `mysql --password ${P} -u root`],
  ['mysql --password swordfish -u root', `mysql --password ${P} -u root`],
  ['mysql -u root --password=swordfish', `mysql -u root --password=${P}`],
  ['curl --pass swordfish', `curl --pass ${P}`],
  ['cli --token=abc123def', `cli --token=${T}`],
  ['cli --db-token "swordfish" --url x', `cli --db-token "${T}" --url x`],
  ['cli --api-key abc123def | tee log', `cli --api-key ${K} | tee log`],

  // chat
  ['the password is hunter2xyz', `the password is ${P}`],
  ['The password is hunter2.', `The password is ${P}.`],
  ['password: hunter2xyz', `password: ${P}`],
  ['Password: hunter2', `Password: ${P}`],
  ['pw: hunter2xyz', `pw: ${P}`],
  ['user: bob, password: hunter2xyz, host: db', `user: bob, password: ${P}, host: db`],
  ['**Password:** hunter2xyz', `**Password:** ${P}`],
  ['password: `hunter2`', `password: \`${P}\``],
  ['the password for the old database is hunter2xyz, ok?', `the password for the old database is ${P}, ok?`],
  ['my password is now Tr0ub4dor&3!', `my password is now ${P}!`],
  ['the password is "swordfish"', `the password is "${P}"`],
  ['the password is correct-horse-battery-staple', `the password is ${P}`],
  ['use the password hunter2xyz', `use the password ${P}`],
  ['password: 123456', `password: ${P}`],
  ['passcode is 482913', `passcode is ${P}`],
  ['passphrase: hunter2xyz', `passphrase: ${P}`],
  ['my api key is abcd1234efgh', `my api key is ${K}`],
  ['API key: abcd1234', `API key: ${K}`],
  ['the secret token is abc123def', `the secret token is ${T}`],
  ['bot token: abc123def', `bot token: ${T}`],

  // headers
  ['Authorization: Bearer abc123', 'Authorization: Bearer [redacted:bearer]'],
  ['authorization: bearer abcdefghijklmnopqrst', 'authorization: bearer [redacted:bearer]'],
  ["curl -H 'Authorization: Bearer mF_9.B5f-4.1JqM'", "curl -H 'Authorization: Bearer [redacted:bearer]'"],
  ['{"Authorization":"Bearer abc123def456=="}', '{"Authorization":"Bearer [redacted:bearer]"}'],
  [`it sent Bearer ${chance(30)}.`, 'it sent Bearer [redacted:bearer].'],
  [`Authorization: Bearer ${JWT}`, 'Authorization: Bearer [redacted:jwt]'],
  [`Authorization: Basic ${base64('bob:hunter2')}`, 'Authorization: Basic [redacted:basic]'],
  [`Proxy: basic ${base64('bob:swordfish')}`, 'Proxy: basic [redacted:basic]'],
  [`Authorization: ${chance(24)}`, `Authorization: ${T}`],
  [`X-Api-Key: ${chance(24)}`, `X-Api-Key: ${K}`],

  // addresses
  ['postgres://admin:s3cr3t@db:5432/app', 'postgres://admin:[redacted:url-password]@db:5432/app'],
  ['redis://:swordfish@127.0.0.1:6379/0', 'redis://:[redacted:url-password]@127.0.0.1:6379/0'],
  ['https://bob:p@ss@word@host/x?a=1', 'https://bob:[redacted:url-password]@host/x?a=1'],
  ['mongodb+srv://bob:a%40b1@c.net, or not', 'mongodb+srv://bob:[redacted:url-password]@c.net, or not'],
  ['https://x.dev/?access_token=abc123def&b=2', `https://x.dev/?access_token=${T}&b=2`],
]

describe('a secret that is known by its place', () => {
  test.each(LABELLED)('goes, and its label stays: %s', (text, left) => {
    expect(redact(text)).toEqual(left)
    expect(redact(`so:\n${text}\nand so on`)).toEqual(`so:\n${left}\nand so on`)
  })

  test('goes where it is the value of a field, whatever the label is spelled like', () => {
    const fields = {
      user: 'bob',
      password: 'swordfish',
      dbPassword: 'hunter2',
      api_key: 'abc123def456',
      'X-Api-Key': 'abc123def456',
      clientSecret: 'abc123def456',
      accessToken: 'abc123def456',
    }
    expect(redact({ tool: 'fetch', args: fields })).toEqual({
      tool: 'fetch',
      args: {
        user: 'bob',
        password: P,
        dbPassword: P,
        api_key: K,
        'X-Api-Key': K,
        clientSecret: S,
        accessToken: T,
      },
    })
  })

  test('goes where it is the argument after a flag', () => {
    expect(redact(['mysql', '--password', 'swordfish', '-u', 'root'])).toEqual(['mysql', '--password', P, '-u', 'root'])
    const args = ['login', '--token', '--password', '$PASSWORD', '--password-stdin', 'swordfish']
    expect(redact(args)).toBe(args)
  })
})

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** What looks a little like a secret, and is read by somebody who needs it. */
const KEPT: readonly string[] = [
  // source code
  'password: z.string()',
  'password: z.string().min(8),',
  'const token = getToken()',
  'const token = await fetchToken2(url)',
  'api_key=os.environ["KEY"]',
  'API_KEY = os.environ.get("API_KEY_2")',
  'const apiKey = process.env.API_KEY2',
  'token: config.auth.token2,',
  'password: string',
  'password?: string | undefined',
  '{ password: string; token: number }',
  'secret: Uint8Array',
  'const secret = sha256Hash',
  'this.token = token2;',
  '{ token: token2, password: hash1 }',
  'return { password, token }',
  'if (token === 102/*f*/) return',
  'exports.MD5Password = AuthenticationMD5Password;',
  'secretOrKey: jwtKey1,',
  "type: 'password'",
  "password: 'Password'",
  "password: 'required'",
  "token: 'Bearer'",
  "token: 'token-1'",
  "secret: 'my-app-secret'",
  "const TOKEN_KEY = 'access_token'",
  "const API_KEY = 'OPENAI_API_KEY'",
  "passwordHash = '$2b$10$abc'",
  "tokenizer = 'cl100k_base'",
  'password_file=/run/secrets/db1',
  'secretName: db-credentials-v2',
  '"nextPageToken": "CAUQAA1b2c3"',
  '"max_tokens": 4096, "total_tokens": 123456',
  'fence token: 12345678',
  '"password=" + encodeURIComponent(password1) + "&user="',
  "token = '([a-z0-9]+)[^x]'",
  "algorithm: { secret: 'base64url', token: 'sha256', password: 'argon2id' }",
  'readonly STENCIL_PASS_DEPTH_PASS: 0x8803;',
  "if (text.includes('-----BEGIN PRIVATE KEY-----')) throw new Error('a private key')",
  "const BEGIN = '-----BEGIN PRIVATE KEY-----'\nconst thisIsALongNameOfAFunction = () => readFileSync('x1.pem')",
  '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----',
  `-----BEGIN PUBLIC KEY-----\n${LINES.join('\n')}\n-----END PUBLIC KEY-----`,
  'NotificationsController1234.create.somethingElseThatIsLongEnough',
  'class="sk-fading-circle sk-circle-bounce-delayed-long"',
  'task-0123456789abcdefghijklmnop',
  'npm_config_registry npm_lifecycle_event npm_package_name',
  'ghp_short AKIA glpat-x xoxb- sk-test AIza eyJ npm_x',
  'PWD=/home/bob/project1',

  // hashes and names
  SHA256,
  `sha256:${SHA256}`,
  `the commit ${SHA256.slice(0, 40)} (${SHA256.slice(0, 7)})`,
  `"integrity": "sha512-${base64(SHA256)}=="`,
  `token: sha256:${SHA256}`,
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '{"turn":"01ARZ3NDEKTSV4RRFFQ69G5FAV","step":"01ARZ3NDEKTSV4RRFFQ69G5FAV.3"}',
  '123e4567-e89b-12d3-a456-426614174000',
  `//# sourceMappingURL=data:application/json;base64,${json({ version: 3, sources: ['a.ts'] })}`,
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:database-Ab12Cd',

  // documentation
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN',
  `Authorization: Bearer \${TOKEN}`,
  'Authorization: Bearer YOUR_TOKEN',
  'Authorization: Bearer xxxx',
  'Authorization: Bearer xxxxxxxxxxxxxxxx',
  'Authorization: Bearer ****',
  'Authorization: Bearer token',
  'Authorization: Basic credentials',
  'Authorization: AWS4-HMAC-SHA256',
  `\`Bearer \${token}\``,
  'a bearer token, or basic authentication',
  'Basic functionality; bearer authentication-required',
  'TOKEN=<your token>',
  'TOKEN=YOUR_TOKEN',
  'TOKEN=$(cat token.txt)',
  `TOKEN=\${TOKEN:-none}`,
  'TOKEN=changeme',
  'PASSWORD=%PASSWORD%',
  'password: ****',
  '{"password":"[REDACTED]"}',
  'password: xxxxxxxx',
  'password: your-password-1',
  'password = "{{ db_password1 }}"',
  'api_key: example-key-1',
  'cli --token TOKEN --password <password>',
  'cli --token $TOKEN --password "$PASSWORD"',
  'pass --token and --url',
  '-p, --password string   the password of the registry',
  'use --password-stdin instead',
  `ghp_${'x'.repeat(36)}`,
  `sk-ant-${'x'.repeat(24)}`,
  'postgres://user:password@localhost/app',
  'postgres://user:<password>@host/app',
  `postgres://\${USER}:\${PASSWORD}@host/app`,
  'http://localhost:3000/a@b',
  'http://localhost:3000?mail=bob@example.com',
  'https://example.com/path?x=1#y, mail bob@example.com',
  'git@github.com:bob/repo.git',

  // chat
  'the password is wrong',
  'the token is invalid, the secret is out',
  'I forgot my password: please help',
  'what is the token for?',
  'the password must have 8 characters',
  'password reset, token refresh, secret sauce',
  'see docs/tokens.md: tokens 12 and 13',
  'passed: 12, pass rate 98%',
  'a compass: north2south',
  '',
]

describe('what is no secret', () => {
  test.each(KEPT)('stays as it is: %s', (text) => {
    expect(redact(text)).toBe(text)
    const around = `so:\n${text}\nand so on`
    expect(redact(around)).toBe(around)
  })

  test('stays as it is in the source of this program, and in its lock file', () => {
    const texts = [...sourcesIn('src').map(({ text }) => text), readFileSync('package-lock.json', 'utf8')]
    expect(texts.filter((text) => redact(text) !== text)).toEqual([])
  })
})

describe('the secrets of this instance', () => {
  const [admin, operator] = [chance(32), `${chance(32)}+operator`]

  test('are marked wherever they stand, the longer one first', () => {
    const ours = createRedactor([admin, operator])
    expect(ours(`/?token=${admin}&x=${operator}z, a${admin}b`)).toEqual(
      '/?token=[redacted:known]&x=[redacted:known]z, a[redacted:known]b',
    )
  })

  test('are literal: what means something in a pattern means itself', () => {
    const odd = 'a.c*d(e)[f]{1}^$|\\'
    const ours = createRedactor([odd])
    expect(ours(`${odd}, abcdefgh`)).toEqual('[redacted:known], abcdefgh')
  })

  test('are left where they are too short to be told from other text', () => {
    const ours = createRedactor(['', 'a', 'lobby', '1234567'])
    const text = 'a lobby 1234567'
    expect(ours(text)).toBe(text)
  })

  test('may look like a mark', () => {
    const ours = createRedactor(['redacted:known'])
    const once = ours('it is redacted:known')
    expect(once).toEqual('it is [redacted:known]')
    expect(ours(once)).toBe(once)
  })
})

describe('a value', () => {
  test('is the same object where nothing was taken out of it, and so is every part of it', () => {
    const clean = { a: ['x', 1, null, true, { b: 'y' }], c: {}, d: [] }
    expect(redact(clean)).toBe(clean)
    const changed = redact({ clean, text: 'password: hunter2xyz' })
    expect(changed).toEqual({ clean, text: `password: ${P}` })
    expect(changed.clean).toBe(clean)
  })

  test('keeps its names, their order, and what is no text', () => {
    const name = `ghp_${chance(36)}`
    const value = JSON.parse(
      `{"z":1,"__proto__":"password: hunter2xyz","${name}":[null,true,1.5,"password: hunter2xyz"]}`,
    )
    const left = `{"z":1,"__proto__":"password: ${P}","${name}":[null,true,1.5,"password: ${P}"]}`
    expect(JSON.stringify(redact(value))).toEqual(left)
  })

  test('that was handed in is not changed', () => {
    const value = { list: ['password: hunter2xyz'], password: 'swordfish' }
    const before = structuredClone(value)
    redact(value)
    expect(value).toEqual(before)
  })

  test.each([null, undefined, 1, true])('that is %s stays as it is', (value) => {
    expect(redact(value)).toBe(value)
  })
})

/** What surrounds a secret and is no part of it. */
const edge = fc.constantFrom(' ', '\n', '\t', '"', "'", '`', '(', '[', '{', '<', '>', '=', ':', ',', ';', '|', '/', '@')
const secret = fc.constantFrom(...SHAPES.map(([, shape]) => shape))

/** Texts made of what the search looks for: whole, in pieces, one in the other. */
const pieces = fc
  .array(
    fc.oneof(
      secret,
      fc.constantFrom(...LABELLED.map(([text]) => text), ...KEPT),
      fc.constantFrom('password', 'TOKEN', 'api_key', '--token', 'pass', 'secret', 'Authorization', 'Bearer', 'Basic'),
      fc.constantFrom(
        '=',
        ': ',
        ' is ',
        ' ',
        '"',
        "'",
        '\\"',
        '\n',
        ',',
        '&',
        '@',
        '://',
        '-',
        '.',
        '>',
        '</',
        '(',
        ']',
      ),
      fc.constantFrom('hunter2xyz', 'swordfish', '123456', 'Uint8Array', chance(24), P, '[redacted:', 'eyJ', 'ghp_'),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((list) => list.join(''))

describe('for any text', () => {
  test('a second time changes nothing', () => {
    const ours = createRedactor([chance(24)])
    fc.assert(
      fc.property(pieces, (text) => {
        const once = ours(text)
        expect(ours(once)).toBe(once)
      }),
      { numRuns: 3000, examples: [['Password: hunter2xyztoken: \'Bearer\'password = "hunter2xyz"']] },
    )
  })

  test('a second time changes nothing of any value', () => {
    const values = fc.dictionary(
      fc.constantFrom('text', 'password', 'apiKey', 'args'),
      fc.oneof(pieces, fc.array(fc.oneof(pieces, fc.constantFrom('--password', '--token', 'swordfish')))),
    )
    fc.assert(
      fc.property(values, (value) => {
        const once = redact(value)
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 500 },
    )
  })

  test('without a beginning of a secret, the very same value comes back', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'abdefgilmnorstuxyz \n.,()[]{}"\'0123456789ABDEFGHLMNO') })
    fc.assert(
      fc.property(fc.array(fc.record({ text: plain, more: fc.array(plain) })), (value) => {
        expect(redact(value)).toBe(value)
      }),
    )
  })

  test('a secret is gone wherever it stands in it', () => {
    const before = fc.tuple(fc.string(), edge).map((parts) => parts.join(''))
    const after = fc.tuple(edge, fc.string()).map((parts) => parts.join(''))
    fc.assert(
      fc.property(before, secret, after, (left, shape, right) => {
        const inJson = JSON.stringify(shape).slice(1, -1)
        expect(JSON.stringify(redact({ text: [left + shape + right] }))).not.toContain(inJson)
      }),
      { numRuns: 2000 },
    )
  })

  test('a secret of this instance is gone wherever it stands in it, with nothing between', () => {
    const ours = createRedactor([chance(24)])
    fc.assert(
      fc.property(pieces, pieces, (before, after) => {
        expect(ours(before + chance(24) + after)).not.toContain(chance(24))
      }),
    )
  })

  test('it is told the same in a list of lists and in a field of a field', () => {
    const path = fc.array(fc.constantFrom('list' as const, 'field' as const), { maxLength: 8 })
    fc.assert(
      fc.property(path, pieces, (steps, text) => {
        const wrap = (inner: unknown) =>
          steps.reduce<unknown>((value, step) => (step === 'list' ? [0, value, 'b'] : { a: 1, inner: value }), inner)
        expect(redact(wrap(text))).toEqual(wrap(redact(text)))
      }),
    )
  })
})

/** What would make a search go over the same text again and again, were its patterns careless. */
const HOSTILE: readonly string[] = [
  ...['a', '1', ' ', '\n', '-', '.', '\\', '"', '[', '_A'],
  ...['password=', 'password="', 'password for x ', 'token=(', 'token=a1,b', '--token', 'PASS=a!'],
  ...['://a:', '://a:bbbb', 'eyJ-', '-eyJ', '.eyJaaaaaa', 'ghp_', 'sk-ant-', 'xoxb.', '12345678:A'],
  ...['MAAAAAAAAAAAAAAAAAAAAAAA.', 'bearer ', 'authorization: bearer aaaaa', '-----BEGIN PRIVATE KEY-----\n'],
  ...['-----BEGIN PRIVATE KEY-----\nProc-Type: a', '[redacted:a'],
]

describe('a megabyte of hostile text', () => {
  const SIZE = 2 ** 20
  const filled = (start: string, unit: string) => start + unit.repeat(Math.ceil(SIZE / unit.length))

  // A pattern that takes the square of the length would not be done with one of these in the time a test has.
  test.each(HOSTILE)('comes to an end, and is no different the second time: %j', (unit) => {
    const once = redact(filled('', unit))
    expect(redact(once)).toBe(once)
  })

  test.each([
    'password=1a',
    'password="1a',
    'bearer 1a',
    '://a:',
    'eyJaaaaaa.',
    `-----BEGIN PRIVATE KEY-----\n${LINES[0]}\n`,
  ])('comes to an end where it follows a beginning: %j', (start) => {
    const sizes = ['a', '+', '\\', '.', '-'].map((unit) => redact(filled(start, unit)).length <= SIZE + start.length)
    expect(sizes).toEqual([true, true, true, true, true])
  })

  test('loses the secret at its end', () => {
    const text = filled('', 'all work and no play ')
    expect(redact(`${text}ghp_${chance(36)}`)).toEqual(`${text}[redacted:github-token]`)
    expect(redact(`${text}password: hunter2xyz`)).toEqual(`${text}password: ${P}`)
  })

  test('loses all of a value that is a megabyte long', () => {
    expect(redact(filled('PRIVATE_KEY=', 'A1b2'))).toEqual(`PRIVATE_KEY=${K}`)
    expect(redact(`${filled('private_key = "', 'A1b2')}"`)).toEqual(`private_key = "${K}"`)
  })
})
