import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { OWNER } from '../support/gateway.ts'
import type { Person } from '../support/irc-person.ts'
import { type Ngircd, startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, hears, ircNetwork, pairs, type Rooms, saidTo, startRooms } from '../support/rooms.ts'
import { linesIn, PATIENT } from './page.ts'

/** Works until it is told that it is enough. */
const SLOW = `import { existsSync } from 'node:fs'
const timer = setInterval(() => existsSync('enough') && clearInterval(timer), 50)
`

let server: Ngircd
let rooms: Rooms
let ada: Person
const browsers: Awaited<ReturnType<typeof openBrowser>>[] = []
/** Somebody at Now, and somebody else, in a browser of her own, in the room. */
let grace: Page
let iris: Page
const failed: string[] = []

const openAs = async (browser: number, name: string, role: 'viewer' | 'approver' | 'admin', path: string) => {
  browsers[browser] ??= await openBrowser()
  const token = await rooms.mint({ kind: 'person', name, role })
  const page = (await browsers[browser]?.context.newPage()) as Page
  page.on('pageerror', (error) => failed.push(error.message))
  await page.goto(new URL(`/?token=${token}`, rooms.url).href)
  if (path !== '/') await page.goto(new URL(path, rooms.url).href)
  return page
}

beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
  rooms = await startRooms({
    networks: { home: ircNetwork(server, { '#team': 'lobby' }) },
    config: {
      rooms: [{ id: 'lobby', faces: ['web', 'cli', 'api'], mode: 'execute', listener: null }],
      profile: 'careful',
      drainMs: 1000,
    },
    inWorkspace: (folder) => writeFileSync(join(folder, 'slow.mjs'), SLOW),
  })
  ada = await comesTo(server, 'ada')
  await pairs(rooms, ada)
  grace = await openAs(0, 'grace', 'approver', '/now')
  iris = await openAs(1, 'iris', 'admin', '/')
})
afterAll(async () => {
  for (const browser of browsers) await browser[Symbol.asyncDispose]()
  await rooms[Symbol.asyncDispose]()
  await server.stop()
})

/** Somebody on IRC has an agent ask for a file, and everybody reads that it asks. */
const asks = async (file: string): Promise<string> => {
  ada.say('#team', `!edit @codex-1 create ${file} with "new"`)
  const asked = await hears(ada, new RegExp(`^codex-1 asks to change ${file} with write; .* → !approve \\w+ or !deny`))
  return /!approve (\w+)/.exec(asked)?.[1] ?? ''
}

const decisionsOn = async (approval: string) =>
  (await rooms.entries({ event: 'approval-decided' })).flatMap(({ body, author }) =>
    body?.event === 'approval-decided' && body.approval === approval ? [[author.id, body.decision] as const] : [],
  )

