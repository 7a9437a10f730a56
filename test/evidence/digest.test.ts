import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brief, createDigest, type Digested, filesOf } from '../../src/evidence/digest.ts'
import { DIGEST_BYTES, Digest, DigestFiles } from '../../src/shapes/digest.ts'
import { type Body, type Entry, events } from '../../src/shapes/evidence.ts'
import { RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import type { FileChange, StepOutcome, TurnOutcome } from '../../src/shapes/turn.ts'

/** An entry to be: its body, its id where something refers to it, what it answers, and whether its body was let go. */
type Line = { body: Body; id?: string; inReplyTo?: string; gone?: boolean }

const HASH = '0'.repeat(64)

/** Entries of one session, in the order of the lines. */
const chainOf = (lines: Line[]): Entry[] =>
  lines.map(({ body, id, inReplyTo, gone }, i) => ({
    id: id ?? `e${i + 1}`,
    position: i + 1,
    version: 2,
    session: 's-1',
    seq: i + 1,
    subject: { type: 'session', id: 's-1' },
    type: events[body.event].type,
    claim: events[body.event].claim,
    author: { kind: 'agent', id: 'claude-1', face: 'rehearsal', via: null },
    at: '2026-01-02T03:04:05.000Z',
    tags: [],
    inReplyTo: inReplyTo ?? null,
    forkOf: null,
    pattern: null,
    conjecture: false,
    ephemeral: false,
    body: gone ? (null as unknown as Body) : body,
    bodyHash: HASH,
    prevHash: HASH,
    hash: HASH,
  }))

const digestOf = (chain: Iterable<Entry>, previous: Digested | null = null): Digested => {
  const digest = createDigest('s-1', previous)
  for (const entry of chain) digest.take(entry)
  return digest.made()
}

const throughJson = (digested: Digested): Digested => JSON.parse(JSON.stringify(digested))

const bytes = (text: string): number => Buffer.byteLength(text)
const sizesOf = ({ digest }: Digested) => ({ json: bytes(JSON.stringify(digest)), text: bytes(brief(digest)) })

// ── lines ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const opened: Line = { body: { event: 'session-opened', agent: 'claude-1', room: 'lobby' } }
const accepted = (id: string, request: string): Line => ({
  id,
  body: { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral: 'explore', request },
})
const started = (peripheral: string, tools: string[]): Line => ({
  body: { event: 'peripheral-started', turn: 't', peripheral, tools, spec: 'x' },
})
const ended = (turn: string, answer: string, outcome: TurnOutcome = 'done'): Line => ({
  body: { event: 'turn-ended', turn, outcome, answer },
})
const intended = (step: string): Line => ({
  id: `${step}.intent`,
  body: { event: 'step-intended', turn: 't', step, call: { tool: 'read', args: {} } },
})
const ok = (paths: string[], changed?: string[]): StepOutcome => ({
  kind: 'ok',
  output: 'text',
  paths,
  cut: null,
  ...(changed ? { changed } : {}),
})
const outcome = (step: string, outcome: StepOutcome, tool = 'read'): Line => ({
  id: `${step}.outcome`,
  inReplyTo: `${step}.intent`,
  body: { event: 'step-ended', turn: 't', step, tool, outcome },
})
const step = (id: string, how: StepOutcome, tool = 'read'): Line[] => [intended(id), outcome(id, how, tool)]
const refusedStep = (code: RefusalCode, message: string): Line => ({
  body: {
    event: 'step-refused',
    turn: 't',
    step: 't.9',
    call: { tool: 'rm', args: {} },
    refusal: refusal(code, message),
  },
})
const asked = (id: string, text: string): Line => ({ id, body: { event: 'asked', text } })

const approval = (step: string, why: string): Line => ({
  id: step,
  body: {
    event: 'approval-asked',
    turn: 't',
    step: 's',
    approval: 'k7mpq',
    call: { tool: 'write', args: {} },
    why,
    opens: 'write',
    until: '2026-01-03T00:00:00.000Z',
  },
})
const decided = (inReplyTo: string, decision: 'approved' | 'denied' | 'lapsed'): Line => ({
  inReplyTo,
  body: { event: 'approval-decided', step: 's', approval: 'k7mpq', decision, role: null, note: '' },
})
const changeOf = (path: string): FileChange => ({ path, before: null, after: null, added: null, removed: null })
const restoring = (id: string, paths: string[]): Line => ({
  id,
  body: { event: 'restoring', what: 'a turn', steps: [], files: paths.map(changeOf) },
})
const restored = (inReplyTo: string, paths: string[]): Line => ({
  inReplyTo,
  body: { event: 'restored', what: 'a turn', steps: [], files: paths.map(changeOf), failed: null },
})

const EMPTY: Digest = {
  session: 's-1',
  agent: null,
  room: null,
  closed: null,
  through: 0,
  goals: { first: [], left: 0, last: [] },
  constraints: { peripherals: { shown: [], left: 0 }, refusals: { shown: [], left: 0 } },
  progress: {
    turns: { accepted: 0, done: 0, failed: 0, cancelled: 0 },
    steps: { ok: 0, failed: 0, interrupted: 0, refused: 0 },
    tools: { shown: [], left: 0 },
  },
  decisions: { first: [], left: 0, last: [] },
  next: { shown: [], left: 0 },
  files: { read: { count: 0, folded: '', left: 0 }, changed: { count: 0, folded: '', left: 0 } },
}

/** A session of two turns with steps of every outcome, questions and what was made of them. */
const SESSION: Line[] = [
  opened,
  accepted('t1', 'find out why\nthe build fails'),
  { body: { event: 'turn-started', turn: 't1' }, inReplyTo: 't1' },
  started('explore', ['read', 'grep']),
  ...step('t1.0', ok(['src/a.ts', 'src/b.ts']), 'grep'),
  refusedStep('out-of-scope', '/etc/passwd is outside the workspace'),
  ...step('t1.1', { kind: 'failed', message: 'no such file' }),
  approval('p1', 'it asks for\nmore'),
  decided('p1', 'denied'),
  ...step('t1.3', {
    kind: 'failed',
    message: 'half of it',
    changed: ['src/half.ts'],
    files: [changeOf('src/other.ts')],
  }),
  ...step('t1.2', ok(['src/a.ts'], ['src/a.ts', 'src/new.ts']), 'edit'),
  {
    body: {
      event: 'peripheral-stopped',
      turn: 't1',
      peripheral: 'explore',
      reason: 'turn-ended',
      fruit: { steps: 3, found: [] },
    },
  },
  ended('t1', 'a missing import; it is back'),
  asked('q1', 'which Node is it?'),
  asked('q2', 'who runs the tests?'),
  { id: 'c1', body: { event: 'supposed', text: 'the cache is stale' } },
  { body: { event: 'concluded', text: 'Node 20' }, inReplyTo: 'q1' },
  accepted('t2', 'now the tests'),
  accepted('t3', 'and the docs'),
  started('explore', ['read']),
  ...step('t2.0', { kind: 'interrupted', message: 'died' }),
  ended('t2', 'no tests here', 'failed'),
  approval('p2', 'a push'),
  accepted('t4', 'push it'),
  ended('t4', 'stopped by ada', 'cancelled'),
  restoring('r1', ['src/a.ts', 'src/back.ts']),
  restored('r1', ['src/back.ts']),
  { body: { event: 'session-closed', reason: 'reset by ada' } },
]

const SESSION_DIGEST: Digest = {
  session: 's-1',
  agent: 'claude-1',
  room: 'lobby',
  closed: 'reset by ada',
  through: 33,
  goals: { first: ['find out why the build fails', 'now the tests', 'and the docs', 'push it'], left: 0, last: [] },
  constraints: {
    peripherals: { shown: [{ peripheral: 'explore', tools: { shown: ['read'], left: 0 } }], left: 0 },
    refusals: { shown: [{ code: 'out-of-scope', count: 1, last: '/etc/passwd is outside the workspace' }], left: 0 },
  },
  progress: {
    turns: { accepted: 4, done: 1, failed: 1, cancelled: 1 },
    steps: { ok: 2, failed: 2, interrupted: 1, refused: 1 },
    tools: {
      shown: [
        { tool: 'grep', count: 1 },
        { tool: 'read', count: 3 },
        { tool: 'edit', count: 1 },
      ],
      left: 0,
    },
  },
  decisions: {
    first: ['a missing import; it is back', 'Node 20', 'failed: no tests here', 'cancelled: stopped by ada'],
    left: 0,
    last: [],
  },
  next: {
    shown: [
      { entry: 'q2', kind: 'question', what: 'who runs the tests?' },
      { entry: 'c1', kind: 'conjecture', what: 'the cache is stale' },
      { entry: 't3', kind: 'turn', what: 'and the docs' },
      { entry: 'p2', kind: 'approval', what: 'write: a push' },
    ],
    left: 0,
  },
  files: {
    read: { count: 2, folded: 'src/{a,b}.ts', left: 0 },
    changed: { count: 5, folded: 'src/{a,back,half,new,other}.ts', left: 0 },
  },
}

describe('a digest', () => {
  test('says what a session came to', () => {
    expect(digestOf(chainOf(SESSION))).toEqual({
      digest: SESSION_DIGEST,
      files: { read: 'src/a.ts\nsrc/b.ts', changed: 'src/a.ts\nsrc/back.ts\nsrc/half.ts\nsrc/new.ts\nsrc/other.ts' },
    })
  })

  test('of nothing is empty', () => {
    expect(digestOf([])).toEqual({ digest: EMPTY, files: { read: '', changed: '' } })
  })

  test('of a digest is that digest', () => {
    const digested = digestOf(chainOf(SESSION))
    expect(digestOf(chainOf(SESSION), throughJson(digested))).toEqual(digested)
    expect(digestOf([], throughJson(digested))).toEqual(digested)
  })

  test('is a whole one of its shape', () => {
    const { digest, files } = digestOf(chainOf(SESSION))
    expect({ digest: Digest.parse(digest), files: DigestFiles.parse(files) }).toEqual({ digest, files })
  })

  test('goes on from one that could not count turns that were stopped', () => {
    const older = { ...EMPTY, progress: { ...EMPTY.progress, turns: { accepted: 1, done: 0, failed: 0 } } }
    const lines = chainOf([ended('t1', 'enough', 'cancelled')])
    expect({
      whole: Digest.safeParse(older).success,
      turns: digestOf(lines, { digest: older, files: { read: '', changed: '' } }).digest.progress.turns,
      text: brief(older).includes('turns: 1 accepted, 0 done, 0 failed, 0 cancelled'),
    }).toEqual({ whole: true, turns: { accepted: 1, done: 0, failed: 0, cancelled: 1 }, text: true })
  })

  test('reads as text', () => {
    expect(brief(SESSION_DIGEST)).toBe(`Session s-1: claude-1 in lobby, up to entry 33
Closed: reset by ada
Goals
- find out why the build fails
- now the tests
- and the docs
- push it
Peripherals
- explore: read
Refusals
- out-of-scope (1): /etc/passwd is outside the workspace
Progress
- turns: 4 accepted, 1 done, 1 failed, 1 cancelled
- steps: 2 ok, 2 failed, 1 interrupted, 1 refused
- tools: grep 1, read 3, edit 1
Decisions
- a missing import; it is back
- Node 20
- failed: no tests here
- cancelled: stopped by ada
Next
- question q2: who runs the tests?
- conjecture c1: the cache is stale
- turn t3: and the docs
- approval p2: write: a push
Files
- changed: 5 files src/{a,back,half,new,other}.ts
- read: 2 files src/{a,b}.ts`)
  })

  test('reads as text also where there is next to nothing in it', () => {
    expect(brief(EMPTY)).toBe(`Session s-1: nobody in no room, up to entry 0
Progress
- turns: 0 accepted, 0 done, 0 failed, 0 cancelled
- steps: 0 ok, 0 failed, 0 interrupted, 0 refused
- tools: none
Files
- changed: 0 files
- read: 0 files`)
  })

  test('that was made elsewhere, and too large, is cut between lines when it is read', () => {
    const large = { ...EMPTY, goals: { first: ['g', 'x'.repeat(9000)], left: 0, last: [] } }
    expect(brief(large)).toBe('Session s-1: nobody in no room, up to entry 0\nGoals\n- g\n…')
  })
})

describe('where a digest ends', () => {
  const through = (lines: Line[]) => {
    const { digest, files } = digestOf(chainOf(lines))
    return { through: digest.through, steps: digest.progress.steps.ok, read: files.read }
  }
  const gone = (line: Line): Line => ({ ...line, gone: true })

  test.each<[string, Line[], ReturnType<typeof through>]>([
    ['a step that has ended', step('a', ok(['x'])), { through: 2, steps: 1, read: 'x' }],
    ['a step that is open: before it', [...step('a', ok(['x'])), intended('b')], { through: 2, steps: 1, read: 'x' }],
    [
      'one step within another: before or after both',
      [opened, intended('a'), ...step('b', ok(['x']))],
      { through: 1, steps: 0, read: '' },
    ],
    [
      'steps that overlap and have all ended',
      [intended('a'), intended('b'), outcome('a', ok(['x'])), outcome('b', ok(['y']))],
      { through: 4, steps: 2, read: 'x\ny' },
    ],
    [
      'an outcome of which the body was let go',
      [intended('a'), gone(outcome('a', ok(['x']))), opened],
      { through: 3, steps: 0, read: '' },
    ],
    [
      'an intent of which the body was let go: before it, until it has its outcome',
      [opened, gone(intended('a'))],
      { through: 1, steps: 0, read: '' },
    ],
    [
      'an entry of which the body was let go, where no step is open',
      [opened, gone(accepted('t1', 'look'))],
      { through: 2, steps: 0, read: '' },
    ],
    [
      'what a person puts back is no step: after it, though nothing says that it is done',
      [opened, restoring('r', ['x'])],
      { through: 2, steps: 0, read: '' },
    ],
    [
      'an earlier digest in the chain',
      [opened, { body: { event: 'digested', digest: SESSION_DIGEST, files: { read: 'z', changed: '' } } }],
      { through: 2, steps: 0, read: '' },
    ],
  ])('%s', (_title, lines, expected) => {
    expect(through(lines)).toEqual(expected)
  })

  test('what was asked while a step was open is taken up by the next digest, once', () => {
    const chain = chainOf([opened, intended('a'), accepted('t1', 'look'), outcome('a', ok(['x']))])
    const before = digestOf(chain.slice(0, 3))
    expect(before.digest).toEqual({ ...EMPTY, agent: 'claude-1', room: 'lobby', through: 1 })
    expect(digestOf(chain, throughJson(before))).toEqual(digestOf(chain))
  })

  test('a digest can be made on the way, and goes on', () => {
    const [first, ...rest] = chainOf(SESSION)
    const digest = createDigest('s-1', null)
    if (first) digest.take(first)
    const before = digest.made()
    for (const entry of rest) digest.take(entry)
    expect([before, digest.made()]).toEqual([digestOf(first ? [first] : []), digestOf(chainOf(SESSION))])
  })
})

describe('what has no room', () => {
  test('goals keep the first and the last, and count those between', () => {
    const goals = Array.from({ length: 100 }, (_, i) => `${i + 1} `.padEnd(120, 'x'))
    const lines = goals.flatMap((goal, i) => [accepted(`t${i}`, goal), ended(`t${i}`, '')])
    expect(digestOf(chainOf(lines)).digest.goals).toEqual({
      first: goals.slice(0, 4),
      left: 91,
      last: goals.slice(-5),
    })
  })

  test('a long text ends in an ellipsis, and never in half a character', () => {
    const { digest } = digestOf(chainOf([accepted('t1', '😀'.repeat(1000)), accepted('t2', '"'.repeat(1000))]))
    expect(digest.goals.first).toEqual([`${'😀'.repeat(49)}…`, `${'"'.repeat(98)}…`])
  })

  test.each([
    ['a\u001b[31mred\u0007', 'a[31mred'],
    ['  two\r\nlines\u2028or\u0085three\t', 'two lines or three'],
    ['left \u202eright\u2066 hidden\u200b\u{e0041}', 'left right hidden'],
    ['half \ud800 a character', 'half a character'],
    ['nul\u0000', 'nul'],
  ])('%j is shown as %j', (text, shown) => {
    expect(digestOf(chainOf([ended('t', text)])).digest.decisions).toEqual({ first: [shown], left: 0, last: [] })
  })

  test('tools, peripherals and refusals that come later are counted', () => {
    const many = Array.from({ length: 20 }, (_, i) => `n${i}`)
    const codes = RefusalCode.options.slice(0, 20)
    const lines = [
      ...many.flatMap((tool) => step(tool, ok([]), tool)),
      ...many.map((name) => started(name, [`tool-of-${name}`])),
      ...codes.map((code) => refusedStep(code, 'no')),
    ]
    const again = [...lines, ...lines]
    const { constraints, progress } = digestOf(chainOf(again)).digest
    expect({ constraints, tools: progress.tools }).toEqual({
      constraints: {
        peripherals: {
          shown: many.slice(0, 6).map((name) => ({ peripheral: name, tools: { shown: [`tool-of-${name}`], left: 0 } })),
          left: 28,
        },
        refusals: { shown: codes.slice(0, 6).map((code) => ({ code, count: 2, last: 'no' })), left: 28 },
      },
      tools: { shown: many.slice(0, 12).map((tool) => ({ tool, count: 2 })), left: 16 },
    })
  })

  test('calls that wait for a person are counted, and taken off whatever was decided', () => {
    const asks = Array.from({ length: 100 }, (_, i) => `p${i}`)
    const waiting = asks.map((id) => approval(id, 'x'.repeat(90)))
    const shown = asks
      .slice(0, 7)
      .map((entry) => ({ entry, kind: 'approval' as const, what: `write: ${'x'.repeat(90)}` }))
    expect(digestOf(chainOf(waiting)).digest.next).toEqual({ shown, left: 93 })
    const after = [decided('p0', 'approved'), decided('p50', 'denied'), decided('p99', 'lapsed')]
    expect(digestOf(chainOf([...waiting, ...after])).digest.next).toEqual({ shown: shown.slice(1), left: 91 })
  })

  test('turns that wait are counted, and taken off when they have ended', () => {
    const turns = Array.from({ length: 500 }, (_, i) => `t${i}`)
    const waiting = turns.map((turn) => accepted(turn, 'x'.repeat(100)))
    const { next } = digestOf(chainOf(waiting)).digest
    const shown = turns.slice(0, 7).map((entry) => ({ entry, kind: 'turn' as const, what: 'x'.repeat(100) }))
    expect(next).toEqual({ shown, left: 493 })
    const done = (those: string[]) => digestOf(chainOf([...waiting, ...those.map((turn) => ended(turn, 'done'))]))
    expect(done(turns.slice(1)).digest.next).toEqual({ shown: shown.slice(0, 1), left: 0 })
    expect(done(turns).digest.next).toEqual({ shown: [], left: 0 })
  })
})

// ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const readBy = (names: string[]): Digested => digestOf(chainOf(step('a', ok(names))))

/** The names in a folded list: what a reader makes of it. */
const unfolded = (folded: string): string[] =>
  (folded.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).flatMap((part) => {
    if (part.startsWith('"')) return [String(JSON.parse(part))]
    const [, head = '', stems = '', tail = ''] = /^([^{]*)\{(.*)\}([^}]*)$/.exec(part) ?? []
    return stems === '' ? [part] : stems.split(',').map((stem) => head + stem + tail)
  })

/** Names as they are, and as somebody who means harm makes them. */
const anyName = fc.oneof(
  fc.constantFrom('src/a.ts', 'src/b.ts', 'src/c.js', 'docs/x/y.md', 'Makefile', '.env', 'a/.b', 'src/', 'a.', '..'),
  fc.constantFrom('', ' ', '"', '"a"', '\\', 'a\nb', 'a,b', '{a,b}.ts', 'my file.txt', 'ü/é.ts', '\ud800', '\u001b[2J'),
  fc.constantFrom('x/\u0085', 'y\u2028', '\u202egnp.exe', '😀/😀.ts', 'src/\u{e0041}.ts', '__proto__', 'a\u0000b'),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .tuple(fc.constantFrom('src/', 'test/', ''), fc.stringMatching(/^[a-z]{1,3}$/), fc.constantFrom('.ts', '.md'))
    .map((parts) => parts.join('')),
)

/** What a terminal may obey: controls, marks that turn the reading order or cannot be seen, breaks of a line. */
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Every text in a value. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const sortedSet = (names: Iterable<string>): string[] => [...new Set(names)].sort()

describe('the files of a digest', () => {
  test('are folded by folder and ending; names that could be misread are quoted', () => {
    const names = ['b.md', 'src/x/b.ts', 'src/a.ts', 'src/x/a.ts', 'src/x/c.js', 'a b.md', '{a,b}.md', 'a\nb', 'src/']
    expect(readBy(names).digest.files.read).toEqual({
      count: 9,
      folded: '"a\\nb" "a b.md" b.md "src/" src/a.ts src/x/{a,b}.ts src/x/c.js "{a,b}.md"',
      left: 0,
    })
  })

  test('are read back as they were, whatever their names', () => {
    fc.assert(
      fc.property(fc.array(anyName), fc.array(anyName), (paths, changed) => {
        const digested = throughJson(digestOf(chainOf(step('a', ok(paths, changed)))))
        expect(filesOf(digested)).toEqual({ read: sortedSet(paths), changed: sortedSet(changed) })
      }),
    )
  })

  test('are written without anything that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.array(anyName), (names) => {
        const { digest, files } = readBy(names)
        expect([digest.files.read.folded, ...files.read.split('\n')].filter((text) => OBEYED.test(text))).toEqual([])
      }),
    )
  })

  test('are all shown where they fit, and only whole names where they do not', () => {
    const long = fc
      .tuple(anyName, fc.constantFrom('', 'x'.repeat(500), '/ü'.repeat(500)))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(long, { maxLength: 40 }), (names) => {
        const { count, folded, left } = readBy(names).digest.files.read
        const shown = unfolded(folded)
        expect({
          count,
          shown: sortedSet(shown).length,
          unknown: shown.filter((name) => !names.includes(name)),
        }).toEqual({ count: new Set(names).size, shown: count - left, unknown: [] })
      }),
    )
  })

  test('fit by the hundred where they are usual ones', () => {
    const folders = ['src/evidence', 'src/shapes', 'src/peripherals', 'src/agents/rehearsal', 'test/evidence', 'docs']
    const words =
      'append verify store digest query rows hash live wall drafts terms prepare read write follow open'.split(' ')
    const names = folders.flatMap((folder) =>
      words.flatMap((word) => [
        `${folder}/${word}.ts`,
        `${folder}/${word}.test.ts`,
        `${folder}/${word}.md`,
        `${folder}/${word}-of.ts`,
      ]),
    )
    const { count, folded, left } = readBy(names).digest.files.read
    expect({ count, left, names: unfolded(folded).sort() }).toEqual({ count: 384, left: 0, names: sortedSet(names) })
  })

  test('those changed have room of their own beside thousands that were read', () => {
    const read = Array.from({ length: 10_000 }, (_, i) => `a/${i}/${'x'.repeat(30)}.ts`)
    const { files } = digestOf(chainOf(step('a', ok(read, ['src/a.ts', 'src/b.ts'])))).digest
    expect(files.changed).toEqual({ count: 2, folded: 'src/{a,b}.ts', left: 0 })
  })
})

