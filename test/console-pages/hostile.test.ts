import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { openPages, PATIENT } from './page.ts'
import { TRAP } from './visit.ts'

/** Markup, Markdown that leads elsewhere, what turns the reading order around, what is for a terminal, and a long word. */
const EVIL = [
  TRAP,
  '[press](javascript:document.title=3) ![i](http://evil.example/i.png) <http://evil.example/>',
  '\u202egnp.exe\u202c \u2066x\u2069 \u200bz\u200b \u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007',
  'W'.repeat(400),
].join(' ')
const NAME = '<img src=/x onerror="document.title=4">\u202e'
const FILE = '<img src=x onerror="document.title=5"> **b** \u202egpj.txt'

/** Says it over and over while it runs. */
const SLOW = `import { existsSync } from 'node:fs'
const timer = setInterval(() => {
  console.log(${JSON.stringify(EVIL)})
  if (existsSync('enough')) clearInterval(timer)
}, 100)
`
const MISSION = `# M-evil: ${EVIL}

Status: in-progress
Owner: ${NAME}

## Phase 1: ${EVIL}

- [ ] ${EVIL}
- [x] \`${EVIL}\`
`

let pages: Awaited<ReturnType<typeof openPages>>
let session = ''
let thread = ''
const use = (tool: string, args: object) => `@codex use ${tool} ${JSON.stringify(args)}`

beforeAll(async () => {
  pages = await openPages({
    inWorkspace: (folder) => {
      mkdirSync(join(folder, 'missions'))
      writeFileSync(join(folder, 'missions/M-evil.md'), MISSION)
      writeFileSync(join(folder, 'slow.mjs'), SLOW)
    },
  })
  const { house } = pages
  const token = await house.mint({ kind: 'person', name: NAME, role: 'admin' })
  const client = createClient({ url: house.url, token, face: 'cli' })
  const say = async (id: string, text: string, room = 'lobby') => {
    const said = await client.say({ id, room, text })
    for (const { turn } of said.ok ? said.value.assignments : []) {
      await eventually(`${turn} to end`, () => house.store.get(`${turn}.ended`))
    }
    return said
  }
  must(await say('line', EVIL))
  must(await say('wrote', use('write', { path: FILE, text: `${EVIL}\n${EVIL}\n` })))
  must(await say('read', use('read', { path: FILE })))
  must(await say('edited', use('edit', { path: FILE, old: 'gnp.exe', new: `${TRAP}\nnew`, all: true })))
  must(await say('barred', use('read', { path: `../../${FILE}` })))
  must(await say('found', use('grep', { pattern: 'document' })))
  must(await say('asked', `@codex what is ${EVIL}?`))
  must(await say('focus', '/mission focus M-evil'))
  await say('unknown', `/approve ${EVIL}`)
  await say('nobody', `/${EVIL}`)
  await say('none', `@${EVIL} hello`)
  must(await say('begun', `/new claude-1 ${EVIL.slice(0, 90)}`))
  thread = must(await client.ask('threads')).threads[0]?.id ?? ''
  must(await say('inside', EVIL, thread))
  must(await client.say({ id: 'paused', room: 'lobby', text: `/pause tickle-1 ${EVIL.slice(0, 200)}` }))
  must(await client.say({ id: 'slow', room: 'lobby', text: '/edit @claude use run {"argv":["node","slow.mjs"]}' }))
  const escalate = { why: EVIL.slice(0, 200) }
  must(await client.say({ id: 'asks', room: 'lobby', text: use('run', { argv: ['npm', 'install', 'zod'], escalate }) }))
  must(await client.say({ id: 'waits', room: 'lobby', text: use('read', { path: FILE }) }))
  await eventually('the question', async () => must(await client.ask('approvals')).approvals.length > 0)
  session = (await house.store.get('wrote.codex-1'))?.session ?? ''
})
afterAll(async () => {
  writeFileSync(join(pages.house.settings.workspace, 'enough'), '')
  await pages[Symbol.asyncDispose]()
})

