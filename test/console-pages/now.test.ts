import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { OWNER } from '../support/gateway.ts'
import { must } from '../support/store.ts'
import { isTooWide, linesIn, openPages, PATIENT } from './page.ts'

/** Says a line every now and then, until it is told to end. */
const SLOW = `import { existsSync } from 'node:fs'
let n = 0
const timer = setInterval(() => {
  console.log(\`cup \${++n} of tea\`)
  if (existsSync('enough')) clearInterval(timer)
}, 100)
`

const CONFIG = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore, budget: { day: { tokens: 5000 } } }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: edit }
  - { id: tickle-1, type: tickle, runner: rehearsal, peripheral: explore, peripherals: [explore, test] }
networks:
  home: { kind: irc, host: 127.0.0.1, port: 9, tls: false, channels: { "#team": lobby } }
`

const INSTALL = { argv: ['npm', 'install', 'zod'], escalate: { why: 'it parses' } }
const EDIT =
  'read list glob grep edit multi-edit apply-patch write run terminal evidence hop bell whistle park pattern-search pattern-read'

let pages: Awaited<ReturnType<typeof openPages>>
let page: Page
const say = async (text: string, room = 'lobby') =>
  must(await createClient({ url: pages.house.url, token: pages.house.tokens.admin, face: 'cli' }).say({ room, text }))

beforeAll(async () => {
  const inWorkspace = (folder: string) => writeFileSync(join(folder, 'slow.mjs'), SLOW)
  pages = await openPages({ config: CONFIG, inWorkspace })
  page = await pages.open('/now')
})
afterAll(() => pages[Symbol.asyncDispose]())

/** The same whenever it is looked at: times pass, names are drawn by lot, and what a step says goes on. */
const settled = (text: string): string =>
  text
    .replace(/\b\d+ (s|min) ago\b/, 'just now')
    .replace(/\bapproval: [a-z]{5} /, 'approval: NAME ')
    .replace(/^until .*$/, 'until TIME')
    .replace(/^cup \d+ of tea$/, 'cup N of tea')

/** What a part of the page says, line by line; the bricks of a wall as one. */
const says = async (looked: Page, part: string): Promise<string[][]> =>
  (await linesIn(looked.locator(part))).map((lines) => {
    const found = lines.map(settled).filter((line, i, all) => line !== 'cup N of tea' || all[i - 1] !== line)
    const from = found.indexOf('read')
    const to = found.indexOf('pattern-read') + 1
    return from < 0 ? found : [...found.slice(0, from), found.slice(from, to).join(' '), ...found.slice(to)]
  })

const agents = (looked = page) => says(looked, '.agent')
const health = async () => (await says(page, '.health-now li')).flat()

describe('Now', () => {
  test('says of a house where nothing happens that nothing does, and that all is well', async () => {
    await expect
      .poll(() => agents(), PATIENT)
      .toEqual([
        ['claude-1', 'idle'],
        ['codex-1', 'idle'],
        ['tickle-1', 'idle'],
      ])
    expect(await says(page, 'main > section, .sides > section')).toEqual([
      ['Waiting for a person', 'Nothing waits for an approval.'],
      ['Agents', 'claude-1', 'idle', 'codex-1', 'idle', 'tickle-1', 'idle'],
      ['Last refused', 'Nothing was refused yet.'],
      [
        'Rooms',
        'lobby execute nothing to do · claude-1 listens',
        'quiet execute nothing to do · nobody listens',
        'porch discuss nothing to do · nobody listens',
      ],
      ['Budgets', 'claude-1, a day: 0 tokens of 5,000 tokens'],
      [
        'Health',
        'Redis up',
        'Evidence store up',
        'Queue up: 0 at work, 0 waiting',
        'home down: nobody of Bellhop is on it',
      ],
    ])
    expect(await page.locator('.health-now .dot').evaluateAll((dots) => dots.map((dot) => dot.dataset['up']))).toEqual([
      'true',
      'true',
      'true',
      'false',
    ])
  })

  test('shows work as it is done: who asks, the wall, the step and what it says, the line, what is asked and was refused', async () => {
    await say('@claude use read {"path":"../../secret"}')
    await say('/edit @claude use run {"argv":["node","slow.mjs"]}')
    await say(`@codex use run ${JSON.stringify(INSTALL)}`)
    await say('@codex use read {"path":"README.md"}')
    await expect
      .poll(() => agents(), PATIENT)
      .toEqual([
        [
          'claude-1',
          'running · 1 step · just now',
          `${OWNER} asks in lobby: use run {"argv":["node","slow.mjs"]}`,
          'edit: 17 tools',
          EDIT,
          'run node slow.mjs',
          'cup N of tea',
          'last refused just now ../../secret is outside of what explore may touch: the workspace [out-of-scope]',
        ],
        [
          'codex-1',
          'waiting · 0 steps · just now · 1 turn in line',
          `${OWNER} asks in lobby: use run ${JSON.stringify(INSTALL)}`,
          'edit: 17 tools',
          EDIT,
          'for an approval: NAME (opens run npm install zod, in the sandbox workspace-write, with the network)',
          `queued ${OWNER} asks in lobby: use read {"path":"README.md"}`,
        ],
        ['tickle-1', 'idle'],
      ])
    expect(await page.locator('.bricks [aria-current=step]').allTextContents()).toEqual(['run'])
    expect(await says(page, '.approval')).toEqual([
      [
        'codex-1 asks to run npm install zod, in the sandbox workspace-write, with the network',
        'it asks for more than edit opens by itself: it parses',
        'Approve',
        'Deny',
        expect.stringMatching(/^[a-z]{5}$/),
        'lobby',
        'until TIME',
      ],
    ])
    expect((await says(page, '.rooms-now li')).flat()[0]).toBe('lobby execute 2 at work, 1 waiting · claude-1 listens')
    expect(await health()).toContain('Queue up: 2 at work, 1 waiting')
    expect(await says(page, '.refused-now li')).toEqual([
      ['claude-1 ../../secret is outside of what explore may touch: the workspace out-of-scope just now'],
    ])
    const before = await page.locator('.said').first().textContent()
    await expect.poll(() => page.locator('.said').first().textContent(), PATIENT).not.toBe(before)
  })

  test.each([
    [1280, 800, false],
    [390, 844, true],
  ])('has every state, step, approval and refusal in sight at %i by %i', async (width, height, phone) => {
    const looked = await pages.open('/now', { phone })
    await looked.setViewportSize({ width, height })
    await expect.poll(() => looked.locator('.agent .said:visible').count(), PATIENT).toBe(1)
    const parts = looked.locator(
      '.agent h3, .agent .state, .agent .step:visible, .refused-last:visible, .approval, .answers button',
    )
    const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
    const hidden = boxes.filter(
      (box) => !box || box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height,
    )
    expect([boxes.length, hidden]).toEqual([12, []])
    expect(await isTooWide(looked)).toBe(false)
    await looked.close()
  })

  test('is decided on by a press, and says so itself; what waited in line goes on', async () => {
    await page.getByRole('button', { name: /^Deny [a-z]{5}$/ }).click()
    await expect.poll(() => says(page, '.approvals-now li'), PATIENT).toEqual([['Nothing waits for an approval.']])
    await expect
      .poll(async () => (await agents())[1], PATIENT)
      .toEqual(['codex-1', 'idle', expect.stringMatching(/^last refused just now .* \[approval-denied\]$/)])
    writeFileSync(join(pages.house.settings.workspace, 'enough'), '')
    await expect.poll(async () => (await agents())[0]?.[1], PATIENT).toBe('idle')
  })

  test('says who is paused, and whose line was refused', async () => {
    await say('/pause tickle-1 for tea')
    await expect.poll(async () => (await agents())[2], PATIENT).toEqual(['tickle-1', 'idle · paused'])
    await say('/resume tickle-1')
    await expect.poll(async () => (await agents())[2], PATIENT).toEqual(['tickle-1', 'idle'])
    const client = createClient({ url: pages.house.url, token: pages.house.tokens.admin, face: 'cli' })
    await client.say({ room: 'lobby', text: '/approve nope' })
    await expect
      .poll(async () => (await says(page, '.refused-now li')).flat()[0], PATIENT)
      .toBe(`${OWNER} nothing by the name of nope waits for an approval approval-unknown just now`)
  })

  test('says who is gone and that nobody takes work, and that they are back', async () => {
    await pages.house.stopWorker()
    await expect
      .poll(async () => (await agents()).map(([name, state]) => [name, state]), PATIENT)
      .toEqual(['claude-1', 'codex-1', 'tickle-1'].map((name) => [name, 'absent: no worker runs it']))
    expect(await health()).toContain('Queue stands still: no agent is ready; 0 at work, 0 waiting')
    await pages.house.startWorker()
    await expect.poll(async () => (await agents()).map(([, state]) => state), PATIENT).toEqual(['idle', 'idle', 'idle'])
    expect(await health()).toContain('Queue up: 0 at work, 0 waiting')
  })

  test('says that Redis is gone while it is, and that it is back', async () => {
    await pages.house.redis.kill()
    await expect
      .poll(health, PATIENT)
      .toEqual([
        'Redis down',
        'Evidence store up',
        'Queue down: it is in Redis; 0 at work, 0 waiting',
        expect.stringMatching(/^home down: /),
      ])
    expect((await agents()).map(([, state]) => state)).toEqual(Array(3).fill('absent: the registry cannot be reached'))
    await pages.house.redis.start()
    await expect
      .poll(health, PATIENT)
      .toEqual([
        'Redis up',
        'Evidence store up',
        'Queue up: 0 at work, 0 waiting',
        expect.stringMatching(/^home down: /),
      ])
    await expect.poll(async () => (await agents()).map(([, state]) => state), PATIENT).toEqual(['idle', 'idle', 'idle'])
  })

  test('nothing went wrong in it', () => expect(pages.failed).toEqual([]))
})
