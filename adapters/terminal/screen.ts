import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline'
import type { Person } from '../../src/shapes/person.ts'
import { clean, type Look } from './rows.ts'

export type ScreenOptions = {
  room: string
  you: Person
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number }
  /** Whether colours are wanted; what is no terminal gets none in any case. */
  colour: boolean
  /** What the end of a line could become, and how much of it that would replace. */
  complete: (line: string) => Promise<[string[], string]>
}

export type Screen = ReturnType<typeof openScreen>

/** As many rows as what is being written takes, and how many it leaves to the rest. */
const LIVE_ROWS = 6
const OTHER_ROWS = 8
/** As many as a terminal has that does not say. */
const USUAL_ROWS = 24

/** A prompt at the bottom, above it what is being written just now, and above that everything that is printed. */
export const openScreen = ({ input, output, you, room, colour, complete }: ScreenOptions) => {
  const terminal = input.isTTY === true && output.isTTY === true
  const name = clean(you.name)
  const lines = createInterface({
    input,
    output,
    terminal,
    completer: completerOf(complete),
    removeHistoryDuplicates: true,
  })
  const closed = new AbortController()
  let here = room
  /** What is being written is a part of the prompt: so readline moves, erases and redraws it with the line. */
  let live: readonly string[] = []

  const setPrompt = () => lines.setPrompt([...live, `${name}@${labelOf(here)}> `].join('\n'))
  const prompt = () => {
    if (terminal && !closed.signal.aborted) lines.prompt(true)
  }
  /** Draws the prompt again, with what stands above it by now. */
  const redraw = (rows: readonly string[], below: number) => {
    live = rows
    setPrompt()
    // Readline goes up by as many rows as it drew last: of a line that was pasted it does not know how many that are.
    Object.assign(lines, { prevRows: below })
    prompt()
  }
  const print = (text: string, rows = live) => {
    if (text === '') return show(rows)
    if (!terminal || closed.signal.aborted) return void output.write(`${text}\n`)
    const below = lines.getCursorPos().rows
    moveCursor(output, 0, -below)
    cursorTo(output, 0)
    clearScreenDown(output)
    // The rows that it will go up by are put back first.
    output.write(`${text}\n${'\n'.repeat(below)}`)
    redraw(rows, below)
  }
  const show = (rows: readonly string[]) => {
    if (terminal && (rows.length > 0 || live.length > 0)) redraw(rows, lines.getCursorPos().rows)
  }

  // A line that is sent stays where it is: without what stood above it, which goes on below.
  const press = (_text: string, key?: Key) => isEnd(key) && show([])
  if (terminal) input.prependListener('keypress', press)
  lines.once('close', () => {
    closed.abort()
    input.off('keypress', press)
    if (terminal) output.write('\n')
  })
  setPrompt()

  return {
    lines,
    terminal,
    closed: closed.signal,
    prompt,
    print,
    show,
    greet: () => {
      if (terminal) print(`You are ${name} (${you.role}) in ${room}. Say /help for the commands, /quit to end it.`)
    },
    /** Where one is by now: the prompt says so. */
    enter: (place: string, text: string) => {
      here = place
      print(text, [])
    },
    look: (): Look => ({ width: output.columns || Number.POSITIVE_INFINITY, colour: colour && terminal }),
    /** How many rows there are for what is being written. */
    liveRows: () => Math.max(1, Math.min(LIVE_ROWS, (output.rows || USUAL_ROWS) - OTHER_ROWS)),
  }
}

type Key = { name?: string; ctrl?: boolean }

/** Whether a key ends the line, or the terminal. */
const isEnd = ({ name, ctrl }: Key = {}): boolean =>
  name === 'return' || name === 'enter' || (ctrl === true && (name === 'c' || name === 'd'))

type Completed = (error: Error | null, result?: [string[], string]) => void

const completerOf = (complete: ScreenOptions['complete']) => (line: string, done: Completed) => {
  complete(line).then(
    (found) => done(null, found),
    () => done(null, [[], line]),
  )
}

const LONG = 16

/** The id of a thread is long: its end tells it from others, the beginning is the time. */
const labelOf = (room: string): string => (room.length <= LONG ? room : `${room.slice(0, 2)}…${room.slice(-6)}`)
