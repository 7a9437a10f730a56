import { Hono } from 'hono'
import { z } from 'zod'
import { jsonSize } from '../lib/json-size.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { Operation } from '../operations/operation.ts'
import { checkInput } from '../operations/parse.ts'
import { shownAs } from '../operations/shown.ts'
import { operations } from '../operations/table.ts'
import { Aimed, Said } from '../shapes/http.ts'
import type { Message } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { peopleOnly, type TurnAway, usersOf } from './admission.ts'
import { bounded } from './bounded.ts'
import { answerJson, answerRefusal } from './guard.ts'
import type { Console, Context, Env } from './house.ts'

/** A line, or a command; and a call of an agent's, which may write a file. */
const BODY_BYTES = 65_536
const CALL_BYTES = 1_048_576

/** The addresses under /api that are made from the table, and the one for lines of chat. */
export const createRoutes = (house: Console, turnAway: TurnAway): Hono<Env> => {
  const app = new Hono<Env>()
  const people = peopleOnly(turnAway)
  const upTo = (bytes: number) =>
    bounded(bytes, (c) =>
      turnAway(c as Context, 'read', refusal('request-too-large', `a request may have ${bytes} bytes`)),
    )
  app.post('/say', upTo(BODY_BYTES), async (c) => {
    const said = await lineFrom(c, house)
    if (!said.ok) return turnAway(c, 'read', said.refusal)
    const receipt = await house.say(said.value)
    return receipt.ok ? answerJson(c, receipt.value) : answerRefusal(c, receipt.refusal)
  })
  for (const row of operations) {
    for (const path of pathsOf(row)) {
      const users = usersOf(row, turnAway)
      if (row.reads) app.get(path, users, (c) => answer(c, house, row, ok(c.req.query())))
      else if (row.agents) app.post(path, users, upTo(CALL_BYTES), async (c) => answer(c, house, row, await bodyOf(c)))
      else
        app.post(path, people, upTo(BODY_BYTES), async (c) => {
          const message = await commandFrom(c, house, row)
          return message.ok ? command(c, house, message.value) : turnAway(c, 'read', message.refusal)
        })
    }
  }
  return app
}

const pathsOf = ({ name, also = [] }: Operation): string[] => [name, ...also].map((one) => `/${one}`)

/** Whether a request would be a message, were it not turned away: what was refused of those is written down. */
export const isMessage = (method: string, path: string): boolean =>
  method === 'POST' &&
  (path === '/api/say' ||
    path === '/api/upload' ||
    operations.some((row) => !row.reads && !row.agents && pathsOf(row).some((one) => path === `/api${one}`)))

/** What only looks, and what an agent does in its own seat, is answered at once. */
const answer = async (
  c: Context,
  house: Console,
  row: Operation,
  given: Result<Record<string, unknown>>,
): Promise<Response> => {
  const principal = c.get('principal')
  const input = given.ok ? checkInput(row, given.value) : given
  const output = input.ok ? await row.run(input.value, house.contextFor(principal, c.req.raw.signal)) : input
  return output.ok ? answerJson(c, output.value as object) : answerRefusal(c, output.refusal)
}

/** What changes something goes through the pipeline, as if it were said in a room; the output is there the first time. */
const command = async (c: Context, house: Console, message: Message): Promise<Response> => {
  const heard: { output?: unknown } = {}
  const receipt = await house.say(message, (output) => {
    heard.output = output
  })
  return receipt.ok ? answerJson(c, { receipt: receipt.value, ...heard }) : answerRefusal(c, receipt.refusal)
}

const lineFrom = async (c: Context, house: Console): Promise<Result<Message>> => {
  const text = await c.req.text()
  if (isTooDeep(text)) return TOO_DEEP
  const said = read(Said, parseJson(text) ?? null, 'body')
  return said.ok ? ok(messageOf(c, house, said.value)) : said
}

const commandFrom = async (c: Context, house: Console, row: Operation): Promise<Result<Message>> => {
  const aimed = read(Aimed, c.req.query(), 'query')
  if (!aimed.ok) return aimed
  const input = await bodyOf(c)
  if (!input.ok) return input
  const text = shownAs(row, input.value)
  return ok({ ...messageOf(c, house, { ...aimed.value, text }), command: { name: row.name, input: input.value } })
}

const messageOf = (c: Context, house: Console, { room, text, id, as }: Said): Message => ({
  id: id ?? house.newId(),
  face: c.get('face'),
  room,
  text,
  credential: { token: c.get('credential').token, as },
})

const Input = z.record(z.string(), z.unknown())

/** The body as the input of an operation; nothing at all is an input without anything in it. */
const bodyOf = async (c: Context): Promise<Result<Record<string, unknown>>> => {
  const text = await c.req.text()
  if (text.trim() === '') return ok({})
  if (isTooDeep(text)) return TOO_DEEP
  const given = parseJson(text)
  return given === undefined ? refused(refusal('request-invalid', 'body: expected JSON')) : read(Input, given, 'body')
}

/** How deep a body may be nested. */
const DEPTH = 64
const TOO_DEEP = refused(refusal('request-invalid', `body: may be nested ${DEPTH} deep`))
const isTooDeep = (text: string): boolean => jsonSize(text).depth > DEPTH

const read = <T extends z.ZodType>(shape: T, given: unknown, what: string): Result<z.output<T>> => {
  const parsed = shape.safeParse(given)
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  return refused(refusal('request-invalid', `${issue?.path.join('.') || what}: ${issue?.message}`))
}
