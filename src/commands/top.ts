import { emitKeypressEvents } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import { Problem } from '../lib/problem.ts'
import type { Result } from '../shapes/result.ts'
import { overview, SORTS, type Sort, summary, type View } from './overview.ts'
import { fail, print } from './print.ts'
import { instanceFor, type Shell } from './shell.ts'
import { look, WIDTH } from './status.ts'

type Flags = { json?: boolean; once?: boolean; interval: string }

const ESC = '\u001b['
const ENTER = `${ESC}?1049h${ESC}?25l`
const LEAVE = `${ESC}?25h${ESC}?1049l`

/** `bellhop top`: the same as `status`, live: on the whole screen of a terminal; line by line where there is none. */
export const topCommand = (command: Command, { withFlags, settingsFrom }: Shell, colour: boolean): void => {
  withFlags(command)
    .description('how everything stands, live: q quits, s sorts, p pauses')
    .option('--json', 'a line of JSON each time')
    .option('--once', 'one look, and no more')
    .option('--interval <seconds>', 'how long to wait between two looks', '1')
    .action(async (flags: Flags) => {
      const ms = intervalOf(flags.interval)
      const left = new AbortController()
      const client = await instanceFor(settingsFrom(flags), left.signal)
      const { stdin, stdout } = process
      const attended = stdin.isTTY && stdout.isTTY && !flags.json && !flags.once
      if (attended) await onScreen(client, left, ms, colour)
      else await byLine(client, flags, ms)
    })
}

const intervalOf = (text: string): number => {
  const seconds = Number(text)
  if (seconds >= 0.1 && seconds <= 3600) return seconds * 1000
  throw new Problem(`--interval ${text} is no number of seconds`, 'give a number from 0.1 to 3600')
}

/** Nothing that answers is reported, and tried again. */
const looked = (client: Client): Promise<Result<View> | Error> => look(client).catch((error: Error) => error)

const byLine = async (client: Client, { json = false, once = false }: Flags, ms: number): Promise<void> => {
  do {
    const seen = await looked(client)
    if (seen instanceof Error && once)
      throw new Problem(`the instance does not answer: ${seen.message}`, 'look at its logs')
    if (!(seen instanceof Error) && !seen.ok) return fail(seen.refusal, json)
    print(json ? JSON.stringify(jsonOf(seen)) : lineOf(seen))
    if (!once) await sleep(ms)
  } while (!once)
}

const jsonOf = (seen: Result<View> | Error): object => {
  if (seen instanceof Error) return { ok: false, message: seen.message }
  return seen.ok ? seen.value : seen.refusal
}

const NO_ANSWER = 'no answer: it may have ended, or begin just now'

const lineOf = (seen: Result<View> | Error): string => {
  if (seen instanceof Error) return NO_ANSWER
  return seen.ok ? summary(seen.value) : seen.refusal.message
}

/** What is on the screen, and how it is looked at. */
type State = { seen: View | null; at: number; trouble: string | null; sort: Sort; paused: boolean }

/** As high as a terminal is taken to be that does not say. */
const HEIGHT = 24

const onScreen = async (client: Client, left: AbortController, ms: number, colour: boolean): Promise<void> => {
  const { stdin, stdout } = process
  const state: State = { seen: null, at: Date.now(), trouble: null, sort: 'age', paused: false }
  const draw = (): void =>
    void stdout.write(frame(state, { width: stdout.columns || WIDTH, height: stdout.rows || HEIGHT, colour }))
  const pressed = (_text: string, { name, ctrl }: { name?: string; ctrl?: boolean }): void => {
    if (name === 'q' || name === 'escape' || (ctrl && name === 'c')) left.abort()
    if (left.signal.aborted) return
    if (name === 's') state.sort = SORTS[(SORTS.indexOf(state.sort) + 1) % SORTS.length] ?? 'age'
    if (name === 'p') state.paused = !state.paused
    draw()
  }
  const leave = (): void => left.abort()
  emitKeypressEvents(stdin)
  stdin.setRawMode(true).resume().on('keypress', pressed)
  stdout.on('resize', draw)
  process.on('SIGTERM', leave)
  stdout.write(ENTER)
  try {
    draw()
    while (!left.signal.aborted) {
      if (!state.paused) Object.assign(state, stateOf(await looked(client), state), { at: Date.now() })
      // An instance that hangs keeps nobody: whoever leaves gives the question up.
      if (left.signal.aborted) break
      draw()
      await sleep(ms, null, { signal: left.signal }).catch(() => {})
    }
  } finally {
    stdout.off('resize', draw)
    process.off('SIGTERM', leave)
    stdin.off('keypress', pressed).setRawMode(false).pause()
    stdout.write(LEAVE)
  }
}

const stateOf = (seen: Result<View> | Error, { seen: before }: State): Pick<State, 'seen' | 'trouble'> => {
  if (seen instanceof Error) return { seen: before, trouble: NO_ANSWER }
  return seen.ok ? { seen: seen.value, trouble: null } : { seen: before, trouble: seen.refusal.message }
}

type Screen = { width: number; height: number; colour: boolean }

/** One picture: as many rows as there is room for, each cleared behind its end, so that nothing of the last one is left. */
const frame = ({ seen, at, trouble, sort, paused }: State, { width, height, colour }: Screen): string => {
  const rows = seen ? overview(seen, { look: { width, colour }, sort, at }) : ['looking…']
  const foot = [
    trouble,
    paused ? 'paused' : null,
    `sorted by ${sort} · q quits · s sorts · p ${paused ? 'goes on' : 'pauses'}`,
  ]
  const last = foot.filter((part) => part !== null).join(' · ')
  const room = Math.max(1, height - 2)
  const shown = rows.length > room ? [...rows.slice(0, room - 1), `… ${rows.length - room + 1} more rows`] : rows
  const filled = [...shown, ...Array.from({ length: Math.max(0, room - shown.length) }, () => '')]
  return `${ESC}H${[...filled, '', [...last].slice(0, width).join('')].map((row) => `${row}${ESC}K`).join('\r\n')}${ESC}J`
}
