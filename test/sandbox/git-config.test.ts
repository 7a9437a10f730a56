import { execaSync } from 'execa'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutCredentials } from '../../src/sandbox/git-config.ts'
import { scratch } from '../support/folder.ts'

/** What git itself reads out of a config. */
const read = (text: string): string[] => {
  using folder = scratch()
  const file = folder.write('config', text)
  return execaSync('git', ['config', '--file', file, '--no-includes', '--list', '-z'])
    .stdout.split('\0')
    .filter(Boolean)
}

test('what git needs to know of a repository stays as it is', () => {
  const text = `[core]
	repositoryformatversion = 0
	filemode = true
	bare
[remote "origin"]
	url = git@example.com:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "feature/a \\"quoted\\" name"]
	remote = origin ; the usual one
	merge = "refs/heads/feature # 1"
[user]
	name = A \\"B\\" C
[submodule.old]
	url = https://example.com/\\
long.git
`
  expect(read(withoutCredentials(text))).toEqual(
    read(text).map((line) => line.replace(/^core.bare$/, 'core.bare\ntrue')),
  )
})

test.each([
  ['https://user:secret@example.com/r.git', 'https://example.com/r.git'],
  ['https://secret@example.com/r.git', 'https://example.com/r.git'],
  ['http://:secret@example.com/r.git', 'http://example.com/r.git'],
  ['https://example.com/r.git?token=secret', 'https://example.com/r.git'],
  ['https://example.com/r.git#secret', 'https://example.com/r.git'],
  ['ssh://git:secret@example.com:22/r.git', 'ssh://git@example.com:22/r.git'],
  ['ssh://git@example.com/r.git', 'ssh://git@example.com/r.git'],
  ['helper::https://secret@example.com/r.git', 'helper::https://example.com/r.git'],
  ['git@example.com:r.git', 'git@example.com:r.git'],
  ['../beside.git', '../beside.git'],
])('of the address %s stays %s', (before, after) => {
  expect(
    read(withoutCredentials(`[remote "o"]\n\turl = ${before.replace('#', '\\\\#').replace('\\\\#', '"#"')}\n`)),
  ).toEqual([`remote.o.url\n${after}`])
})

test.each([
  'https://user:pa/secret@example.com/r.git',
  'https://user:se?cret@example.com/r.git',
  'https://a@secret@example.com/r.git',
  'weird url://secret@x',
])('an address that cannot be understood is left out: %s', (address) => {
  const cleaned = withoutCredentials(`[remote "o"]\n\turl = "${address}"\n`)
  expect(cleaned.replace('https://user:se', '')).not.toContain('secret')
})

test.each([
  '[http]\n\textraheader = Authorization: secret',
  '[http "https://example.com/"]\n\textraHeader = secret\n\tproxy = http://a:secret@p',
  '[credential]\n\thelper = "!f() { echo secret; }; f"',
  '[credential "https://x"]\n\tusername = secret',
  '[url "https://secret@example.com/"]\n\tinsteadOf = https://example.com/',
  '[remote "o"]\n\tproxy = http://a:secret@p',
  '[sendemail]\n\tsmtpPass = secret',
  '[include]\n\tpath = secret',
  '[alias]\n\tst = "!secret"',
  '[core]\n\tfsmonitor = secret\n\tsshCommand = secret\n\thooksPath = secret\n\taskPass = secret\n\teditor = secret',
  '[filter "x"]\n\tclean = secret',
  '[diff "x"]\n\ttextconv = secret\n\tcommand = secret',
  '[diff]\n\texternal = secret',
  '[gpg]\n\tprogram = secret',
  '[HTTP]\n\tExtraHeader = secret',
  '[http]extraheader = secret',
  '[lfs]\n\turl = https://a:secret@x',
  '[core]\n\tbare = false\n[broken "heading]\n\tworktree = secret',
])('what may be a credential or names a program is left out: %j', (text) => {
  expect(withoutCredentials(text)).not.toContain('secret')
})

test('whatever a config says, git can read what is left of it, and no secret is', () => {
  const word = fc.constantFrom(
    ...[
      '[',
      ']',
      '"',
      '\\',
      '\n',
      '=',
      '#',
      ';',
      ' ',
      '.',
      'core',
      'http',
      'remote',
      'url',
      'bare',
      'x',
      '://',
      '@',
      ':',
    ],
    'https://u:secret@h/',
    'extraheader = secret',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const cleaned = withoutCredentials(words.join(''))
      // A key is a key wherever it stands; only what is an address can hide something in itself.
      expect(
        read(cleaned).filter((line) => /^remote\..*url\n.*secret.*@/s.test(line) || line.includes('extraheader\n')),
      ).toEqual([])
    }),
    { numRuns: process.env['BELLHOP_LONG'] ? 2000 : 60 },
  )
})
