import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { nearest } from '../../src/lib/nearest.ts'
import { defineOperation, usageOf } from '../../src/operations/operation.ts'
import { checkInput, inputFrom, words } from '../../src/operations/parse.ts'
import { posts } from '../../src/operations/posts.ts'
import { operations } from '../../src/operations/table.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { anyText } from '../support/social.ts'

/** A row with one of everything: two places, one of which may stay empty, and two names. */
const ROW = defineOperation({
  name: 'pour',
  summary: 'pour something',
  example: 'pour tea',
  positional: ['what', 'into'],
  input: z.strictObject({
    what: z.string(),
    into: z.string().optional(),
    cups: z.coerce.number().int().lt(100).default(1),
    hot: z.stringbool().optional(),
  }),
  output: z.null(),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async () => ok(null),
  render: () => 'poured',
})
const USAGE = 'usage: /pour WHAT [into] [cups=…] [hot=…]'

describe('words', () => {
  test.each([
    ['are split at blanks', ' a  b\tc\nd ', ['a', 'b', 'c', 'd']],
    ['are kept together by quotes', 'a "b c" d', ['a', 'b c', 'd']],
    ['are kept together by quotes after a name', 'by="ada l" x', ['by=ada l', 'x']],
    ['may be empty in quotes', '"" x=""', ['', 'x=']],
    ['are not ended by a quote that is never closed', '"a b', ['"a', 'b']],
    ['are not interpreted', '$(rm) `x` \\n a=b=c', ['$(rm)', '`x`', '\\n', 'a=b=c']],
    ['are none in nothing', ' ', []],
  ])('%s', (_how, text, expected) => {
    expect(words(text)).toEqual(expected)
  })
})

describe('input', () => {
  test.each([
    ['in its place', ['tea'], { what: 'tea', cups: 1 }],
    ['in its places', ['tea', 'pot'], { what: 'tea', into: 'pot', cups: 1 }],
    ['by name, in any order', ['cups=3', 'into=pot', 'what=tea'], { what: 'tea', into: 'pot', cups: 3 }],
    ['in its place and by name', ['hot=yes', 'tea', 'cups=2'], { what: 'tea', cups: 2, hot: true }],
    ['with an equals sign of its own', ['what=a=b'], { what: 'a=b', cups: 1 }],
    ['with a name nobody knows, in a place', ['milk=no'], { what: 'milk=no', cups: 1 }],
  ])('%s', (_how, given, expected) => {
    expect(inputFrom(ROW, given)).toEqual(ok(expected))
  })

  test.each([
    ['that is missing', [], 'what is missing'],
    ['that is too much', ['tea', 'pot', 'now'], '"now" is one word too many'],
    ['that is no number', ['tea', 'cups=many'], 'cups: expected a number'],
    ['that reaches a limit', ['tea', 'cups=100'], 'cups: expected less than 100'],
    ['that is given twice by name', ['tea', 'cups=1', 'cups=2'], 'cups is given twice'],
    ['that is given by name and then in its place', ['what=tea', 'milk'], 'what is given twice'],
    ['that every object has', ['tea', 'pot', 'toString=x'], '"toString=x" is one word too many'],
  ])('%s is refused with the usage', (_what, given, complaint) => {
    expect(inputFrom(ROW, given)).toEqual(refused(refusal('command-invalid', `${complaint}; ${USAGE}`)))
  })

  test.each([
    [['before=0'], 'before: expected more than 0'],
    [['after=-1'], 'after: expected at least 0'],
    [['limit=201'], 'limit: expected at most 200'],
  ])('%j of posts is refused with the limit, which is itself allowed where it says so', (given, complaint) => {
    expect(inputFrom(posts, ['lobby', ...given])).toEqual(
      refused(refusal('command-invalid', `${complaint}; usage: /${usageOf(posts)}`)),
    )
  })

  test('that is no key of the row is refused from any face', () => {
    expect(checkInput(ROW, { what: 'tea', milk: 'no' })).toEqual(
      refused(refusal('command-invalid', `there is no "milk" here; ${USAGE}`)),
    )
  })

  test('of any kind is taken or refused, and never more than was declared', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...operations), (text, row) => {
        const input = inputFrom(row, words(text))
        const unknown = Object.keys(input.ok ? input.value : {}).filter((key) => !Object.hasOwn(row.input.shape, key))
        expect(input.ok ? unknown : input.refusal.code).toEqual(input.ok ? [] : 'command-invalid')
      }),
    )
  })
})

const FILTERS = [
  'session subject type claim event author tag any room agent mission pattern peripheral tool outcome path text',
  'conjecture ephemeral since before',
]
  .flatMap((line) => line.split(' '))
  .map((name) => `[${name}=…]`)
  .join(' ')

