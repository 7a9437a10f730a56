import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressedTo } from '../../../adapters/irc/addressed.ts'
import { flatten } from '../../../adapters/irc/flatten.ts'
import { layOut } from '../../../adapters/irc/layout.ts'
import { batchesOf, createBatches } from '../../../adapters/irc/multiline.ts'
import { split } from '../../../adapters/irc/split.ts'
import { clean, oneLine } from '../../../adapters/irc/text.ts'

/** Texts of all that makes splitting hard: wide characters, characters of many code points, spaces, codes. */
const texts = fc
  .array(
    fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom(' ', '\n', '👩‍👩‍👧‍👦', 'é', '\x03', '\t')),
  )
  .map((parts) => parts.join(''))

describe('splitting', () => {
  test('the pieces are the text, and none is longer than the limit', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 120 }), fc.integer({ min: 4, max: 120 }), (text, limit, first) => {
        const whole = text.toWellFormed()
        const pieces = split(whole, limit, first)
        expect(pieces.join('')).toBe(whole)
        const bytes = pieces.map((piece) => Buffer.byteLength(piece))
        expect(bytes.every((size, i) => size <= (i === 0 ? first : limit))).toBe(true)
        expect(pieces.every((piece) => piece.isWellFormed() && piece !== '')).toBe(true)
      }),
    )
  })

  test('words stay whole where they fit, and so do characters', () => {
    expect(split('one two three', 8)).toEqual(['one two ', 'three'])
    expect(split('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(split('a👩‍👩‍👧‍👦b', 26)).toEqual(['a👩‍👩‍👧‍👦', 'b'])
    expect(split('ab👩‍👩‍👧‍👦', 26)).toEqual(['ab', '👩‍👩‍👧‍👦'])
  })
})

describe('cleaning', () => {
  test('codes of mIRC go with their digits, and digits that are none of theirs stay', () => {
    const said =
      '\x02bold\x02 \x0304,12red\x03 12 \x04ff0000hex\x04 \x1ditalic\x1d \x1fu\x1f \x1es\x1e \x11m\x11 \x16r\x16\x0f'
    expect(clean(said)).toBe('bold red 12 hex italic u s m r')
  })

  test('nothing is left that ends a line, turns it around or is half a character', () => {
    expect(clean('a\r\nb\rc\0d\x01e\u202Ef\u2028g\ud800h\ti\x7fj')).toBe('a\nb\ncdefg\ufffdh ij')
    expect(oneLine('a\nb\r\n  c', 10)).toBe('a b c')
    expect(oneLine('abcdef', 4)).toBe('abc…')
  })

  test('whatever is laid out is lines, and none is longer than the limit', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 60, max: 450 }), fc.integer({ min: 1, max: 9 }), (text, limit, most) => {
        const { lines } = layOut(text, { head: 'claude-1: ', limit, most })
        for (const { text: line } of lines) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(limit)
          expect(line).not.toMatch(/\p{Cc}|\p{Cs}/u)
        }
        expect(lines.length).toBeLessThanOrEqual(most + 1)
      }),
    )
  })

  test.each([
    ['a first row that begins with nothing', 'claude-1: ', `${' '.repeat(200)}${'x'.repeat(200)}`],
    ['codes before it', 'claude-1: ', `${'\x02'.repeat(90)}${'x'.repeat(200)}`],
    ['a name without an end', '語'.repeat(100), 'x'.repeat(200)],
  ])('%s makes no line too long, and none of the text is lost', (_, head, text) => {
    const { lines } = layOut(text, { head, limit: 100, most: 9 })
    expect(lines.filter((line) => Buffer.byteLength(line.text) > 100)).toEqual([])
    expect(lines.map((line) => line.text.replace(/[^x]/g, '')).join('')).toBe('x'.repeat(200))
  })
})

describe('flattening', () => {
  const flat = (text: string) => flatten(text).map((row) => row.text)

  test('Markdown becomes plain rows', () => {
    const text = [
      '# The *title*',
      '',
      'Some **bold**, _thin_, ~~gone~~ and `code_with_*stars*` in snake_case_words.',
      '* a [link](https://example.org/a_b) and <https://example.org>',
      '  + deeper \\*not\\*',
      '1. numbered',
      '```ts',
      'const a = **b**',
      '```',
      '| a | b |',
      '|---|:-:|',
      '| 1 | 2 |',
      '> quoted',
    ].join('\n')
    expect(flat(text)).toEqual([
      'The title',
      'Some bold, thin, gone and `code_with_*stars*` in snake_case_words.',
      '- a link (https://example.org/a_b) and https://example.org',
      '  - deeper *not*',
      '1. numbered',
      '  const a = **b**',
      '| a | b |',
      '| 1 | 2 |',
      '> quoted',
    ])
  })

  test('what has no end in Markdown takes no time without end', () => {
    expect(flat('**a '.repeat(20_000)).join('').length).toBe(80_000)
  })
})

