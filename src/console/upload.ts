import { readFile } from 'node:fs/promises'
import type { Hono, Next } from 'hono'
import { UploadWanted } from '../shapes/http.ts'
import { refusal } from '../shapes/refusal.ts'
import { peopleOnly, type TurnAway } from './admission.ts'
import { bounded } from './bounded.ts'
import { answerJson, answerRefusal } from './guard.ts'
import type { Console, Context, Env } from './house.ts'

const FILE_BYTES = 10_000_000

/** Files that are in memory at once, of everybody together. */
const AT_ONCE = 8

/** Files that people bring to a room, one to a request; and the way to have one back. */
export const addUploads = (app: Hono<Env>, house: Console, turnAway: TurnAway): void => {
  const people = peopleOnly(turnAway)
  const tooLarge = refusal('request-too-large', `a file may have ${FILE_BYTES} bytes`)
  const upTo = bounded(FILE_BYTES, (c) => turnAway(c as Context, 'read', tooLarge))
  let underWay = 0

  /** Who may not bring a file is told before any of it is read. */
  const mayBring = async (c: Context, next: Next): Promise<Response | undefined> => {
    const wanted = UploadWanted.safeParse(c.req.query())
    if (!wanted.success) return turnAway(c, 'read', invalid(wanted.error))
    const objection = await house.mayBring(wanted.data.room, c.get('principal').person)
    if (objection) return turnAway(c, 'presence', objection)
    if (underWay >= AT_ONCE) {
      c.header('retry-after', '1')
      return turnAway(c, 'read', refusal('rate-exceeded', `${AT_ONCE} files are on their way already`))
    }
    underWay += 1
    try {
      await next()
    } finally {
      underWay -= 1
    }
    return undefined
  }

  app.post('/api/upload', people, mayBring, upTo, async (c) => {
    const { room, name } = UploadWanted.parse(c.req.query())
    const content = Buffer.from(await c.req.arrayBuffer())
    const brought = await house.bring({ room, person: c.get('principal').person, name, content })
    return brought.ok ? answerJson(c, brought.value) : turnAway(c, 'presence', brought.refusal)
  })

  // It is handed out to be kept, and never shown as a page: nobody knows what is in it.
  app.get('/api/upload', people, async (c) => {
    const wanted = UploadWanted.safeParse(c.req.query())
    if (!wanted.success) return answerRefusal(c, invalid(wanted.error))
    const { room, name } = wanted.data
    const real = await house.brought(room, c.get('face'), name)
    if (!real.ok) return answerRefusal(c, real.refusal)
    return c.body(await readFile(real.value), 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    })
  })
}

const invalid = ({ issues: [issue] }: { issues: { path: PropertyKey[]; message: string }[] }) =>
  refusal('request-invalid', `${issue?.path.join('.') || 'query'}: ${issue?.message}`)
