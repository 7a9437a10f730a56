import { expect, test } from 'vitest'
import { sayings } from '../../../adapters/discord/long.ts'
import { split } from '../../../adapters/discord/split.ts'
import { clean, fenced, plainly, short, tame } from '../../../adapters/discord/tame.ts'

test('text of others calls nobody and hides nothing, and stays readable', () => {
  expect(tame('@everyone @HERE <@123> <@&456> @Override a@b.c')).toBe(
    '@\u200beveryone @\u200bHERE <@\u200b123> <@\u200b&456> @Override a@b.c',
  )
  expect(tame('a\u0000\u001b[31mb\u202ec\u2066d\u200fe\r\nf\tg \ud83d h 🛎')).toBe('a[31mbcde\nf\tg \ufffd h 🛎')
  expect(tame('@every\u0000one')).toBe('@\u200beveryone')
  expect(plainly('**b** _i_ [x](http://y/a_b) `c`\n# h\n> q http://z/a_b*c')).toBe(
    '\\*\\*b\\*\\* \\_i\\_ \\[x\\](http://y/a_b) \\`c\\`\n\\# h\n\\> q http://z/a_b*c',
  )
  expect(fenced('a```b\n```\n@everyone', 'ts')).toBe('```ts\na`\u200b`\u200b`b\n`\u200b`\u200b`\n@\u200beveryone\n```')
  expect(short('a\n b  c', 4)).toBe('a b…')
  expect(short('🛎🛎🛎', 4)).toBe('🛎…')
})

/** What is left of a text without what may be put between its pieces. */
const bare = (text: string): string => text.replace(/```\w*/g, '').replace(/\s/g, '')

test('a long text is split without losing or halving a character, and blocks of code are closed and opened again', () => {
  const code = ['```ts', ...Array.from({ length: 60 }, (_, i) => `const row${i} = '語の鐘 🛎'`), '```'].join('\n')
  const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ')
  const texts = [
    code,
    words,
    '🛎'.repeat(500),
    `${words}\n\n${code}\n\n${words}`,
    `a ${'`'.repeat(300)}`,
    '',
    '```',
    '\n\n\n',
  ]
  for (const text of texts) {
    for (const most of [60, 201, 1000]) {
      const pieces = split(text, most)
      expect(pieces.filter((piece) => piece.length > most)).toEqual([])
      expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([])
      if (!text.includes('`'.repeat(10))) expect(pieces.map(bare).join('')).toBe(bare(text))
      expect(pieces.filter((piece) => piece.split('```').length % 2 === 0)).toEqual([])
    }
  }
  expect(split('one\n\ntwo two two two', 20)).toEqual(['one\n\ntwo two', 'two two'])
  expect(split('```js\na\nb', 100)).toEqual(['```js\na\nb\n```'])
})

test('what is too long for a file is cut to what Discord takes, and says so', () => {
  const [only] = sayings({ head: '', text: '語'.repeat(4_000_000), name: 'answer.md', link: null })
  const text = only?.file?.text ?? ''
  expect([Buffer.byteLength(text) < 10 * 1024 * 1024, text.split('\n').at(-1)]).toEqual([
    true,
    '(cut: it is too long for a file)',
  ])
})

test('what is too long for a few messages is its beginning and a file with the whole of it', () => {
  const line = { head: '**claude-1**\n', name: 'answer.md', link: 'https://bellhop.example/x' }
  expect(sayings({ ...line, text: 'short' })).toEqual([{ content: '**claude-1**\nshort', file: null }])
  const some = Array.from({ length: 60 }, (_, i) => `line ${i} ${'x'.repeat(60)}`).join('\n')
  expect(sayings({ ...line, text: some }).map(({ file }) => file)).toEqual([null, null, null])
  const much = `\`\`\`\n${some}\n${some}\u0000\n\`\`\``
  const [only, ...more] = sayings({ ...line, text: much })
  expect(more).toEqual([])
  expect(only?.file).toEqual({ name: 'answer.md', text: clean(much) })
  expect(only?.content.length).toBeLessThan(2000)
  expect(only?.content.split('\n').at(-1)).toBe(
    '-# … the whole of it is in the file answer.md and at https://bellhop.example/x',
  )
  expect((only?.content ?? '').split('```').length % 2).toBe(1)
  const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y'
  expect(sayings({ ...line, head: '', text: diff })).toEqual([{ content: `\`\`\`diff\n${diff}\n\`\`\``, file: null }])
})