// ── the law ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('look', 'x'.repeat(300), '"'.repeat(300), '😀'.repeat(80), '\u0000'.repeat(50), '\ud800', ' a  b\n'),
)
const anyId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const anyOutcome: fc.Arbitrary<StepOutcome> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(anyName, { maxLength: 4 }), fc.option(fc.array(anyName, { maxLength: 4 }), { nil: undefined }))
      .map(([paths, changed]) => ok(paths, changed)),
  },
  { weight: 1, arbitrary: anyText.map((message): StepOutcome => ({ kind: 'failed', message })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyText, fc.array(anyName, { maxLength: 3 }), fc.array(anyName, { maxLength: 3 }))
      .map(([message, changed, files]) => ({ kind: 'failed' as const, message, changed, files: files.map(changeOf) })),
  },
  { weight: 1, arbitrary: anyText.map((message): StepOutcome => ({ kind: 'interrupted', message })) },
)
const answering = (body: Body) => anyId.map((inReplyTo): Line => ({ body, inReplyTo }))

/** A line of a session that was made up: also such as no session has, as an outcome before its intent. */
const anyLine: fc.Arbitrary<Line> = fc
  .oneof(
    { weight: 4, arbitrary: anyId.map(intended) },
    { weight: 6, arbitrary: fc.tuple(anyId, anyOutcome, anyText).map((parts) => outcome(...parts)) },
    { weight: 2, arbitrary: fc.tuple(anyId, anyText).map((parts) => accepted(...parts)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(anyId, anyText, fc.constantFrom('done' as const, 'failed' as const, 'cancelled' as const))
        .map((parts) => ended(...parts)),
    },
    { weight: 1, arbitrary: fc.tuple(anyText, fc.array(anyText, { maxLength: 8 })).map((parts) => started(...parts)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...RefusalCode.options), anyText).map((parts) => refusedStep(...parts)),
    },
    { weight: 1, arbitrary: fc.tuple(anyId, anyText).map((parts) => asked(...parts)) },
    {
      weight: 1,
      arbitrary: fc.tuple(anyId, anyText).map(([id, text]): Line => ({ id, body: { event: 'supposed', text } })),
    },
    { weight: 1, arbitrary: anyText.chain((text) => answering({ event: 'concluded', text })) },
    { weight: 1, arbitrary: anyText.chain((text) => answering({ event: 'corrected', text })) },
    { weight: 1, arbitrary: fc.tuple(anyId, anyText).map((parts) => approval(...parts)) },
    { weight: 1, arbitrary: anyId.map((id) => decided(id, 'approved')) },
    {
      weight: 1,
      arbitrary: fc.tuple(anyId, fc.array(anyName, { maxLength: 3 })).map((parts) => restoring(...parts)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(anyId, fc.array(anyName, { maxLength: 3 })).map((parts) => restored(...parts)),
    },
    { weight: 1, arbitrary: fc.constantFrom(...SESSION) },
    {
      weight: 1,
      arbitrary: fc.constant<Line>({
        body: { event: 'digested', digest: SESSION_DIGEST, files: { read: 'z', changed: 'z' } },
      }),
    },
  )
  .chain((line) => fc.nat(9).map((of) => ({ ...line, gone: of === 0 })))

const anyChain = fc.oneof(
  fc.array(anyLine, { maxLength: 25 }),
  fc.array(anyLine, { maxLength: 150, size: 'max' }),
  // Steps that end as they should, so that much is covered.
  fc
    .array(fc.tuple(anyId, anyOutcome, anyLine), { maxLength: 60, size: 'max' })
    .map((parts) =>
      parts.flatMap(([id, how, line]) =>
        line.body.event === 'step-intended' ? step(id, how) : [...step(id, how), line],
      ),
    ),
)

/** The last place of a chain at which no step is open, told from its lines. */
const lastClosed = (lines: Line[]): number => {
  const open = new Set<string>()
  return lines.reduce((last, { id = '', inReplyTo = '', body, gone }, i) => {
    if (body.event === 'peripheral-stopped' && !gone) open.clear()
    // What is gone shows what it claimed, and no more.
    if (body.event === 'step-intended' || (body.event === 'restoring' && gone)) open.add(id)
    if (body.event === 'step-ended' || body.event === 'restored') open.delete(inReplyTo)
    return open.size === 0 ? i + 1 : last
  }, 0)
}

/** The files of every step that ended, and of all that was put back, told from the lines. */
const filesIn = (lines: Line[]) => {
  const kept = lines.filter(({ gone }) => !gone).map(({ body }) => body)
  const outcomes = kept.flatMap((body) => (body.event === 'step-ended' ? [body.outcome] : []))
  const changes = outcomes.flatMap((how) => (how.kind === 'interrupted' ? [] : [how.changed, how.files?.map(pathOf)]))
  const back = kept.flatMap((body) => (body.event === 'restored' ? body.files.map(pathOf) : []))
  return {
    read: sortedSet(outcomes.flatMap((how) => (how.kind === 'ok' ? how.paths : []))),
    changed: sortedSet([...changes.flatMap((paths) => paths ?? []), ...back]),
  }
}

const pathOf = ({ path }: FileChange): string => path

describe('for any session', () => {
  test('digesting it piece by piece comes to the same as digesting it whole, at every cut', () => {
    fc.assert(
      fc.property(anyChain, fc.array(fc.nat(150), { maxLength: 8 }), fc.boolean(), (lines, places, fromStart) => {
        const chain = chainOf(lines)
        const cuts = [...new Set([...places.filter((at) => at < chain.length), chain.length])].sort((a, b) => a - b)
        let previous: Digested | null = null
        for (const cut of cuts) {
          const from: number = fromStart ? 0 : (previous?.digest.through ?? 0)
          const made = digestOf(chain.slice(from, cut), previous)
          expect(made).toEqual(digestOf(chain.slice(0, cut)))
          previous = throughJson(made)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a digest is of its shape, within its bytes, ends between steps, and has every file up to there', () => {
    fc.assert(
      fc.property(anyChain, (lines) => {
        const digested = digestOf(chainOf(lines))
        const { json, text } = sizesOf(digested)
        const through = lastClosed(lines)
        expect({
          whole: Digest.safeParse(digested.digest).success,
          within: json <= DIGEST_BYTES && text <= DIGEST_BYTES,
          through: digested.digest.through,
          files: filesOf(digested),
        }).toEqual({ whole: true, within: true, through, files: filesIn(lines.slice(0, through)) })
      }),
      { numRuns: 300 },
    )
  })

  test('a digest and its text hold nothing that a terminal would obey', () => {
    fc.assert(
      fc.property(anyChain, (lines) => {
        const { digest } = digestOf(chainOf(lines))
        expect([...textsIn(digest), ...brief(digest).split('\n')].filter((text) => OBEYED.test(text))).toEqual([])
      }),
    )
  })
})

// ── long and hostile sessions ───────────────────────────────────────────────────────────────────────────────────────

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

describe('a session of 10,000 steps', () => {
  const lines = [
    opened,
    ...many(100, (turn) => [
      accepted(`t${turn}`, `look at part ${turn} of the code and say what it does`),
      started('explore', ['read', 'grep', 'glob']),
      ...many(100, (n) => {
        const file = `src/part-${turn}/file-${n % 40}.ts`
        return step(`t${turn}.${n}`, ok([file, 'README.md'], n % 10 === 0 ? [file] : undefined))
      }).flat(),
      ended(`t${turn}`, `part ${turn} does what it says`),
    ]).flat(),
  ]
  const chain = chainOf(lines)
  const digested = digestOf(chain)

  test('has a digest within its bytes, with the files of all steps', () => {
    const { json, text } = sizesOf(digested)
    const { through, progress, files } = digested.digest
    expect({ within: json <= DIGEST_BYTES && text <= DIGEST_BYTES, files: filesOf(digested) }).toEqual({
      within: true,
      files: filesIn(lines),
    })
    expect({ through, progress, read: files.read.count, changed: files.changed.count }).toEqual({
      through: lines.length,
      progress: {
        turns: { accepted: 100, done: 100, failed: 0, cancelled: 0 },
        steps: { ok: 10_000, failed: 0, interrupted: 0, refused: 0 },
        tools: { shown: [{ tool: 'read', count: 10_000 }], left: 0 },
      },
      read: 4001,
      changed: 400,
    })
  })

  test('has the same digest every time, and when it is made in ten pieces', () => {
    const inPieces = many(10, (i) => Math.ceil(((i + 1) * chain.length) / 10)).reduce<Digested | null>(
      (previous, cut) => throughJson(digestOf(chain.slice(previous?.digest.through ?? 0, cut), previous)),
      null,
    )
    expect([JSON.stringify(digestOf(chain)), inPieces]).toEqual([JSON.stringify(digested), digested])
  })
})

describe('whatever a session is made of, its digest stays within its bytes', () => {
  const WIDE = '\u{1f469}\u{1f3fd}"\\\u0000\u2028é'.repeat(20_000)
  const id = (i: number) => `${i}`.padStart(128, 'i')
  const wide = (i: number) => `${i}${WIDE.slice(0, 2000)}`
  const everything: Line[] = [
    { body: { event: 'session-opened', agent: WIDE, room: WIDE } },
    ...many(1000, (i) => accepted(id(i), wide(i))),
    ...many(1000, (i) => asked(id(i + 5000), wide(i))),
    ...many(100, (i) => started(wide(i), many(100, wide))),
    ...RefusalCode.options.flatMap((code) => many(20, (i) => refusedStep(code, wide(i)))),
    ...many(1000, (i) => step(`s${i}`, ok([wide(i)], [wide(i + 1)]), wide(i))).flat(),
    ...many(500, (i) => ended(id(i), wide(i))),
    { body: { event: 'session-closed', reason: WIDE } },
  ]

  test.each<[string, Line[]]>([
    ['answers of megabytes', many(20, (i) => ended(`t${i}`, WIDE.repeat(5)))],
    ['10,000 long file names', step('a', ok(many(10_000, (i) => `${'d/'.repeat(100)}${i}.ts`)))],
    [
      '10,000 folders',
      step(
        'a',
        ok(
          [],
          many(10_000, (i) => `${i}/${i}.ts`),
        ),
      ),
    ],
    ['thousands of turns that wait', many(5000, (i) => accepted(id(i), wide(i)))],
    ['thousands of refusals', many(5000, (i) => refusedStep('out-of-scope', wide(i)))],
    ['thousands of peripherals, with thousands of tools', many(2000, (i) => started(wide(i), many(9, wide)))],
    ['thousands of tools', many(5000, (i) => step(`s${i}`, ok([]), wide(i))).flat()],
    ['all of it', everything],
    ['all of it, behind a step that never ends', [opened, intended('open'), ...everything]],
  ])('%s', (_title, lines) => {
    const digested = digestOf(chainOf(lines))
    const { json, text } = sizesOf(digested)
    expect({ within: json <= DIGEST_BYTES && text <= DIGEST_BYTES, files: filesOf(digested) }).toEqual({
      within: true,
      files: filesIn(lines.slice(0, digested.digest.through)),
    })
    expect(brief(digested.digest)).toMatch(/\n- read: .*$/)
  })

  test('a session with a name beyond all measure', () => {
    const digest = createDigest(WIDE, null).made().digest
    expect(bytes(JSON.stringify(digest))).toBeLessThanOrEqual(DIGEST_BYTES)
  })
})
