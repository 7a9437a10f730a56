import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTerminal, type TerminalOptions } from '../../adapters/terminal/index.ts'
import { clean } from '../../adapters/terminal/rows.ts'
import { answer, show } from '../../adapters/terminal/translate.ts'
import type { ChatPort, Ears, From, Line } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Post } from '../../src/shapes/post.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import { screenOf } from './terminal/screen.ts'

const ESC = '\u001b'
const PLAIN = { width: 80, colour: false }
const PATIENT = { timeout: 60_000, interval: 5 }

const ana: Post['author'] = { kind: 'person', id: 'ana', face: 'terminal', via: null }
const claude: Post['author'] = { kind: 'agent', id: 'claude-1', face: 'worker', via: null }
const house: Post['author'] = { kind: 'house', id: 'bellhop', face: 'house', via: null }

const post = (position: number, part: Partial<Post>): Post => ({
  position,
  id: `e${position}`,
  at: '2026-03-01T12:00:00.000Z',
  room: 'lobby',
  kind: 'said',
  author: { ...ana, id: 'bob' },
  text: '',
  session: null,
  turn: null,
  step: null,
  approval: null,
  ...part,
})
const receipt = (message: string, answer: string | null = null): Result<Receipt> =>
  ok({ message, room: 'lobby', mode: 'coordination', assignments: [], answer })

/** A port in memory: it keeps what was said, shows what it is told to, and fails on demand. */
const scriptedPort = () => {
  const said: Line[] = []
  const follows: From[] = []
  let ears: Ears | null = null
  let drop: ((error: Error) => void) | null = null
  const visited: string[] = []
  const answers = { next: (line: Line): Result<Receipt> => receipt(line.id) }
  return {
    said,
    /** The cursor of each time the room was followed. */
    follows,
    /** The room of each time. */
    visited,
    answers,
    open: () => ears?.open?.(),
    progress: (step: string, text: string) => ears?.progress?.({ room: 'lobby', session: 's1', step, text }),
    show: (...posts: Post[]) => {
      for (const one of posts) ears?.post(one)
    },
    lose: (why: string) => drop?.(new Error(why)),
    port: {
      say: async (line) => {
        said.push(line)
        return answers.next(line)
      },
      follow: (room, from, heard, signal) =>
        new Promise((done, fail) => {
          follows.push(from)
          visited.push(room)
          ears = heard
          drop = fail
          if (signal.aborted) done()
          signal.addEventListener('abort', () => done())
        }),
      ask: async ({ name }) =>
        name === 'rooms'
          ? ok({ rooms: [{ id: 'lobby' }, { id: 'porch' }] })
          : ok({ threads: [{ id: THREAD, agent: 'claude-1', name: 'the flaky test' }] }),
    } satisfies ChatPort,
  }
}

const THREAD = `t-${'0123456789'.repeat(2)}abcdef`

const enter = (part: Partial<TerminalOptions> & { tty?: boolean } = {}) => {
  const { tty = false, ...rest } = part
  const script = scriptedPort()
  const input = Object.assign(new PassThrough(), { isTTY: tty })
  const output = Object.assign(new PassThrough(), { isTTY: tty, columns: tty ? 40 : 80 })
  const leave = new AbortController()
  let written = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  const terminal = createTerminal({
    port: script.port,
    room: 'lobby',
    you: { name: 'ana', role: 'operator', face: 'terminal', via: null },
    input,
    output,
    commands: ['help', 'who', 'whoami', 'mode'],
    agents: ['claude-1', 'codex-1'],
    after: 0,
    colour: false,
    ...rest,
  })
  const left = terminal.run(leave.signal)
  return { ...script, input, leave, left, written: () => written, screen: () => screenOf(written, 40) }
}
const poll = (look: () => unknown) => expect.poll(look, PATIENT)

