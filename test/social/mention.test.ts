import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressed } from '../../src/social/mention.ts'
import { AGENTS, anyText } from '../support/social.ts'

const ALL = ['claude-1', 'codex-1', 'codex-2']

const forThem = (named: string[], request: string) => ({ named, request, misspelt: null, elsewhere: false })
const forNobody = (request: string) => forThem([], request)

describe('a line is for those it names', () => {
  test.each([
    ['by id', '@codex-2 read it', ['codex-2'], 'read it'],
    ['by type: the first of its kind', '@codex read it', ['codex-1'], 'read it'],
    ['by a name and a colon', 'claude: read it', ['claude-1'], 'read it'],
    ['by an id and a colon', 'codex-2: read it', ['codex-2'], 'read it'],
    ['by a name and a comma', 'claude, read it', ['claude-1'], 'read it'],
    ['by @ and a colon', '@claude: read it', ['claude-1'], 'read it'],
    ['in any letters', '@CLAUDE Read It', ['claude-1'], 'Read It'],
    ['after blanks', '  @claude   read it  ', ['claude-1'], 'read it'],
    ['on a line of its own', '@claude\nread it\nand that', ['claude-1'], 'read it\nand that'],
    ['alone', '@claude', ['claude-1'], ''],
    ['several at once', '@claude @codex-2 read it', ['claude-1', 'codex-2'], 'read it'],
    ['several with punctuation', '@claude, codex: read it', ['claude-1', 'codex-1'], 'read it'],
    ['one under two names, once', '@claude @claude-1 read it', ['claude-1'], 'read it'],
    ['everybody', '@all read it', ALL, 'read it'],
    ['everybody, with a colon', '@all: read it', ALL, 'read it'],
    ['everybody and one of them, each once', '@codex-2 @all read it', ['codex-2', 'claude-1', 'codex-1'], 'read it'],
    ['in the middle, which stays as it is', 'can @codex read it?', ['codex-1'], 'can @codex read it?'],
    ['at the end, before a full stop', 'that is for @claude.', ['claude-1'], 'that is for @claude.'],
    ['in brackets', 'read it (@claude)', ['claude-1'], 'read it (@claude)'],
    ['before an apostrophe', 'what is @claude’s view?', ['claude-1'], 'what is @claude’s view?'],
    ['at the start, before a question mark', '@claude? are you there', ['claude-1'], '@claude? are you there'],
    ['at the start and in the middle', '@claude ask @codex-2', ['claude-1', 'codex-2'], 'ask @codex-2'],
    ['nobody, where everybody is only told of', 'hello @all', [], 'hello @all'],
  ])('%s', (_how, text, named, request) => {
    expect(addressed(text, AGENTS)).toEqual(forThem(named, request))
  })
})

describe('a line is for nobody', () => {
  test.each([
    ['without a name', 'read it'],
    ['with a name that is only mentioned', 'what does claude think?'],
    ['with a word before a colon', 'note: claude is here'],
    ['with everybody before a comma', 'All, I am off to lunch'],
    ['with everybody before a colon', 'all: the release is tomorrow'],
    ['with an e-mail address', 'write to ada@claude.example or to x_1@codex'],
    ['with an e-mail address of other letters', 'write to andré@claude.example'],
    ['with two @', 'see @@claude'],
    ['with a longer name', 'see @claude-1x or @claudette'],
    ['with a name before a slash', 'claude/readme: where?'],
    ['with a package in the middle', 'which version has @types/node?'],
  ])('%s', (_how, text) => {
    expect(addressed(text, AGENTS)).toEqual(forNobody(text))
  })
})

test('a name at the start that is no agent’s is a person’s', () => {
  expect(addressed('@bob did you see it?', AGENTS)).toEqual({
    named: [],
    request: '@bob did you see it?',
    misspelt: null,
    elsewhere: true,
  })
})

test.each([
  ['@cluade read it', 'cluade'],
  ['@claud read it', 'claud'],
  ['@CLADUE-1: read it', 'cladue-1'],
  ['@claude @cluade read it', 'cluade'],
])('in "%s" a name is misspelt', (text, misspelt) => {
  expect(addressed(text, AGENTS).misspelt).toBe(misspelt)
})

test('a name in the middle that is nearly an agent’s is no more than a word', () => {
  expect(addressed('ask @cluade', AGENTS)).toEqual(forNobody('ask @cluade'))
})

test('whatever is said, only agents are named, each once', () => {
  const word = fc.oneof(
    fc.constantFrom('@claude', '@codex-2', 'claude:', '@all', '@', ':', '@bob', 'a@claude', '@cluade', '\n', ' '),
    anyText,
  )
  fc.assert(
    fc.property(fc.array(word), fc.constantFrom('', ' '), (words, gap) => {
      const { named } = addressed(words.join(gap), AGENTS)
      expect(named).toEqual([...new Set(named)].filter((id) => ALL.includes(id)))
    }),
  )
})