/** What of a page was made from somebody's text: elements that are not ours, ways elsewhere, and what it may not show. */
const MADE = `(() => {
  const odd = 'img, iframe, object, embed, base, style, script:not([src^="/"]), [style*="expression"], [onerror], [onload], [onclick]'
  const leads = [...document.links].filter(({ protocol }) => !/^https?:$/.test(protocol))
  const shown = document.body.innerText
  return {
    title: /^\\d$/.test(document.title),
    odd: [...document.querySelectorAll(odd)].map((one) => one.outerHTML.slice(0, 80)),
    leads: leads.map((a) => a.href),
    unseen: [...new Set(shown.match(/[\\u202a-\\u202e\\u2066-\\u2069\\u001b\\u0007]/g) ?? [])].map((c) => c.codePointAt(0).toString(16)),
    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  }
})()`
const NOTHING = { title: false, odd: [], leads: [], unseen: [], wide: false }

const isClean = async (page: Page, what: string): Promise<void> => {
  expect([what, await page.evaluate(MADE)]).toEqual([what, NOTHING])
}

const visit = async (path: string, shows: RegExp | string) => {
  const page = await pages.open(path, { phone: true })
  await page.getByText(shows).first().waitFor({ state: 'attached' })
  return page
}

describe('hostile text is shown as the text it is', () => {
  test('at Now: people, requests, steps and what they say, questions, refusals', async () => {
    const page = await visit('/now', /^for an approval/)
    await page.locator('.said:visible').first().waitFor()
    expect(await page.locator('.approval .why').textContent()).toContain(TRAP)
    expect(await page.locator('.said:visible').first().textContent()).toContain('red')
    await isClean(page, 'now')
    await page.close()
  })

  test('in rooms and threads: lines, answers, steps, diffs, titles', async () => {
    for (const path of ['/', `/?room=${thread}`]) {
      const page = await visit(path, 'document.title=1')
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
      await isClean(page, path)
      await page.close()
    }
  })

  test('in lists: sessions, evidence, missions, peripherals', async () => {
    for (const [path, shows] of [
      ['/sessions', 'document.title'],
      ['/evidence?text=document', 'document.title'],
      ['/evidence?room=lobby', 'document.title'],
      ['/missions', 'M-evil'],
      ['/missions?id=M-evil', 'document.title'],
      ['/peripherals', 'explore'],
    ] as const) {
      const page = await visit(path, shows)
      await isClean(page, path)
      await page.close()
    }
  })

  test('of every entry, opened', async () => {
    const page = await visit(`/session?id=${session}&show=all`, 'verified whole')
    const { entries } = must(await pages.house.store.query({ session, limit: 500, ephemeral: 'with' }))
    const kinds = new Map(entries.map((entry) => [entry.body?.event, entry.id]))
    for (const id of [
      'wrote.codex-1.0.outcome',
      'edited.codex-1.0.outcome',
      'barred.codex-1.0.outcome',
      ...kinds.values(),
    ]) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#${id}`)}`)
      await expect.poll(() => page.getByRole('region', { name: 'The entry' }).textContent(), PATIENT).toContain(id)
      const changes = page.getByRole('button', { name: 'Show the changes' })
      if (await changes.count()) await changes.click()
      await isClean(page, id)
    }
    await page.close()
  })

  test('tried at the gate', async () => {
    const page = await visit('/peripherals?id=edit', 'Try a call')
    const trial = page.getByRole('region', { name: 'Try a call' })
    await trial.getByLabel('Tool', { exact: true }).selectOption('write')
    await trial.getByLabel('Arguments (JSON)').fill(JSON.stringify({ path: `../${FILE}`, text: EVIL }))
    await trial.getByRole('button', { name: 'Ask the gate' }).click()
    await trial.getByText('It would be refused').waitFor()
    await isClean(page, 'the gate')
    await page.close()
  })

  test('and nothing of it ran, asked elsewhere or was reported', () => expect(pages.failed).toEqual([]))
})
