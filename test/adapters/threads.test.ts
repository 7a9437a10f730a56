import { PassThrough } from 'node:stream'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTerminal } from '../../adapters/terminal/index.ts'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { portOf } from '../../src/client/port.ts'
import { roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { createProgress } from '../../src/registry/progress.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { Face } from '../../src/shapes/room.ts'
import { openBrowser } from '../support/browser.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { ADA, CLAUDE, must } from '../support/store.ts'

let house: TestHouse
let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  house = await startTestHouse()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})

const client = (face: Face & ('terminal' | 'cli')) => createClient({ url: house.url, token: house.tokens.admin, face })

/** The room of `up` in a terminal that is wide enough for every line. */
const openTerminal = async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 200 })
  let written = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  const leave = new AbortController()
  const left = createTerminal({
    port: portOf(client('terminal')),
    room: 'lobby',
    you: { name: OWNER, role: 'admin', face: 'terminal', via: null },
    input,
    output,
    commands: [],
    agents: [],
    after: await house.store.head(),
    colour: false,
  }).run(leave.signal)
  const see = (what: RegExp) => eventually(`the terminal to show ${what}`, () => what.exec(written))
  const end = async () => {
    leave.abort()
    await left
  }
  return { type: (text: string) => input.write(text), see, end }
}

const answers = (page: Page, number: number) =>
  eventually(`${number} answers on the page`, async () => (await page.locator('.answer').count()) === number)

/** What is being written, by an agent that no worker of ours drives: told as a worker would tell it. */
const write = async (room: string, id: string) => {
  const [turn, session] = [`${id}.claude-1`, `s-${id}`]
  const inSession = (entry: string, body: Body) =>
    sessionDraft({ id: entry, session, room, agent: 'claude-1', author: CLAUDE, body })
  const asked = { event: 'accepted', agent: 'claude-1', room, peripheral: 'explore', request: 'why?' } as const
  must(
    await house.store.append([
      roomDraft({ id, room, author: ADA, body: { event: 'message', text: 'why?' } }),
      inSession(turn, asked),
      inSession(`${turn}.started`, { event: 'turn-started', turn }),
    ]),
  )
  const prefix = `bellhop-${secretsOf(folderAt(house.settings.data)).instance}`
  const progress = createProgress({ redis: house.redis.redis, prefix, redact: (text) => text })
  return {
    say: (text: string) => progress.say({ room, session, step: `${turn}.said-1`, text }),
    end: async (answer: string) =>
      must(
        await house.store.append([
          inSession(`${turn}.ended`, { event: 'turn-ended', turn, outcome: 'done', answer, said: `${turn}.said-1` }),
        ]),
      ),
  }
}

test('a thread that is begun in the terminal is gone on with in the web room and on the command line, and all see all', async () => {
  const terminal = await openTerminal()
  await eventually('an agent to be ready', async () =>
    must(await client('cli').ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  terminal.type('/new claude-1 the kettle\r')
  const [, thread = ''] = await terminal.see(/→ \/enter (t-[0-9a-z]{26})/)
  terminal.type(`/enter ${thread}\rread README.md\r`)
  await terminal.see(/claude-1: rehearsal, no model: README\.md/)

  const page = await browser.context.newPage()
  await page.goto(`${house.url}/?token=${house.tokens.operator}`)
  await page.locator('#switcher summary').click()
  await page.getByRole('link', { name: 'the kettle' }).click()
  await answers(page, 1)
  expect(await page.locator('.exchange > .text').allTextContents()).toEqual(['read README.md'])
  expect(page.url()).toBe(`${house.url}/?room=${thread}`)

  await page.getByRole('textbox').fill('find TODO in src')
  await page.keyboard.press('Enter')
  await terminal.see(/claude-1: rehearsal, no model: “TODO”/)
  await answers(page, 2)
  const { replies } = must(
    await converse(client('cli'), { room: thread, text: 'read src/pour.ts' }, AbortSignal.timeout(20_000)),
  )
  expect(replies.map(({ author }) => author.id)).toEqual(['claude-1'])
  await terminal.see(/claude-1: rehearsal, no model: src\/pour\.ts/)
  await answers(page, 3)

  await house.stopWorker()
  const writing = await write(thread, 'm9')
  await page.getByText('is at work').waitFor()
  await terminal.see(/claude-1 is at work/)
  writing.say('Because it ')
  await page.locator('.writing').getByText('Because it').waitFor()
  await terminal.see(/claude-1: Because it/)
  await writing.end('Because it pours.')
  await page.getByText('Because it pours.').waitFor()
  expect([await page.locator('.writing').count(), await page.locator('.answer').count()]).toEqual([0, 4])
  await terminal.see(/claude-1: Because it pours\./)

  terminal.type('/leave\r')
  await terminal.see(/you are in lobby/)
  must(await client('cli').command('archive', { thread }, { room: 'lobby' }))
  await page.getByText('This thread is archived').waitFor()
  await terminal.end()
})
