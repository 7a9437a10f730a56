import { randomUUID } from 'node:crypto'
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatAdapter, Door } from '../../src/chat/door.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Person } from '../../src/shapes/person.ts'
import type { Post } from '../../src/shapes/post.ts'
import type { Result } from '../../src/shapes/result.ts'
import { CYAN, clean } from './rows.ts'
import { answer, refusalOf, show, speech, warning } from './translate.ts'

export type TerminalOptions = {
  door: Door
  room: string
  you: Person
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  /** Names for completion, without their `/` and `@`. */
  commands: readonly string[]
  agents: readonly string[]
  /** The position to show posts after: 0 for the room from its beginning. */
  after: number
  /** Whether colours are wanted; what is no terminal gets none in any case. */
  colour: boolean
}

/** A room in a terminal; or, where there is none, line by line. It runs until the person leaves or the signal ends it. */
export const createTerminal = (options: TerminalOptions): ChatAdapter => ({
  run: async (signal) => {
    const interrupt = new AbortController()
    const left = AbortSignal.any([signal, interrupt.signal])
    const screen = openScreen(options)
    /** Our own lines, and the posts of what they were answered: shown as they happen, and not again from the room. */
    const own = new Set<string>()
    const say = createSpeaker(options, screen, own)
    let saying = Promise.resolve()

    screen.lines.on('line', (typed) => {
      const text = typed.trim()
      if (text === '/quit') return screen.lines.close()
      if (text !== '') saying = saying.then(() => say(text))
      screen.prompt()
    })
    screen.lines.on('SIGINT', () => interrupt.abort())
    left.addEventListener('abort', () => screen.lines.close())
    if (left.aborted) screen.lines.close()

    screen.greet()
    // What was said before leaving still gets its answer; an interrupt does not wait for it.
    const heard = follow(options, screen, own).then(() => saying)
    await Promise.race([heard, ended(left)])
  },
})

type Screen = ReturnType<typeof openScreen>

/** A prompt at the bottom, and everything that is printed above it. */
const openScreen = (options: TerminalOptions) => {
  const { input, output, you, room } = options
  const terminal = input.isTTY === true && output.isTTY === true
  const name = clean(you.name)
  const lines = createInterface({
    input,
    output,
    terminal,
    prompt: `${name}@${room}> `,
    completer: completer(options),
    removeHistoryDuplicates: true,
  })
  const closed = new AbortController()
  lines.once('close', () => {
    closed.abort()
    if (terminal) output.write('\n')
  })

  const prompt = () => {
    if (terminal && !closed.signal.aborted) lines.prompt(true)
  }
  const print = (text: string) => {
    if (text === '') return
    if (!terminal || closed.signal.aborted) return void output.write(`${text}\n`)
    const { rows } = lines.getCursorPos()
    moveCursor(output, 0, -rows)
    cursorTo(output, 0)
    clearScreenDown(output)
    // Readline goes up by the rows that the half-typed line took before it draws it again: they are put back first.
    output.write(`${text}\n${'\n'.repeat(rows)}`)
    prompt()
  }
  const greet = () => {
    if (terminal) print(`You are ${name} (${you.role}) in ${room}. Say /help for the commands, /quit to leave.`)
  }
  const look = () => ({ width: output.columns || Number.POSITIVE_INFINITY, colour: options.colour && terminal })
  return { lines, terminal, closed: closed.signal, prompt, print, greet, look }
}

const follow = async ({ door, room, after }: TerminalOptions, screen: Screen, own: Set<string>): Promise<void> => {
  const { closed, print, look } = screen
  const calls = new Map<string, string>()
  let cursor = after
  let failures = 0
  const hear = (post: Post) => {
    if (post.position <= cursor) return
    cursor = post.position
    failures = 0
    if (own.has(post.id)) return
    if (post.kind === 'step' && post.step?.state === 'running') return void calls.set(post.step.id, post.text)
    print(show(post, look(), post.step && calls.get(post.step.id)))
    if (post.kind === 'step' && post.step) calls.delete(post.step.id)
  }
  while (!closed.aborted) {
    try {
      await door.follow(room, cursor, hear, closed)
    } catch (error) {
      if (failures === 0) print(warning(`lost the room (${reason(error)}): trying again`, look()))
    }
    await pause(failures++, closed)
  }
}

const createSpeaker = ({ door, room, you }: TerminalOptions, screen: Screen, own: Set<string>) => {
  const { closed, terminal, print, look } = screen

  /** Until the door answers or the person leaves. The same id each time: a line that did arrive is not done again. */
  const send = async (id: string, text: string): Promise<Result<Receipt> | undefined> => {
    for (let failures = 0; ; failures++) {
      const answered = await door.say({ id, room, text }).catch(reason)
      if (typeof answered !== 'string') return answered
      if (closed.aborted) return void print(warning(`never sent (${answered}): ${text}`, look()))
      if (failures === 0) print(warning(`not sent yet (${answered}): kept, and sent again`, look()))
      await pause(failures, closed)
    }
  }

  return async (text: string): Promise<void> => {
    const id = randomUUID()
    own.add(id).add(`${id}.receipt`)
    if (!terminal) print(speech(you.name, text, CYAN, look()))
    const answered = await send(id, text)
    if (!answered) return
    if (!answered.ok) return print(refusalOf(answered.refusal, look()))
    if (answered.value.answer !== null) print(answer(answered.value.answer, look()))
  }
}

/** Commands at the start of a line, agents anywhere. */
const completer =
  ({ commands, agents }: TerminalOptions) =>
  (line: string): [string[], string] => {
    const word = /\S*$/.exec(line)?.[0] ?? ''
    const command = word === line && word.startsWith('/')
    const names = command ? [...commands, 'quit'].map((name) => `/${name} `) : agents.map((id) => `@${id} `)
    return [word === '' ? [] : names.filter((name) => name.startsWith(word)), word]
  }

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const pause = (failures: number, signal: AbortSignal): Promise<unknown> =>
  sleep(Math.min(5000, 100 * 2 ** failures), undefined, { signal }).catch(() => null)

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