describe('a text that is read in parts', () => {
  /** Reads a text to its end, as people do who ask for more. */
  const readOn = (text: string, limit: number, most: number): string[] => {
    const lines: string[] = []
    let [from, fenced] = [0, false]
    for (let asked = 0; asked < 10_000; asked++) {
      const laid = layOut(text.slice(from), { head: '', limit, most, fenced })
      lines.push(...laid.lines.map((line) => line.text))
      if (laid.rest === null) return lines
      ;[from, fenced] = [from + laid.rest.from, laid.rest.fenced]
    }
    throw new Error('it has no end')
  }

  test('the parts together are what would have been said at once', () => {
    const words = fc.array(fc.constantFrom('word', 'über', '語', '🛎', '\n', ' ', '```\n', '    ', 'a'.repeat(70)))
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 4 }), (parts, most) => {
        const text = parts.join('')
        const whole = readOn(text, 60, Number.MAX_SAFE_INTEGER - 1)
        expect(readOn(text, 60, most).join('').replaceAll(' ', '')).toBe(whole.join('').replaceAll(' ', ''))
      }),
    )
  })
})

describe('addressing', () => {
  const names = {
    isOurs: (name: string) => name === 'bellhop',
    agentOf: (name: string) => (name === 'clod' ? 'claude-1' : null),
    commands: [
      { name: 'help', aliases: ['h'] },
      { name: 'who', aliases: [] },
    ],
  }

  test.each([
    ['bellhop: help', '/help'],
    ['bellhop, h who', '/h who'],
    ['@bellhop who', '/who'],
    ['bellhop: !help', '!help'],
    ['bellhop: @claude-1 look', '@claude-1 look'],
    ['bellhop: hello there', 'hello there'],
    ['bellhop is nice', 'bellhop is nice'],
    ['bellhop:', 'bellhop:'],
    ['clod: look', 'claude-1: look'],
    ['@clod look', '@claude-1 look'],
    ['ada: look', 'ada: look'],
    ['!who', '!who'],
  ])('%s says %s', (said, meant) => {
    expect(addressedTo(said, names)).toBe(meant)
  })
})

describe('messages of many lines', () => {
  const line = (raw: Partial<Parameters<ReturnType<typeof createBatches>>[0]>) => ({
    tags: {},
    prefix: '',
    nick: 'ada',
    ident: 'a',
    hostname: 'b',
    command: 'PRIVMSG',
    params: [],
    ...raw,
  })

  test('are put together again, and have the tags of their beginning', () => {
    const batches = createBatches()
    const heard = [
      line({ command: 'BATCH', params: ['+1', 'draft/multiline', '#team'], tags: { msgid: 'x', account: 'ada' } }),
      line({ params: ['#team', 'one '], tags: { batch: '1' } }),
      line({ params: ['#team', 'two'], tags: { batch: '1', 'draft/multiline-concat': '' } }),
      line({ params: ['#team', 'three'], tags: { batch: '1' } }),
      line({ command: 'BATCH', params: ['-1'] }),
    ].flatMap(batches)
    expect(heard).toEqual([line({ params: ['#team', 'one two\nthree'], tags: { msgid: 'x', account: 'ada' } })])
  })

  test('are as few as the server allows', () => {
    const lines = Array.from({ length: 5 }, (_, i) => ({ text: `line ${i}`, joined: false }))
    const sizes = (limits: { maxBytes: number; maxLines: number }) =>
      batchesOf('#team', lines, limits).map((batch) => batch.length - 2)
    expect(sizes({ maxBytes: 4096, maxLines: 24 })).toEqual([5])
    expect(sizes({ maxBytes: 4096, maxLines: 2 })).toEqual([2, 2, 1])
    expect(sizes({ maxBytes: 22, maxLines: 24 })).toEqual([3, 2])
    // What keeps a line from being a command counts, too.
    const commands = lines.map(({ joined }) => ({ text: '!more', joined }))
    const said = batchesOf('#team', commands, { maxBytes: 20, maxLines: 24 })
    expect(said.map((batch) => batch.length - 2)).toEqual([2, 2, 1])
  })
})