describe('two browsers and an IRC client in one room', () => {
  test('see the same work, whoever asked for it', async () => {
    const name = await asks('one.txt')
    await expect
      .poll(() => grace.locator('.approval .asked').allTextContents(), PATIENT)
      .toEqual(['codex-1 asks to change one.txt with write'])
    await iris.getByRole('group', { name: `Approval ${name}` }).waitFor()
    await iris.getByText('create one.txt with "new"').first().waitFor()
    await expect
      .poll(() => linesIn(grace.locator('.health-now li').last()), PATIENT)
      .toEqual([[expect.stringMatching(/^home connected/)]])
    expect(await grace.locator('.health-now .dot').last().getAttribute('data-up')).toBe('true')
    expect(await grace.locator('.agent .state').first().textContent()).toContain('idle')
  })

  test('race to decide: one does, everybody reads who, and who came too late is told so', async () => {
    const [{ approval = '' } = {}] = (await rooms.entries({ event: 'approval-asked' })).flatMap(({ body }) =>
      body?.event === 'approval-asked' ? [body] : [],
    )
    const button = { name: `Approve ${approval}` }
    // Held before anybody presses: a button may be gone by the time that it is pressed.
    const buttons = await Promise.all([grace, iris].map((page) => page.getByRole('button', button).elementHandle()))
    await Promise.all([
      ...buttons.map((one) => one?.evaluate((element) => (element as unknown as { click: () => void }).click())),
      ada.say('#team', `!deny ${approval} not today`),
    ])
    const [[winner, decision], ...others] = await eventually('a decision', async () => {
      const found = await decisionsOn(approval)
      return found[0] && (found as [(typeof found)[0], ...typeof found])
    })
    expect(others).toEqual([])
    const note = winner === OWNER ? ': not today' : ''
    const line = `${winner} ${decision} ${approval}`
    const late = `${approval} was ${decision} by ${winner}`
    const justNow = `${approval} was decided by somebody else just now`
    const isEither = (texts: string[]) => new RegExp(`^(?:${texts.join('|')})`)
    const whoWas = (one: string) => isEither(one === winner ? [line] : [line, late, justNow])
    await hears(ada, `${line}${note}`)
    const own = await eventually('ada to be answered', () =>
      saidTo(ada).find((text) => text.startsWith(`ada: ${approval} `)),
    )
    expect(own).toMatch(winner === OWNER ? /^ada: \w+ is denied/ : isEither([`ada: ${late}`, `ada: ${justNow}`]))
    await expect.poll(() => grace.locator('.told').textContent(), PATIENT).toMatch(whoWas('grace'))
    await expect.poll(() => grace.locator('.approval').count(), PATIENT).toBe(0)
    await expect
      .poll(
        () =>
          iris
            .getByRole('group', { name: `Approval ${approval}` })
            .locator('.outcome')
            .textContent(),
        PATIENT,
      )
      .toContain(`${winner} ${decision}`)
    expect(await iris.getByRole('button', button).count()).toBe(0)
    expect((await decisionsOn(approval)).length).toBe(1)
  })

  test('have no buttons where they only look on', async () => {
    const name = await asks('two.txt')
    const vic = await openAs(0, 'vic', 'viewer', '/now')
    await expect
      .poll(() => linesIn(vic.locator('.approval')), PATIENT)
      .toEqual([
        [
          'codex-1 asks to change two.txt with write',
          expect.any(String),
          name,
          'lobby',
          expect.stringMatching(/^until /),
          'An approver decides.',
        ],
      ])
    expect(await vic.getByRole('main').getByRole('button').count()).toBe(0)
    await vic.goto(rooms.url)
    const card = vic.getByRole('group', { name: `Approval ${name}` })
    await card.waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
    await vic.close()
    ada.say('#team', `!approve ${name}`)
    await expect.poll(() => grace.locator('.told').textContent(), PATIENT).toBe(`${OWNER} approved ${name}`)
    await hears(ada, /^codex-1: ada: rehearsal, no model: .*two\.txt/)
  })

  test('can all go: work goes on, and is there when somebody looks again', async () => {
    ada.say('#team', '!edit @codex-1 use run {"argv":["node","slow.mjs"]}')
    const asked = await hears(ada, /^codex-1 asks to run node slow\.mjs.* → !approve \w+/)
    ada.say('#team', `!approve ${/!approve (\w+)/.exec(asked)?.[1]}`)
    await expect.poll(() => grace.locator('.step:visible').allTextContents(), PATIENT).toEqual(['run node slow.mjs'])
    await grace.close()
    await iris.close()
    writeFileSync(join(rooms.settings.workspace, 'enough'), '')
    const answer = await hears(ada, /^codex-1: ada: rehearsal, no model: .*slow\.mjs/)
    iris = await openAs(1, 'iris', 'admin', '/')
    await iris
      .getByText(answer.replace('codex-1: ada: ', '').split('. ')[0] ?? '')
      .first()
      .waitFor()
    grace = await openAs(0, 'grace', 'approver', '/now')
    await expect.poll(() => grace.locator('.agent .state').nth(1).textContent(), PATIENT).toBe('idle')
    expect(failed).toEqual([])
  })
})
