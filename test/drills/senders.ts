import { setTimeout } from 'node:timers/promises'
import { within } from '../../src/lib/within.ts'
import { Receipt } from '../../src/shapes/message.ts'
import { ProblemDetails } from '../../src/shapes/problem-details.ts'
import { isPassing, type RefusalCode } from '../../src/shapes/refusal.ts'
import type { Chance } from './chance.ts'
import type { House } from './house.ts'
import { askFor, stepsOf } from './work.ts'

/** A line as its sender knows it: what was asked for, and what it was answered in the end. */
export type Sent = {
  id: string
  sender: string
  room: string
  agent: string
  steps: readonly string[]
  /** How often it was said until it was answered. */
  said: number
  /** The codes of what passed by itself. */
  passing: readonly string[]
} & Answer

type Options = {
  count: number
  lines: number
  chance: Chance
  /** How many steps a line asks for, and how long each of them takes. */
  steps?: number
  stepMs?: number
  /** A pause between two lines, at most. */
  pauseMs?: number
  /** How long an answer is waited for before a line is said again. */
  patienceMs?: number
  /** Once it is over, nothing new is said; what was said is said until it is answered. */
  over?: AbortSignal
}

const AGAIN_MS = 50
const PATIENCE_MS = 5000

/** Says lines by HTTP, each sender one after the other, and each line until it is answered; however hurt the house is. */
export const send = async (house: House, options: Options): Promise<Sent[]> => {
  const names = Array.from({ length: options.count }, (_, i) => `sender${i}`)
  return (await Promise.all(names.map((name) => sender(house, name, options)))).flat()
}

const sender = async (house: House, name: string, options: Options): Promise<Sent[]> => {
  const { lines, steps = 1, stepMs = 20, pauseMs = 0, chance, over } = options
  const sent: Sent[] = []
  for (let n = 0; n < lines && !(over?.aborted && n > 0); n++) {
    const id = `${name}-${n}`
    const line = { id, sender: name, room: chance.pick(house.rooms), agent: chance.pick(house.agents) }
    const asked = { ...line, steps: stepsOf(id, steps) }
    sent.push(await until(house, asked, askFor(asked.agent, asked.steps, stepMs), options))
    if (pauseMs > 0) await setTimeout(chance.between(0, pauseMs))
  }
  return sent
}

type Asked = Pick<Sent, 'id' | 'sender' | 'room' | 'agent' | 'steps'>

const until = async (house: House, asked: Asked, text: string, { chance, patienceMs }: Options): Promise<Sent> => {
  const passing: string[] = []
  for (let said = 1; ; said++) {
    const answer = await sayOnce(house, asked, text, { url: chance.pick(house.urls), patienceMs })
    // It is said again with the same id, as a network would: nobody has answered it for good.
    const passes = answer?.kind === 'refused' && isPassing(answer)
    if (answer && !passes) return { ...asked, said, passing, ...answer }
    if (answer?.kind === 'refused') passing.push(answer.code)
    await setTimeout(AGAIN_MS)
  }
}

type Answer = { kind: 'accepted'; receipt: Receipt } | { kind: 'refused'; code: RefusalCode }

const sayOnce = async (
  { secrets }: House,
  { id, room, sender }: Asked,
  text: string,
  { url, patienceMs = PATIENCE_MS }: { url: string; patienceMs?: number | undefined },
): Promise<Answer | null> => {
  const say = async () => {
    const response = await fetch(`${url}/api/say`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secrets.admin}`,
        'bellhop-face': 'cli',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ id, room, text, as: sender }),
    })
    return { response, body: (await response.json()) as unknown }
  }
  try {
    // By a timer of our own, and not by a signal: there was a run in which requests to one who was killed never ended, with no
    // timer left that could have ended them.
    const { response, body } = await within(patienceMs, say())
    if (response.ok) return { kind: 'accepted', receipt: Receipt.parse(body) }
    return { kind: 'refused', code: ProblemDetails.parse(body).code }
  } catch {
    return null
  }
}
