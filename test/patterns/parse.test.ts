import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileOf, parsePattern } from '../../src/patterns/parse.ts'
import { BEGAN, skill } from './patterns.ts'

const FOUND = { id: 'pour-slowly', home: 'workspace', path: 'patterns/pour-slowly/SKILL.md', since: BEGAN } as const

const parse = (text: string) => parsePattern(FOUND, text)

/** What is complained about, and whether it is a pattern all the same. */
const complaints = (text: string): [boolean, string[]] => {
  const { pattern, complaints: found } = parse(text)
  return [pattern !== null, found.map(({ path, line, what, right }) => `${path}:${line}: ${what}; ${right}`)]
}

test('a pattern is read whole: what the format needs, what it says besides, and its text', () => {
  const file = [
    '---',
    'name: pour-slowly',
    'description: >-',
    '  Pour without a drip.',
    '  Use it when it drips.',
    'license: MIT',
    'version: 1.10',
    'metadata: { author: ada, tries: [1, two] }',
    '---',
    '',
    '# Pour slowly',
    '',
    '1. pour',
  ]
  expect(parse(`\uFEFF${file.join('\r\n')}`)).toEqual({
    pattern: {
      ...FOUND,
      description: 'Pour without a drip. Use it when it drips.',
      says: [
        { key: 'license', value: 'MIT' },
        { key: 'version', value: '1.10' },
        { key: 'metadata', value: '{"author":"ada","tries":["1","two"]}' },
      ],
      text: '# Pour slowly\n\n1. pour',
    },
    complaints: [],
  })
})

const AT = FOUND.path
const RIGHT = 'begin with a line "---", then "name: " and "description: ", then a line "---"'

test.each([
  ['no front matter', '# Pour\n', `${AT}:1: has no front matter; ${RIGHT}`],
  ['an empty file', '', `${AT}:1: has no front matter; ${RIGHT}`],
  [
    'one that does not end',
    '---\nname: x\n',
    `${AT}:1: has a front matter that does not end; end it with a line "---"`,
  ],
  ['one that is a list', '---\n- a\n---\n', `${AT}:2: has a front matter that names nothing; ${RIGHT}`],
  ['one that is nothing', '---\n---\n', `${AT}:2: has a front matter that names nothing; ${RIGHT}`],
  ['no name', '---\ndescription: x\n---\n', `${AT}:1: has no name; write "name: pour-slowly"`],
  [
    'another name',
    '---\ndescription: x\nname: pour-fast\n---\n',
    `${AT}:3: is called pour-fast in its front matter, and pour-slowly by its folder; write "name: pour-slowly", or rename the folder`,
  ],
  [
    'no description',
    '---\nname: pour-slowly\n---\n',
    `${AT}:1: has no description; say in a line what it does, and when to use it`,
  ],
  [
    'a description of nothing that can be seen',
    '---\nname: pour-slowly\ndescription: "\\u202E \\x07"\n---\n',
    `${AT}:3: has no description; say in a line what it does, and when to use it`,
  ],
  [
    'a key twice',
    '---\nname: pour-slowly\nname: x\n---\n',
    `${AT}:3: is no YAML there: Map keys must be unique; put the value in quotes, or correct the line`,
  ],
  [
    'an alias, which could stand for a thousand others',
    '---\na: &a [x, x]\nname: pour-slowly\ndescription: *a\n---\n',
    `${AT}:2: has a front matter that cannot be read; ${RIGHT}`,
  ],
  [
    'more of it than anybody reads',
    `---\nname: pour-slowly\ndescription: ${'x'.repeat(9000)}\n---\n`,
    `${AT}:1: has a front matter of more than 8192 characters; move most of it below`,
  ],
])('a file with %s is no pattern, and it is said what would be right', (_what, text, complaint) => {
  expect(complaints(text)).toEqual([false, [complaint]])
})

test('lists in lists without end are a complaint, and no end of the program', () => {
  expect(complaints(`---\na: ${'['.repeat(4000)}${']'.repeat(4000)}\n---\n`)[0]).toBe(false)
})

test('a description that is longer than the format lets it be is cut, and complained about', () => {
  const { pattern, complaints: found } = parse(skill('pour-slowly', 'x'.repeat(2000)))
  expect([pattern?.description.length, found.map(({ what }) => what)]).toEqual([
    1024,
    ['has a description of more than 1024 characters'],
  ])
})

test('whatever a file says, nothing of it obeys: no codes are left in what is shown', () => {
  const { pattern } = parse(
    '---\nname: pour-slowly\ndescription: "a\\x1b[31mb\\u202Ec"\n"k\\x07": "v\\x1b]0;x\\x07"\n---\n\x1b[2Jtext\u202E\n',
  )
  expect([pattern?.description, pattern?.says, pattern?.text]).toEqual([
    'a[31mbc',
    [{ key: 'k', value: 'v]0;x' }],
    '[2Jtext',
  ])
})

test('what is written for a new one is read again as what was given, whatever that was', () => {
  const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).filter((text) => /\p{L}/u.test(text))
  fc.assert(
    fc.property(words, words, (description, text) => {
      const { pattern, complaints: found } = parse(fileOf('pour-slowly', description, text))
      expect([found, pattern?.id, pattern?.says]).toEqual([[], 'pour-slowly', []])
    }),
  )
})

test('any text is a pattern or a complaint, and never an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      for (const file of [text, `---\n${text}\n---\n`, `---\nname: pour-slowly\ndescription: ${text}\n---\n${text}`]) {
        const { pattern, complaints: found } = parse(file)
        expect(pattern !== null || found.length === 1).toBe(true)
      }
    }),
  )
})
