import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { createTerminal } from '../../adapters/terminal/index.ts'
import { createClient } from '../../src/client/client.ts'
import { portOf } from '../../src/client/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import { ProblemDetails, refusalOf } from '../../src/shapes/problem-details.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import type { Face } from '../../src/shapes/room.ts'
import type { TestHouse } from '../support/gateway.ts'
import { OWNER } from '../support/gateway.ts'

export type Line = { id?: string; text: string; as?: string }

/** Somebody who speaks through a face, with the token of an operator: what each line was answered. */
export type Speaker = { face: Face; say: (lines: readonly Line[]) => Promise<Result<Receipt>[]> }

const ROOM = 'lobby'

/** Every face there is, as it really is: a browser's cookie, a terminal on a stream, the client of the command line, HTTP. */
export const facesOf = (house: TestHouse, token = house.tokens.operator): Speaker[] => [
  overHttp('api', house, { authorization: `Bearer ${token}` }),
  throughClient(house, token),
  inTerminal(house, token),
  inBrowser(house, token),
]

const oneByOne =
  (say: (line: Line) => Promise<Result<Receipt>>): Speaker['say'] =>
  async (lines) => {
    const answers: Result<Receipt>[] = []
    for (const line of lines) answers.push(await say(line))
    return answers
  }

const overHttp = (face: Face, house: TestHouse, headers: Record<string, string>): Speaker => ({
  face,
  say: oneByOne(async (line) => {
    const body = JSON.stringify({ room: ROOM, ...line })
    const response = await fetch(new URL('/api/say', house.url), { method: 'POST', headers, body })
    const value: unknown = await response.json()
    return response.ok ? ok(value as Receipt) : refused(refusalOf(ProblemDetails.parse(value)))
  }),
})

/** The link that `up` prints is opened once; from then on there is a cookie. */
const inBrowser = (house: TestHouse, token: string): Speaker => ({
  face: 'web',
  say: async (lines) => {
    const opened = await fetch(new URL(`/?token=${token}`, house.url), { redirect: 'manual' })
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    return overHttp('web', house, { cookie, origin: new URL(house.url).origin }).say(lines)
  },
})

const throughClient = ({ url }: TestHouse, token: string): Speaker => {
  const client = createClient({ url, token, face: 'cli' })
  return { face: 'cli', say: oneByOne((line) => client.say({ room: ROOM, ...line })) }
}

/** A person types, line by line; a terminal has no way to choose an id, or to be somebody else. */
const inTerminal = ({ url }: TestHouse, token: string): Speaker => ({
  face: 'terminal',
  say: async (lines) => {
    const client = createClient({ url, token, face: 'terminal' })
    const answers: Result<Receipt>[] = []
    const input = new PassThrough()
    const output = new PassThrough().resume()
    const terminal = createTerminal({
      port: {
        ...portOf(client),
        say: async ({ id, room, text }) => {
          const answer = await client.say({ id, room, text })
          answers.push(answer)
          if (answers.length === lines.length) input.end()
          return answer
        },
        follow: async (_room, _after, _show, signal) => {
          if (!signal.aborted) await once(signal, 'abort')
        },
      },
      room: ROOM,
      you: { name: OWNER, role: 'operator', face: 'terminal', via: null },
      input,
      output,
      commands: [],
      agents: [],
      after: 0,
      colour: false,
    })
    for (const { text } of lines) input.write(`${text}\n`)
    await terminal.run(new AbortController().signal)
    return answers
  },
})
