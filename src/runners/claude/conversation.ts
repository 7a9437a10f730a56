import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { steadyClock } from '../../lib/clock.ts'
import type { Failure } from '../../shapes/runner.ts'
import { failed } from '../failures.ts'
import type { Program } from '../program.ts'
import type { Conversation, Finish, Landing } from '../runner.ts'
import { type Answer, createControl } from './control.ts'
import { endOf, failureOf } from './failures.ts'
import { foreignIn, type Sight, sightOf, wrongIn } from './sight.ts'
import { createTurn, type Turn } from './turn.ts'
import { type Init, type Line, readLine, refusingLine, userLine } from './wire.ts'

type Parts = {
  id: string
  resumed: boolean
  /** The model that it was started with; null is the program's own choice. */
  model: string | null
}

/** How long a turn has that was asked to stop, before the program is ended; and the program, to end by itself. */
const STOP_MS = 2000
const GRACE_MS = 500
const ASK_MS = 10_000
/** How long a model may take to say that it is there: that is asked when it is changed. */
const MODEL_MS = 60_000
/** How long it has to start, where others start, too; and how often it is asked whether it is ready. */
const START_MS = 60_000
const LOOK_MS = 50

/**
 * A conversation: one process of the program, to which lines are written and which writes lines. It is made before the
 * process is, since it hears it from the first line on.
 */
export const createConversation = ({ id, resumed, model: own }: Parts) => {
  const windows = new Map<string, number>()
  const control = createControl((line) => program?.write(line) ?? false)
  let program: Program | null = null
  let turn: Turn | null = null
  let model = own
  /** Whether it has said in this turn which tools it has; and those that are not ours. */
  let looked = false
  let foreign: string[] = []
  let tools: string[] = []
  let gone: Failure | null = null
  let lost: Promise<Failure> = Promise.resolve(failed('crashed', 'the program was not started'))

  const heard = (text: string): void => {
    const line = readLine(text)
    if (line?.type === 'control_response') control.heard(line)
    else if (line?.type === 'control_request') program?.write(refusingLine(line.request_id))
    else hear(line)
  }

  const hear = (line: Line | null): void => {
    if (line?.type === 'system') look(line)
    if (line?.type === 'stream_event' && !looked) cutOff('it did not say which tools it has')
    if (line?.type === 'result') learn(line)
    turn?.take(line)
  }

  const look = (init: Init): void => {
    looked = true
    foreign = foreignIn(init.tools)
    const wrong = wrongIn(init)
    if (wrong !== null) cutOff(wrong)
  }

  /** A program that has other tools than ours, or does not say it, is not asked to stop: it is ended. */
  const cutOff = (wrong: string): void => {
    turn?.fail(breach(wrong))
    void program?.end(0)
  }

  const learn = ({ modelUsage }: Extract<Line, { type: 'result' }>): void => {
    for (const [name, { contextWindow }] of Object.entries(modelUsage ?? {}))
      if (contextWindow) windows.set(name, contextWindow)
  }

  const isOpen = (): boolean => program !== null && !program.isOver()

  const follow = (started: Program): void => {
    program = started
    lost = started.ended.then(({ how, complaint }) => {
      gone = endOf(how, complaint)
      turn?.lost(gone)
      control.end()
      return gone
    })
  }

  /** What stands against speaking to it, once it has started; null where nothing does. */
  const ready = async (): Promise<Failure | null> => {
    const late = steadyClock() + START_MS
    while (isOpen() && steadyClock() < late) {
      const sight = await see(late - steadyClock())
      if (sight?.state === 'ready') return null
      if (sight?.state === 'wrong') return breach(sight.wrong)
      await setTimeout(LOOK_MS)
    }
    return isOpen() ? failed('hung', 'the program did not start in time') : lost
  }

  const see = async (ms: number): Promise<Sight | null> => {
    const sight = isOpen() ? sightOf(await control.ask({ subtype: 'mcp_status' }, ms)) : null
    tools = sight?.tools ?? tools
    return sight
  }

  /** Resolves when the program has the line, or has ended. */
  const tell = (now: Turn, text: string): Promise<void> => {
    const name = randomUUID()
    const taken = now.add(name)
    program?.write(userLine(name, text))
    return taken
  }

  const speak: Conversation['speak'] = async (text, { model: wanted, heard: listen }) => {
    assertWords(text)
    if (turn) throw new Error(`the conversation ${id} was spoken to while it is at work`)
    if (!isOpen()) return { kind: 'failed', failure: gone ?? failed('crashed', 'the program has ended') }
    const now = createTurn({ heard: listen, windows })
    turn = now
    looked = false
    const finish = await speakIn(now, text, wanted)
    turn = null
    return finish
  }

  const speakIn = async (now: Turn, text: string, wanted: string | null): Promise<Finish> => {
    const objection = await choose(wanted ?? own)
    if (objection || now.isStopping()) now.lost(objection ?? STOPPED)
    if (!now.isOver()) void tell(now, text)
    return now.over
  }

  const choose = async (wanted: string | null): Promise<Failure | null> => {
    if (wanted === model) return null
    const answer = await control.ask({ subtype: 'set_model', model: wanted ?? 'default' }, MODEL_MS)
    if (answer?.subtype !== 'success') return answer ? objectionOf(answer) : (gone ?? NO_ANSWER)
    model = wanted
    return null
  }

  const steer = async (text: string): Promise<Landing | null> => {
    assertWords(text)
    const now = turn
    if (!now?.isUnderWay() || now.isStopping() || !isOpen()) return null
    await Promise.race([tell(now, text), setTimeout(ASK_MS, null, { ref: false })])
    if (now.isOver()) return null
    return now.isInTool() ? 'after-step' : 'after-answer'
  }

  const interrupt = async (): Promise<void> => {
    const now = turn
    if (!now || now.isOver()) return
    now.stop()
    void control.ask({ subtype: 'interrupt', cancel_queued: true }, STOP_MS)
    await Promise.race([now.over, setTimeout(STOP_MS, null, { ref: false })])
    if (!now.isOver()) await program?.end(0)
    await now.over
  }

  const toolsNow = async (): Promise<string[]> => {
    await see(ASK_MS)
    return [...tools, ...foreign].sort()
  }

  const close = async (): Promise<void> => {
    await interrupt()
    program?.hangUp()
    await program?.end(GRACE_MS)
  }

  const conversation: Conversation = { id, resumed, speak, steer, interrupt, tools: toolsNow, close, isOpen }
  return { conversation, heard, follow, ready }
}

const STOPPED = failed('crashed', 'it was stopped before it began')
const NO_ANSWER = failed('network', 'whether there is such a model could not be found out in time')

const breach = (wrong: string): Failure => failed('wall', `behind its wall ${wrong}`)

const objectionOf = ({ error, error_code: code }: NonNullable<Answer>): Failure =>
  failureOf({ text: error ?? '', code }, Date.now())

/** What is said to a model never looks like a command to the program, whatever it would do with one. */
const assertWords = (text: string): void => {
  if (text.startsWith('/')) throw new Error('what is said to the program begins with a slash')
}
