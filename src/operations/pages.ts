import { z } from 'zod'
import { nearest } from '../lib/nearest.ts'
import { authorOf } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Page } from '../shapes/tickle.ts'
import { ackDraft, ackId, openPages } from '../tickle/pages.ts'
import { type Context, defineOperation, defineWork } from './operation.ts'

export const pages = defineOperation({
  name: 'pages',
  summary: 'the pages that nobody has answered: agents at work that were not heard of for long',
  example: 'pages',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ pages: z.array(Page) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (_input, { store }) => ok({ pages: await openPages(store) }),
  render: ({ pages }) => pages.map(pageText).join('\n') || 'nobody is paged',
})

const pageText = ({ name, agent, room, why, at, escalated }: Page): string =>
  `${name}: ${agent} in ${room} since ${at}: ${why}${escalated ? '; people were asked' : ''}`

export const ack = defineOperation({
  name: 'ack',
  summary: 'answer a page for an agent: you look after it, and nobody is asked about this silence again',
  example: 'ack kqzfm',
  positional: ['page'],
  input: z.strictObject({
    page: z
      .string()
      .regex(/^[A-Za-z]{1,16}$/, 'expected a name such as "kqzfm"')
      .describe('its five letters'),
  }),
  output: z.strictObject({ page: z.string(), agent: z.string() }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ page: given }, context) => {
    const name = given.toLowerCase()
    const page = (await openPages(context.store)).find((one) => one.name === name)
    if (!page) return refused(await missing(name, context))
    const written = await context.store.append([ackDraft(page, authorOf(context.person))])
    if (written.ok) return ok({ page: name, agent: page.agent })
    return written.refusal.code === 'id-conflict' ? refused(await missing(name, context)) : written
  },
  render: ({ page, agent }) => `${page} is answered: ${agent} is yours to look after`,
})

/** As many pages as are looked at for one that was answered already: the last ones. */
const LATEST = 100

const missing = async (name: string, { store }: Context): Promise<Refusal> => {
  const paged = await store.query({ event: 'paged', limit: LATEST })
  for (const { id, body } of paged.ok ? paged.value.entries : []) {
    if (body?.event !== 'paged' || body.name !== name) continue
    const by = (await store.get(ackId(id)))?.author.id ?? body.agent
    return refusal('page-closed', `${name} was answered before, as ${by} has it`)
  }
  const meant = nearest(
    name,
    (await openPages(store)).map((page) => page.name),
  )
  return refusal('page-unknown', `there is no page ${name}${meant === null ? '' : `; did you mean ${meant}?`}`)
}

export const tickle = defineWork({
  name: 'tickle',
  summary: 'have Tickle look now: scan says how every agent stands, page AGENT WHY pages one, cycle does a whole round',
  example: 'tickle scan',
  positional: ['action', 'about'],
  rest: 'about',
  input: z.strictObject({
    action: z.enum(['scan', 'page', 'cycle']).default('scan').describe('what it is to do'),
    about: z.string().max(500).default('').describe('of page: the agent, and why'),
  }),
  gives: ({ action, about }) => ({
    agent: 'tickle',
    peripheral: 'mission-control',
    request: `tickle ${action} ${about}`.trim(),
  }),
})
