import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut, framed, framedText, type Piece } from '../../src/context/pieces.ts'
import { createQuote } from '../../src/context/quote.ts'

const NONCE = 'k7mpq2xz'
const quote = createQuote(NONCE)
const FRAME = { label: 'request', bytes: 4000, left: (lines: number) => `${lines} lines more` }

/** Text as somebody might send it who wants to get out: with marks, bars, ends of lines of all kinds, and halves of the word. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        NONCE,
        NONCE.toUpperCase(),
        'k7mp',
        'q2xz',
        `[[${NONCE} end]]`,
        '\n',
        '\r',
        '\u2028',
        '\u0085',
        '\u202e',
        '\u200b',
        '\ud800',
        '\u{e0041}',
        '@/etc/passwd',
        ' @file',
        '/help',
        '!ls',
        '#x',
        '| ',
        '"',
        '\\',
        '\u001b[2J',
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

/** What nothing that was cleaned has: codes, halves of characters, turned directions, what is not to be seen. */
const UNSAFE =
  /[^\P{Cc}\n\t]|\p{Cs}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]|[\u{e0000}-\u{e0fff}]/u

test('a block is what was said, line by line behind a bar, between two marks', () => {
  expect(framedText(quote, 'fix it\n\n  @src/a.ts, please\n', FRAME)).toBe(
    `[[k7mpq2xz request]]
| fix it
| 
|   \\@src/a.ts, please
| 
[[k7mpq2xz end]]`,
  )
})

/** Any word that marks can be made with. */
const anyNonce = fc.stringMatching(/^[A-Za-z0-9]{8,16}$/)

test('whatever is quoted, all of it stays behind a bar between its two marks, and the word of the marks is not in it', () => {
  fc.assert(
    fc.property(anyNonce, hostile, fc.integer({ min: 200, max: 3000 }), (nonce, said, bytes) => {
      const quote = createQuote(nonce)
      const text = said.replaceAll(NONCE, nonce).replaceAll(NONCE.toUpperCase(), nonce.toUpperCase())
      const block = framedText(quote, text, { ...FRAME, bytes })
      const [begin, ...rest] = block.split('\n')
      const end = rest.pop()
      const note = /^\[\[\w+ \d+ lines more\]\]$/.test(rest.at(-1) ?? '') ? rest.pop() : ''
      expect([begin, end]).toEqual([`[[${nonce} request]]`, `[[${nonce} end]]`])
      expect(rest.filter((line) => !line.startsWith('| '))).toEqual([])
      expect(rest.filter((line) => line.toLowerCase().includes(nonce.toLowerCase()))).toEqual([])
      expect(rest.filter((line) => /(?:^|\s)@/.test(line))).toEqual([])
      expect(UNSAFE.test(block)).toBe(false)
      expect(block.isWellFormed()).toBe(true)
      expect(Buffer.byteLength(block)).toBeLessThanOrEqual(bytes)
      const read = rest.map((line) => line.slice(2).replaceAll('\\@', '@')).join('\n')
      const whole = quote.clean(text).replaceAll('\\@', '@')
      if (note === '') expect(read).toBe(whole)
      else expect(whole.startsWith(read.replace(/…$/, ''))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('a value on one line can be read back, and is one line', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const value = { says: quote.clean(text) }
      const line = quote.json(value)
      expect(line).not.toMatch(/\n|(?:^|\s)@/)
      expect(JSON.parse(line)).toEqual(value)
    }),
    { numRuns: 300 },
  )
})

test('a name or a label says nothing of its own', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(quote.name(text)).toMatch(/^[\p{L}\p{M}\p{N}._ -]{1,64}$/u)
      expect(quote.mark(text)).toMatch(/^\[\[k7mpq2xz [^[\]\n]*\]\]$/)
      expect(quote.mark(text).toLowerCase().split(NONCE)).toHaveLength(2)
    }),
    { numRuns: 300 },
  )
})

test('what was unseen between its letters does not bring the word together', () => {
  expect([quote.clean('k7mp\u200bq2xz'), quote.clean('k7mk7mpq2xzpq2xz'), quote.clean('K7MPQ2XZ')]).toEqual([
    '…',
    'k7m…pq2xz',
    '…',
  ])
})

test('letters of every script, emoji and tabs stay as they are', () => {
  const text = 'Größe\t東京 नमस्ते می‌خواهم 👩‍💻 ❤️ naïve'
  expect(quote.clean(text)).toBe(text)
})

test.each(['', 'short', 'with space', 'a'.repeat(65), 'k7mpq2x]'])('%j is no word for marks', (nonce) => {
  expect(() => createQuote(nonce)).toThrow('a nonce is 8 to 64 letters and digits')
})

const piece = (line: string): Piece => ({ line, from: [line] })

test('of lines that do not all fit the first ones stay, or the last, and a note says how many do not', () => {
  const pieces = ['one', 'two', 'three', 'four', 'five', 'six'].map(piece)
  const frame = { label: 'l', bytes: 70, left: (n: number) => `${n} more` }
  expect(framed(quote, pieces, { ...frame, keep: 'first' })).toEqual({
    text: '[[k7mpq2xz l]]\n| one\n| two\n[[k7mpq2xz 4 more]]\n[[k7mpq2xz end]]',
    from: ['one', 'two'],
    left: 4,
  })
  expect(framed(quote, pieces, { ...frame, keep: 'last', lead: piece('0') })).toEqual({
    text: '[[k7mpq2xz l]]\n| 0\n[[k7mpq2xz 4 more]]\n| five\n| six\n[[k7mpq2xz end]]',
    from: ['0', 'five', 'six'],
    left: 4,
  })
  expect(framed(quote, pieces, { ...frame, bytes: 40, keep: 'first' })).toEqual({ text: '', from: [], left: 6 })
})

test('a text is cut between whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 40 }), (text, bytes) => {
      const short = cut(text, bytes)
      expect(Buffer.byteLength(short)).toBeLessThanOrEqual(bytes)
      // What stands for half a character may have been there before.
      expect(short.isWellFormed() && (text.includes('\ufffd') || !short.includes('\ufffd'))).toBe(true)
      expect(short === text || (short.endsWith('…') && text.startsWith(short.slice(0, -1)))).toBe(true)
    }),
    { numRuns: 200 },
  )
})