test('the usage of every row says what it takes', () => {
  expect(operations.map(usageOf)).toEqual([
    'help [command]',
    'who',
    'whoami',
    'people',
    'pair [code]',
    'unpair IDENTITY',
    'tokens',
    'mint [hash=…] [label=…] [agent=…] [type=…] [room=…] [peripheral=…] [peripherals=…] [session=…] [person=…] [role=…] [readonly=…] [days=…]',
    'revoke TOKEN [why]',
    'sources [tool]',
    'accept TOOL [hash]',
    'peripherals [id]',
    'wall PERIPHERAL',
    'try PERIPHERAL TOOL [args] [phase=…] [room=…] [role=…]',
    'start [peripheral] [request]',
    'step TOOL [args]',
    'hop TO [step=…]',
    'leave [answer] [outcome=…]',
    'seat',
    'queue [agent]',
    'amend TURN TEXT',
    'unqueue TURN [why]',
    'steer TEXT [agent=…] [turn=…]',
    'stop [agent] [why] [turn=…]',
    'diff [agent] [turn=…] [step=…]',
    'undo [agent] [turn=…] [dry=…] [force=…]',
    'rewind STEP [dry=…] [force=…]',
    'merge AGENT [dry=…]',
    'checkouts',
    'holds',
    'release PATH',
    'usage [agent=…] [person=…] [room=…] [turn=…] [since=…] [by=…] [limit=…]',
    'mc [action] [rest]',
    'mission [action] [rest]',
    'obligations [mission]',
    'todo [action] [rest]',
    'patterns [words]',
    'pattern [action] [rest]',
    'proofs [limit=…] [cursor=…]',
    'proof PROBLEM [view]',
    'portfolio',
    'next [limit=…]',
    'activity [mission] [days=…]',
    'bell AGENT TEXT [act=…] [ref=…] [peripheral=…]',
    'whistle AGENT TEXT [act=…] [ref=…] [peripheral=…] [seconds=…]',
    'bells [agent=…]',
    'pause AGENT [why]',
    'resume AGENT',
    'work [action] [text] [priority=…] [after=…] [agent=…] [reviewer=…] [mission=…] [label=…] [repository=…]',
    'tickle [action] [about]',
    'pages',
    'ack PAGE',
    'world [action] [rest]',
    'worlds [game]',
    'approvals',
    'approve [approval] [note]',
    'deny [approval] [note]',
    'now',
    'posts ROOM [before=…] [after=…] [limit=…]',
    'status',
    'bulletin',
    'more POST [from] [length=…]',
    'watch WATCHED',
    'unwatch WATCHED',
    'sessions [agent=…] [room=…] [open=…] [before=…] [limit=…]',
    'debrief [session]',
    'recall WORDS [agent=…] [room=…] [since=…] [limit=…] [page=…]',
    'steps [session=…] [turn=…] [tool=…] [limit=…]',
    'hops [session=…] [limit=…]',
    'rooms',
    'mode [to]',
    'gate',
    'ungate [agent]',
    'settings [setting] [value]',
    'profile [to]',
    'profiles [room=…]',
    'threads [archived=…] [limit=…] [cursor=…]',
    'new [agent] [name]',
    'fork THREAD [name] [turn=…]',
    'archive [thread]',
    'unarchive [thread]',
    'bind THREAD NETWORK CHANNEL',
    'networks',
    'reset AGENT',
    `evidence ${FILTERS} [cursor=…] [order=…] [limit=…]`,
    'recent [room=…] [agent=…] [since=…] [limit=…]',
    'show ENTRY',
    'tree ENTRY',
    'replies ENTRY',
    'forks ENTRY',
    'questions [limit=…]',
    'claim KIND TEXT [about=…] [fork=…] [pattern=…]',
    `count ${FILTERS}`,
    `facets BY ${FILTERS}`,
    `breakdown ${FILTERS}`,
    'digest SESSION',
    'verify [session] [all=…] [head=…] [files=…]',
    'head',
    'compact [dry=…]',
    'act [tool=…] [args=…] [step=…]',
  ])
})

describe('the nearest name', () => {
  test.each([
    ['two letters swapped', 'mdoe', 'mode'],
    ['a letter left out', 'evidnce', 'evidence'],
    ['a letter too many', 'whoo', 'who'],
    ['a letter changed', 'threat', 'thread'],
    ['the name itself', 'mode', 'mode'],
    ['a short name, one letter off', 'wo', 'who'],
    ['a short name, two letters off', 'xo', null],
    ['nothing alike', 'abracadabra', null],
    ['nothing at all', '', null],
  ])('for %s', (_what, name, expected) => {
    expect(nearest(name, ['who', 'mode', 'thread', 'evidence'])).toBe(expected)
  })

  test('among none is none', () => {
    expect(nearest('who', [])).toBe(null)
  })
})