describe('a room line by line', () => {
  test('shows a whole turn: the line, the work, its steps as they end, the answer', async () => {
    const room = enter()
    room.input.write('where is retry?\n')
    await poll(() => room.said.length).toBe(1)
    const id = room.said[0]?.id ?? ''
    const turn = { author: claude, session: 's1', turn: `${id}.claude-1` }
    const posts: Partial<Post>[] = [
      { id, author: ana, text: 'where is retry?' },
      { ...turn, author: ana, kind: 'accepted', text: 'claude-1 has it, in explore' },
      { ...turn, kind: 'working', text: 'is at work' },
      { ...turn, kind: 'step', text: 'grep {"pattern":"retry"}', step: { id: 'p1', state: 'running' } },
      { ...turn, kind: 'step', text: 'read {"path":"../x"}', step: { id: 'p2', state: 'running' } },
      { ...turn, kind: 'step', text: 'grep: 2 lines\na.ts:1\nb.ts:2', step: { id: 'p1', state: 'ok' } },
      { ...turn, kind: 'step', text: 'read: no such file', step: { id: 'p2', state: 'failed' } },
      { ...turn, kind: 'step', text: 'read {}: no [out-of-scope]', step: { id: 'p3', state: 'refused' } },
      { ...turn, kind: 'answer', text: 'In two places:\n\ta.ts\n\tb.ts' },
      { text: 'thanks' },
      { kind: 'notice', author: house, text: 'codex-1 is ready' },
    ]
    room.show(...posts.map((part, index) => post(index + 1, part)))
    room.input.end()
    await room.left
    expect(room.written()).toBe(
      [
        'ana: where is retry?',
        '  · claude-1 has it, in explore',
        '  · claude-1 is at work',
        '  claude-1 ✓ grep {"pattern":"retry"} — 2 lines',
        '  claude-1 ✗ failed: read {"path":"../x"} — no such file',
        '  claude-1 ✗ refused: read {}: no [out-of-scope]',
        'claude-1: In two places:',
        '      a.ts',
        '      b.ts',
        'bob: thanks',
        '— codex-1 is ready',
        '',
      ].join('\n'),
    )
    expect(room.said).toEqual([{ id, room: 'lobby', text: 'where is retry?' }])
  })

  test('shows who asks for an approval and how to answer, then what became of it and of the step', async () => {
    const room = enter()
    const turn = { author: claude, session: 's1', turn: 'm1.claude-1' }
    const step = { id: 'm1.claude-1.0', state: 'running' } as const
    const call = 'run {"argv":["git","push"]}'
    const asked = `asks to run git push\ndeploy asks before each git push\n${call}`
    const open = { name: 'k7f2q', state: 'open', until: '2026-03-01T12:10:00.000Z' } as const
    const posts: Partial<Post>[] = [
      { ...turn, kind: 'approval', text: asked, step, approval: open },
      { kind: 'approval', text: 'approved k7f2q', step, approval: { ...open, state: 'approved', until: null } },
      { ...turn, kind: 'step', text: call, step },
      { ...turn, kind: 'step', text: 'run: 1 line\npushed', step: { ...step, state: 'ok' } },
      { ...turn, kind: 'notice', text: 'claude-1 hops from deploy to reflect (deployed)' },
    ]
    room.show(...posts.map((part, index) => post(index + 1, part)))
    room.input.end()
    await room.left
    expect(room.written()).toBe(
      [
        '  ? claude-1 asks to run git push',
        '    deploy asks before each git push',
        '    run {"argv":["git","push"]}',
        '  → /approve k7f2q or /deny k7f2q WHY, until 2026-03-01T12:10:00.000Z',
        '  ✓ bob approved k7f2q',
        '  claude-1 ✓ run {"argv":["git","push"]} — 1 line',
        '— claude-1 hops from deploy to reflect (deployed)',
        '',
      ].join('\n'),
    )
  })

  test('says lines in order, one after the other, and skips empty ones', async () => {
    const room = enter()
    room.input.end('one\n\n   \ntwo\nthree')
    await room.left
    expect(room.said.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect(new Set(room.said.map(({ id }) => id)).size).toBe(3)
  })

  test('shows what a command answered once, whether or not the room shows it too', async () => {
    const room = enter()
    room.answers.next = ({ id }) => {
      room.show(post(1, { id: `${id}.receipt`, kind: 'answer', author: house, text: 'claude-1: ready' }))
      return receipt(id, 'claude-1: ready\ncodex-1: lapsed')
    }
    room.input.end('/who\n')
    await room.left
    expect(room.written()).toBe('ana: /who\n  claude-1: ready\n  codex-1: lapsed\n')
  })

  test('shows a refusal once, with its remedy', async () => {
    const room = enter()
    const why = refusal('agent-unknown', 'there is no agent "nobody"')
    room.answers.next = ({ id }) => {
      room.show(
        post(1, {
          id: `${id}.receipt`,
          kind: 'refusal',
          author: house,
          text: `${why.message} [${why.code}]\n${why.remedy}`,
        }),
      )
      return refused(why)
    }
    room.input.write('@nobody hello\n')
    await poll(room.written).toContain('nobody"')
    room.show(post(2, { id: 'other.receipt', kind: 'refusal', author: house, text: 'not you, bob\nask ana' }))
    room.input.end()
    await room.left
    expect(room.written()).toBe(
      [
        'ana: @nobody hello',
        '  ✗ there is no agent "nobody" [agent-unknown]',
        '  → say /who for the agents that are here',
        '  ✗ not you, bob',
        '  → ask ana',
        '',
      ].join('\n'),
    )
  })

  test('follows on from where it was when the room is lost, and shows nothing twice', async () => {
    const room = enter({ after: 41 })
    room.show(post(41, { text: 'old' }), post(42, { text: 'new' }), post(45, { text: 'newer' }))
    room.lose('the line went dead')
    await poll(() => room.follows).toEqual([41, 45])
    room.show(post(45, { text: 'newer' }), post(46, { text: 'newest' }))
    room.input.end()
    await room.left
    expect(room.written()).toBe(
      'bob: new\nbob: newer\n  ! lost the room (the line went dead): trying again\nbob: newest\n',
    )
  })

  test('keeps a line that could not be sent, and sends it again under the same id', async () => {
    const room = enter()
    let times = 0
    room.answers.next = ({ id }) => {
      if (times++ < 2) throw new Error('no connection')
      return receipt(id)
    }
    room.input.write('once\n')
    await poll(() => room.said.length).toBe(3)
    room.input.end()
    await room.left
    expect(room.said).toEqual(Array(3).fill(room.said[0]))
    expect(room.written()).toBe('ana: once\n  ! not sent yet (no connection): kept, and sent again\n')
  })

  test('says which line was never sent when the person leaves first', async () => {
    const room = enter()
    room.answers.next = () => {
      throw new Error('no connection')
    }
    room.input.end('lost\n')
    await room.left
    expect(room.written()).toBe(
      [
        'ana: lost',
        '  ! not sent yet (no connection): kept, and sent again',
        '  ! never sent (no connection): lost',
        '',
      ].join('\n'),
    )
  })

  test('ends on /quit, and on the signal even if the house never answers', async () => {
    const first = enter()
    first.input.write('/quit\n')
    await first.left
    expect(first.said).toEqual([])

    const never = () => new Promise<never>(() => {})
    const second = enter({ port: { say: never, follow: never, ask: never } })
    second.input.write('anyone?\n')
    await poll(second.written).toBe('ana: anyone?\n')
    second.leave.abort()
    await second.left

    const third = enter()
    third.leave.abort()
    await third.left
  })
})

describe('a room in a terminal', () => {
  test('prints above the prompt and leaves a half-typed line alone, even one that takes two rows', async () => {
    const room = enter({ tty: true })
    const greeting = ['You are ana (operator) in lobby. Say /he', 'lp for the commands, /quit to end it.']
    await poll(room.screen).toEqual([...greeting, 'ana@lobby>'])
    room.input.write('a half')
    await poll(room.screen).toEqual([...greeting, 'ana@lobby> a half'])
    room.show(post(1, { text: 'hello' }))
    await poll(room.screen).toEqual([...greeting, 'bob: hello', 'ana@lobby> a half'])

    room.input.write(' typed line that goes on and on')
    const typed = ['ana@lobby> a half typed line that goes o', 'n and on']
    await poll(room.screen).toEqual([...greeting, 'bob: hello', ...typed])
    room.show(post(2, { text: 'two\nrows' }), post(3, { text: 'and a text of more than forty columns' }))
    const shown = ['bob: hello', 'bob: two', '  rows', 'bob: and a text of more than forty', '  columns']
    await poll(room.screen).toEqual([...greeting, ...shown, ...typed])

    room.input.write('!\r')
    await poll(() => room.said.map(({ text }) => text)).toEqual(['a half typed line that goes on and on!'])
    room.show(post(4, { id: room.said[0]?.id ?? '', author: ana, text: 'a half typed line that goes on and on!' }))
    room.show(post(5, { text: 'yes' }))
    await poll(room.screen).toEqual([...greeting, ...shown, typed[0], 'n and on!', 'bob: yes', 'ana@lobby>'])
    room.leave.abort()
    await room.left
  })

  test('completes commands at the start of a line and agents anywhere', async () => {
    const room = enter({ tty: true })
    const last = () => room.screen().at(-1)
    room.input.write('/mo\t')
    await poll(last).toBe('ana@lobby> /mode')
    room.input.write('ask @cod\t')
    await poll(last).toBe('ana@lobby> /mode ask @codex-1')
    room.input.write('\r')
    await poll(() => room.said.map(({ text }) => text)).toEqual(['/mode ask @codex-1'])
    room.leave.abort()
    await room.left
  })

  test('brings back earlier lines', async () => {
    const room = enter({ tty: true })
    room.input.write('first\r')
    await poll(() => room.said.length).toBe(1)
    room.input.write(`${ESC}[A`)
    await poll(() => room.screen().at(-1)).toBe('ana@lobby> first')
    room.leave.abort()
    await room.left
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['/quit', '/quit\r'],
  ])('%s leaves', async (_name, keys) => {
    const room = enter({ tty: true })
    room.input.write(keys)
    await room.left
    expect(room.written().endsWith('\n')).toBe(true)
    expect(room.said).toEqual([])
  })

  test('has colours only where they are wanted and there is a terminal', async () => {
    const painted = async (part: Parameters<typeof enter>[0]) => {
      const room = enter(part)
      room.show(post(1, { kind: 'notice', text: 'red?' }))
      room.leave.abort()
      await room.left
      return room.written().includes(`${ESC}[2m`)
    }
    expect(await painted({ tty: true, colour: true })).toBe(true)
    expect(await painted({ tty: true, colour: false })).toBe(false)
    expect(await painted({ tty: false, colour: true })).toBe(false)
  })
})

describe('what an agent is writing', () => {
  const turn = { author: claude, session: 's1', turn: 'm1.claude-1' }
  const greeting = ['You are ana (operator) in lobby. Say /he', 'lp for the commands, /quit to end it.']
  const begin = (part: Parameters<typeof enter>[0] = {}) => {
    const room = enter({ tty: true, ...part })
    room.open()
    room.show(post(1, { ...turn, kind: 'working', text: 'is at work' }))
    return { ...room, shown: () => room.screen().slice(2) }
  }
  const atWork = '  · claude-1 is at work'

  test('grows above the prompt, and gives way to the post that has it whole', async () => {
    const room = begin()
    room.progress('m1.claude-1.said-1', 'I will ')
    room.progress('m1.claude-1.said-1', 'look')
    await poll(room.shown).toEqual([atWork, 'claude-1: I will look', 'ana@lobby>'])
    expect(room.screen().slice(0, 2)).toEqual(greeting)
    room.show(post(2, { ...turn, id: 'm1.claude-1.said-1', kind: 'aside', text: 'I will look into it.' }))
    const aside = 'claude-1: I will look into it.'
    await poll(room.shown).toEqual([atWork, aside, 'ana@lobby>'])

    room.progress('m1.claude-1.said-1', 'too late')
    room.progress('m1.claude-1.said-2', 'It is in\nsrc')
    await poll(room.shown).toEqual([atWork, aside, 'claude-1: It is in', '  src', 'ana@lobby>'])
    room.show(post(3, { ...turn, kind: 'answer', text: 'It is in\nsrc/a.ts.' }))
    const whole = [atWork, aside, 'claude-1: It is in', '  src/a.ts.', 'ana@lobby>']
    await poll(room.shown).toEqual(whole)
    room.progress('m1.claude-1.said-2', 'too late')
    room.progress('m0.claude-1.said-0', 'of a turn that nobody knows')
    room.progress('m1.claude-1.3', 'of a step')
    room.show(post(4, { text: 'thanks' }))
    await poll(room.shown).toEqual([...whole.slice(0, -1), 'bob: thanks', 'ana@lobby>'])
    room.leave.abort()
    await room.left
  })

  test('leaves a half-typed line alone, and a line that is sent in its place', async () => {
    const room = begin()
    room.input.write('a half typed line that goes on and on')
    room.progress('m1.claude-1.said-1', 'one\ntwo')
    const typed = ['ana@lobby> a half typed line that goes o', 'n and on']
    await poll(room.shown).toEqual([atWork, 'claude-1: one', '  two', ...typed])
    room.show(post(2, { text: 'hello' }))
    room.progress('m1.claude-1.said-1', '\nthree')
    await poll(room.shown).toEqual([atWork, 'bob: hello', 'claude-1: one', '  two', '  three', ...typed])
    room.input.write('\r')
    await poll(() => room.said.length).toBe(1)
    await poll(room.shown).toEqual([atWork, 'bob: hello', ...typed, 'ana@lobby>'])
    room.progress('m1.claude-1.said-1', '\n4')
    await poll(room.shown).toEqual([
      ...[atWork, 'bob: hello', ...typed, 'claude-1: one', '  two', '  three', '  4', 'ana@lobby>'],
    ])
    room.input.write('\u0004')
    await room.left
    expect(room.shown()).toEqual([atWork, 'bob: hello', ...typed, 'ana@lobby>'])
  })

  test('is the end of it, in a few rows that are shared by all who write', async () => {
    const room = begin()
    room.progress('m1.claude-1.said-1', `${ESC}]0;owned\u0007${ESC}[2J1\n2\n3\n4\n5\n6\n7\n8 ${'x'.repeat(60)}`)
    const long = `  8`
    await poll(room.shown).toEqual([
      atWork,
      'claude-1: … 4',
      ...['  5', '  6', '  7', long],
      `  ${'x'.repeat(36)}…`,
      'ana@lobby>',
    ])
    room.show(post(2, { author: { ...claude, id: 'codex-1' }, turn: 'm1.codex-1', kind: 'working', text: 'too' }))
    room.progress('m1.codex-1.said-1', 'a\nb')
    await poll(() => room.shown().slice(2)).toEqual([
      ...['claude-1: … 7', long, `  ${'x'.repeat(36)}…`, 'codex-1: a', '  b', 'ana@lobby>'],
    ])
    room.leave.abort()
    await room.left
  })

  test('is heard from there on after the room was lost', async () => {
    const room = begin()
    room.progress('m1.claude-1.said-1', 'one')
    await poll(room.shown).toContain('claude-1: one')
    room.lose('gone')
    await poll(() => room.follows.length).toBe(2)
    room.open()
    room.progress('m1.claude-1.said-1', 'three')
    await poll(room.shown).toContain('claude-1: three')
    expect(room.shown()).not.toContain('claude-1: one')
    room.leave.abort()
    await room.left
  })

  test('is not shown where there is no terminal', async () => {
    const room = begin({ tty: false })
    room.progress('m1.claude-1.said-1', 'nothing of it')
    room.input.end()
    await room.left
    expect(room.written()).toBe(`${atWork}\n`)
  })
})

describe('going from room to room', () => {
  const line = (position: number, text: string) => post(position, { text })

  test('a thread is entered with its last lines, spoken in, and left for where one was, with what came meanwhile', async () => {
    const room = enter()
    room.show(line(1, 'here'))
    room.input.write(`/enter ${THREAD}\nis it flaky?\n`)
    await poll(() => room.visited).toEqual(['lobby', THREAD])
    room.show(line(2, 'before the door opened'))
    expect(room.said).toEqual([])
    room.open()
    room.show(line(3, 'there'))
    await poll(() => room.said.map(({ room, text }) => [room, text])).toEqual([[THREAD, 'is it flaky?']])
    room.input.write('/leave\n')
    await poll(() => room.visited).toEqual(['lobby', THREAD, 'lobby'])
    room.open()
    room.show(line(1, 'here'), line(4, 'meanwhile'))
    room.input.end('/leave\nhello\n')
    await room.left
    expect(room.follows).toEqual([0, { tail: 20 }, { tail: 20 }])
    expect(room.said.map(({ room, text }) => [room, text])).toEqual([
      [THREAD, 'is it flaky?'],
      ['lobby', 'hello'],
    ])
    expect(room.written()).toBe(
      [
        'bob: here',
        'bob: before the door opened',
        `— you are in ${THREAD}`,
        'bob: there',
        'ana: is it flaky?',
        '— you are in lobby',
        'bob: meanwhile',
        '  ! you are in lobby, where you began: /quit ends it for everybody',
        'ana: hello',
        '',
      ].join('\n'),
    )
  })

  test('a room that does not let one in says why, and one is where one was', async () => {
    const room = enter()
    room.input.write('/enter attic\nhello\n')
    await poll(() => room.visited).toEqual(['lobby', 'attic'])
    room.lose('there is no room attic')
    await poll(() => room.said.map(({ room, text }) => [room, text])).toEqual([['lobby', 'hello']])
    room.input.end()
    await room.left
    expect(room.written()).toBe('  ! there is no room attic\nana: hello\n')
  })

  test('the prompt says where one is, and nothing that was being written elsewhere stays', async () => {
    const room = enter({ tty: true })
    const greeting = ['You are ana (operator) in lobby. Say /he', 'lp for the commands, /quit to end it.']
    room.show(post(1, { author: claude, turn: 'm1.claude-1', kind: 'working', text: 'is at work' }))
    room.progress('m1.claude-1.said-1', 'never')
    room.input.write('/ent\t')
    await poll(() => room.screen().at(-1)).toBe('ana@lobby> /enter')
    room.input.write('t-\t')
    await poll(() => room.screen().slice(-2)).toEqual(['ana@lobby> /enter t-01234567890123456789', 'abcdef'])
    room.progress('m1.claude-1.said-1', ' mind')
    room.input.write('\r')
    await poll(() => room.visited).toEqual(['lobby', THREAD])
    room.open()
    await poll(room.screen).toEqual([
      ...greeting,
      '  · claude-1 is at work',
      'ana@lobby> /enter t-01234567890123456789',
      'abcdef',
      '— you are in',
      '  t-01234567890123456789abcdef',
      'ana@t-…abcdef>',
    ])
    room.leave.abort()
    await room.left
  })

  test('what is begun says how to go there, and the terminal says where one can go and what else it does', async () => {
    const room = enter()
    room.answers.next = ({ id, text }) =>
      receipt(id, text.startsWith('/new') ? `${THREAD}  2026-03-01 12:00  with claude-1` : 'what the house says')
    room.input.end('/new claude-1\n/help\n/enter\n')
    await room.left
    expect(room.written()).toBe(
      [
        'ana: /new claude-1',
        `  ${THREAD}  2026-03-01 12:00  with claude-1`,
        `  → /enter ${THREAD}`,
        'ana: /help',
        '  what the house says',
        '  In this terminal:',
        '  /enter [ROOM]: go to another room or thread; alone, says which there are',
        '  /leave: go back to where you were before',
        '  /quit: end it, and all that was started with it',
        '  /enter lobby  a room',
        '  /enter porch  a room',
        `  /enter ${THREAD}  with claude-1, the flaky test`,
        '',
      ].join('\n'),
    )
  })
})

describe('what is shown of a text', () => {
  test.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a cursor that moves', `safe${ESC}[2K${ESC}[1A${ESC}[10;1Hgone`, 'safegone'],
    ['a title', `${ESC}]0;owned by me\u0007title`, 'title'],
    ['a link', `${ESC}]8;;http://evil${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
    ['the clipboard, in 8 bits', '\u009d52;c;cm0=\u009cclip', 'clip'],
    ['8-bit CSI', '\u009b2Jscreen', 'screen'],
    ['a device string', `${ESC}P1$r0m${ESC}\\device`, 'device'],
    ['a reset and a charset', `${ESC}c${ESC}(0reset`, 'reset'],
    ['a sequence inside a sequence', `${ESC}${ESC}[31m[2Jnested`, '[2Jnested'],
    ['a title that never ends', `${ESC}]0;title`, '0;title'],
    ['bells, backspaces, deletes', 'a\u0007b\u0008c\u007fd\u0000e', 'abcde'],
    ['a carriage return that would overwrite', 'rm -rf\rls\r\nend', 'rm -rf\nls\nend'],
    ['text turned around', 'a\u202eb\u2066c\u2069d\u200fe', 'abcde'],
    ['tabs', 'a\tb\n\tc', 'a   b\n    c'],
    ['wide letters before a tab', '漢\tx', '漢  x'],
    ['other scripts and families', 'naïve 👩‍👧 שלום', 'naïve 👩‍👧 שלום'],
  ])('%s', (_name, text, shown) => {
    expect(clean(text)).toBe(shown)
  })

  test('no text whatever leaves anything that a terminal obeys', () => {
    const nasty = fc.constantFrom(
      ESC,
      '[',
      ']',
      '\u009b',
      '\u009d',
      '\u0007',
      '\\',
      '\r',
      '\n',
      '\t',
      '\u202e',
      'P',
      'J',
    )
    const any = fc.nat(0x2fff).map((code) => String.fromCharCode(code))
    const text = fc.array(fc.oneof(nasty, any), { maxLength: 40 }).map((chars) => chars.join(''))
    fc.assert(
      fc.property(text, (dirty) => {
        return !/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/u.test(clean(dirty))
      }),
    )
  })

  // What grows with the square of such a length does not come to an end in the time that a test has.
  const MILLION = 1_000_000
  test.each([
    ['introducers', '\u009d', ''],
    ['escapes', `${ESC}]`, ''],
    ['tabs', '\t', '    '],
    ['parameters', `${ESC}[1;`, '1;'],
  ])('a million %s are cleaned', (_name, part, left) => {
    expect(clean(part.repeat(MILLION)) === left.repeat(MILLION)).toBe(true)
  })

  test.each(['said', 'accepted', 'working', 'answer', 'aside', 'refusal', 'notice', 'approval'] as const)(
    '%s: a post cannot smuggle an escape into the terminal, by its text or its author',
    (kind) => {
      const trap = `x${ESC}]0;owned\u0007${ESC}[2J\ny${ESC}[31m`
      const shown = show(post(1, { kind, text: trap, author: { ...ana, id: `mal${ESC}[2Jlory` } }), PLAIN)
      expect(shown).not.toMatch(/[^\P{Cc}\n]/u)
      expect(shown).toContain('x')
      expect(shown).toContain('y')
    },
  )

  test('a step is one row: a long call makes way for the outcome, and the row ends where the terminal does', () => {
    const ended = post(1, { kind: 'step', author: claude, text: `40${ESC}[2J lines`, step: { id: 'p', state: 'ok' } })
    expect(show(ended, PLAIN, `read {"path":"${ESC}[2Ja.ts"}`)).toBe('  claude-1 ✓ read {"path":"a.ts"} — 40 lines')
    expect(show(ended, { ...PLAIN, width: 50 }, 'read {"path":"漢字漢字漢字"}')).toBe(
      '  claude-1 ✓ read {"path":"漢字漢字漢… — 40 lines',
    )
    expect(show(ended, { ...PLAIN, width: 24 }, 'read {"path":"漢字漢字漢字"}')).toBe('  claude-1 ✓ read {"pat…')
    expect(show(ended, { ...PLAIN, width: 32 }, 'read {"path":"漢字漢字漢字"}')).toBe(
      '  claude-1 ✓ read {"path":"漢字…',
    )
  })

  const painted = { width: 80, colour: true }
  const colour = (code: string, text: string) => `${ESC}[${code}m${text}${ESC}[0m`
  const step = (text: string, state: 'ok' | 'failed' = 'ok') =>
    post(1, { kind: 'step', author: claude, text, step: { id: 'p', state } })

  test.each([
    ['approved', 'approved k7f2q', '  ✓ bob approved k7f2q', '32'],
    ['denied', 'denied k7f2q: no', '  ✗ bob denied k7f2q: no', '31'],
    ['lapsed', 'let k7f2q lapse: late', '  ✗ bob let k7f2q lapse: late', '33'],
  ] as const)('an approval that is %s says so by a mark and a colour', (state, text, shown, code) => {
    const decided = post(1, { kind: 'approval', text, approval: { name: 'k7f2q', state, until: null } })
    expect(show(decided, PLAIN)).toBe(shown)
    expect(show(decided, painted)).toBe(colour(code, shown))
  })

  test('a question stands out, and nothing in it is obeyed', () => {
    const trap = `x${ESC}[2J\u202e`
    const asked = post(1, {
      kind: 'approval',
      author: claude,
      text: `asks to ${trap}\nwhy ${trap}`,
      approval: { name: `k${trap}`, state: 'open', until: null },
    })
    expect(show(asked, painted)).toBe(
      [colour('1;33', '  ? claude-1 asks to x'), '    why x', colour('1;33', '  → /approve kx or /deny kx WHY')].join(
        '\n',
      ),
    )
  })

  const HUNK = ['@@ -1,4 +1,3 @@ f()', ' a', '--- not a name', `-b${ESC}[2J`, '++++ new', '', '\\ No newline']
  const DIFF = ['diff --git a/x b/x', '--- a/x', '+++ b/x', ...HUNK, '-not of it'].join('\n')

  test('a diff is shown under its step, in colours where there are any', () => {
    expect(show(step(`edit: 11 lines\n${DIFF}\n`), painted, 'edit {"path":"x"}')).toBe(
      [
        colour('2', '  claude-1 ✓ edit {"path":"x"} — 11 lines'),
        colour('2', '    diff --git a/x b/x'),
        colour('2', '    --- a/x'),
        colour('2', '    +++ b/x'),
        colour('36', '    @@ -1,4 +1,3 @@ f()'),
        '     a',
        colour('31', '    --- not a name'),
        colour('31', '    -b'),
        colour('32', '    ++++ new'),
        '    ',
        '    \\ No newline',
        '    -not of it',
      ].join('\n'),
    )
    expect(show(step(`edit: 11 lines\n${DIFF}`), PLAIN)).not.toContain(ESC)
  })

  test('a diff of many lines ends after forty, in rows no wider than the terminal, and says where the rest is', () => {
    const added = Array.from({ length: 60 }, (_, n) => `+line ${n} ${'x'.repeat(90)}`)
    const diff = ['--- a/x', '+++ b/x', '@@ -0,0 +1,60 @@', ...added].join('\n')
    const rows = show(step(`edit: 63 lines\n${diff}`), PLAIN).split('\n')
    expect(rows).toEqual([
      '  claude-1 ✓ edit: 63 lines',
      '    --- a/x',
      '    +++ b/x',
      '    @@ -0,0 +1,60 @@',
      ...added.slice(0, 37).map((line) => `    ${line.slice(0, 75)}…`),
      '    … 23 more lines: /show e1',
    ])
  })

  test('a diff that a command answered is shown whole', () => {
    const lines = Array.from({ length: 60 }, (_, n) => `+${n} ${'x '.repeat(60)}`)
    const text = ['codex-1, turn x: 1 file', '--- a/x', '+++ b/x', '@@ -0,0 +1,60 @@', ...lines].join('\n')
    expect(answer(text, painted).split('\n')).toEqual([
      '  codex-1, turn x: 1 file',
      colour('2', '  --- a/x'),
      colour('2', '  +++ b/x'),
      colour('36', '  @@ -0,0 +1,60 @@'),
      ...lines.map((line) => colour('32', `  ${line}`)),
    ])
  })

  test('a step that failed shows the end of what it said; one that did not, nothing', () => {
    const said = Array.from({ length: 12 }, (_, n) => `${ESC}[31mline ${n}`).join('\n')
    expect(show(step(`run: exited with 1\n${said}\n`, 'failed'), PLAIN).split('\n')).toEqual([
      '  claude-1 ✗ failed: run: exited with 1',
      '    … 2 earlier lines: /show e1',
      ...Array.from({ length: 10 }, (_, n) => `    line ${n + 2}`),
    ])
    expect(show(step(`run: 12 lines\n${said}`), PLAIN)).toBe('  claude-1 ✓ run: 12 lines')
  })

  test('an answer keeps its code in one piece and breaks its sentences', () => {
    const text = `one two three four\n  const code = 'longer than the terminal'\nfive`
    expect(show(post(1, { kind: 'answer', author: claude, turn: 't', text }), { ...PLAIN, width: 20 })).toBe(
      ['claude-1: one two', '  three four', "    const code = 'longer than the terminal'", '  five'].join('\n'),
    )
  })
})
