import { randomUUID } from 'node:crypto'
import type { Capabilities, ChatAdapter, ChatPort } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Result } from '../../src/shapes/result.ts'
import { placesIn } from './places.ts'
import { CYAN } from './rows.ts'
import { openScreen, type Screen, type ScreenOptions } from './screen.ts'
import { answer, refusalOf, speech, warning, whisper } from './translate.ts'
import { createVisit, pause, reason } from './visit.ts'

export type TerminalOptions = Omit<ScreenOptions, 'complete'> & {
  port: ChatPort
  /** Names for completion, without their `/` and `@`. */
  commands: readonly string[]
  agents: readonly string[]
  /** The position to show posts after: 0 for the room from its beginning. */
  after: number
}

/** What was printed stays as it is. Whoever sits there reads alone, and no text is too long for them. */
export const capabilities: Capabilities = {
  edits: false,
  threads: true,
  buttons: false,
  whispers: true,
  files: false,
  most: null,
}

/** A room in a terminal; or, where there is none, line by line. It runs until the person leaves or the signal ends it. */
export const createTerminal = (options: TerminalOptions): ChatAdapter => ({
  run: async (signal) => {
    const interrupt = new AbortController()
    const left = AbortSignal.any([signal, interrupt.signal])
    const answered = new AbortController()
    const over = AbortSignal.any([left, answered.signal])
    const screen = openScreen({ ...options, complete: completer(options) })
    const visit = createVisit({ ...options, screen, over })
    const obey = createCommands(options, screen, visit)
    let saying = Promise.resolve()

    screen.lines.on('line', (typed) => {
      const text = typed.trim()
      if (text === '/quit') return screen.lines.close()
      if (text !== '') saying = saying.then(() => obey(text))
      screen.prompt()
    })
    screen.lines.on('SIGINT', () => interrupt.abort())
    // What was said before leaving still gets its answer; an interrupt does not wait for it.
    screen.lines.once('close', () => void saying.finally(() => answered.abort()))
    left.addEventListener('abort', () => screen.lines.close())
    if (left.aborted) screen.lines.close()

    screen.greet()
    visit.begin()
    await ended(over)
  },
})

/** The commands of the terminal itself, beside those of the house. */
const OWN = {
  enter: 'go to another room or thread; alone, says which there are',
  leave: 'go back to where you were before',
  quit: 'end it, and all that was started with it',
}

type Visit = ReturnType<typeof createVisit>

/** Does what a line says: one of the terminal's own commands, or else the house hears it. */
const createCommands = (options: TerminalOptions, screen: Screen, visit: Visit) => {
  const say = createSpeaker(options, screen, visit)
  const list = async (): Promise<void> => {
    const places = await placesIn(options.port).catch(() => [])
    screen.print(answer(places.map(({ id, what }) => `/enter ${id}  ${what}`).join('\n'), screen.look()))
  }
  const help = Object.entries(OWN).map(([name, what]) => `/${name}${name === 'enter' ? ' [ROOM]' : ''}: ${what}`)

  return async (text: string): Promise<void> => {
    const [command, room, ...more] = text.split(/\s+/)
    if (command === '/enter' && more.length === 0) return room === undefined ? list() : visit.enter(room)
    if (text === '/leave') return visit.leave()
    await say(text)
    if (text === '/help') screen.print(answer(`In this terminal:\n${help.join('\n')}`, screen.look()))
  }
}

const createSpeaker = ({ port, you }: TerminalOptions, screen: Screen, visit: Visit) => {
  const { closed, terminal, print, look } = screen

  /** Until the house answers or the person leaves. The same id each time: a line that did arrive is not done again. */
  const send = async (id: string, room: string, text: string): Promise<Result<Receipt> | undefined> => {
    for (let failures = 0; ; failures++) {
      const answered = await port.say({ id, room, text }).catch(reason)
      if (typeof answered !== 'string') return answered
      if (closed.aborted) return void print(warning(`never sent (${answered}): ${text}`, look()))
      if (failures === 0) print(warning(`not sent yet (${answered}): kept, and sent again`, look()))
      await pause(failures, closed)
    }
  }

  return async (text: string): Promise<void> => {
    const id = randomUUID()
    visit.own().add(id).add(`${id}.receipt`)
    if (!terminal) print(speech(you.name, text, CYAN, look()))
    const answered = await send(id, visit.room(), text)
    if (!answered) return
    if (!answered.ok) return print(refusalOf(answered.refusal, look()))
    const { answer: told, whisper: whispered } = answered.value
    if (told !== null) print(answer(told + wayTo(text, told), look()))
    if (whispered !== undefined) print(whisper(whispered, look()))
  }
}

/** A thread that was begun just now: how to go there. */
const wayTo = (text: string, answered: string): string => {
  const [thread] = /^t-[0-9a-z]+/.exec(answered) ?? []
  return thread && /^\/(?:new|fork)\b/.test(text) ? `\n→ /enter ${thread}` : ''
}

/** Commands at the start of a line, agents anywhere; after `/enter`, where one can go. */
const completer =
  ({ commands, agents, port }: TerminalOptions) =>
  async (line: string): Promise<[string[], string]> => {
    const word = /\S*$/.exec(line)?.[0] ?? ''
    const among = (names: readonly string[]): [string[], string] => [
      names.map((name) => `${name} `).filter((name) => name.startsWith(word)),
      word,
    ]
    if (/^\/enter\s+\S*$/.test(line)) return among((await placesIn(port)).map(({ id }) => id))
    if (word === '') return [[], word]
    if (word !== line || !word.startsWith('/')) return among(agents.map((id) => `@${id}`))
    return among([...commands, ...Object.keys(OWN)].map((name) => `/${name}`))
  }

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
