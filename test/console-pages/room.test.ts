import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Author, Body } from '../../src/shapes/evidence.ts'
import { OWNER } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { keepLongWaits } from '../support/waits.ts'
import { isTooWide, openPages, PATIENT } from './page.ts'

// The room in a real house: what was before, what can be done about a turn, and files.
const ADA: Author = { kind: 'person', id: 'ada', face: 'cli', via: null }
const LINES = 3000
const LONG = 'porch'

let pages: Awaited<ReturnType<typeof openPages>>
beforeAll(async () => {
  pages = await openPages({})
  const { store } = pages.house
  // Who comes is told in every room: that is over first.
  await eventually('all agents to be here', async () => {
    const here = await store.query({ event: 'presence', ephemeral: 'with' })
    return here.ok && here.value.entries.length >= 3 ? true : null
  })
  const lines = Array.from({ length: LINES }, (_, n) =>
    roomDraft({ id: `line-${n}`, room: LONG, author: ADA, body: { event: 'message', text: `line number ${n}` } }),
  )
  for (let n = 0; n < LINES; n += 500) must(await store.append(lines.slice(n, n + 500)))
})
afterAll(async () => {
  expect(pages.failed).toEqual([])
  await pages[Symbol.asyncDispose]()
})

const enter = async (room: string, options = {}): Promise<Page> => {
  const page = await pages.open(`/?room=${room}`, options)
  await page.locator('#composer[data-link=online]').waitFor()
  return page
}
const numbers = (page: Page): Promise<number[]> =>
  page.evaluate(
    `[...document.querySelectorAll('#past .text, #transcript .text')].map((one) => Number(one.textContent.slice(12)))`,
  )
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
const client = () => createClient({ url: pages.house.url, token: pages.house.tokens.admin, face: 'cli' })

/** Goes to the top, and so asks for what was before. */
const goUp = (page: Page): Promise<unknown> => page.evaluate(`document.getElementById('scroller').scrollTop = 0`)

test('what was before comes page by page as one goes up, once each, and what is looked at stays where it is', async () => {
  await using page = await enter(LONG)
  await expect.poll(() => numbers(page), PATIENT).toEqual(upTo(LINES - 200, LINES))
  const placeOf = (n: number): Promise<number> =>
    page.evaluate(`[...document.querySelectorAll('.text')].find((one) => one.textContent === 'line number ${n}')
      .getBoundingClientRect().top - document.getElementById('scroller').getBoundingClientRect().top`)
  await goUp(page)
  const before = await placeOf(LINES - 200)
  await page.getByRole('button', { name: 'Earlier' }).click()
  await expect.poll(() => numbers(page), PATIENT).toEqual(upTo(LINES - 300, LINES))
  expect(await placeOf(LINES - 200)).toBeCloseTo(before, 0)
  await goUp(page)
  await expect.poll(() => numbers(page), PATIENT).toEqual(upTo(LINES - 400, LINES))
})

test('a long way back the page stays small: what is left out is said, and can be had', async () => {
  await using page = await enter(LONG)
  await expect.poll(() => numbers(page), PATIENT).toEqual(upTo(LINES - 200, LINES))
  await page.getByRole('button', { name: 'Earlier' }).click()
  const isMore = async () => {
    await goUp(page)
    return page.getByRole('button', { name: 'Earlier' }).isVisible()
  }
  await expect.poll(isMore, PATIENT).toBe(false)
  // The first page has those who came before anything was said.
  expect(await numbers(page)).toEqual([...upTo(0, 1100), ...upTo(LINES - 200, LINES)])
  const more = page.getByRole('button', { name: 'Show more of it' })
  for (let shown = 1200; shown <= LINES - 200; shown += 100) {
    await more.click()
    const kept = [...upTo(shown - 1200, shown), ...upTo(LINES - 200, LINES)]
    await expect.poll(() => numbers(page), PATIENT).toEqual(kept)
  }
  expect(await page.locator('.gap').isVisible()).toBe(false)
})

test('a link to an old line shows it among those around it, and how the room ends', async () => {
  await using page = await pages.open(`/?room=${LONG}#post-line-150`)
  await expect.poll(() => page.locator('.linked .text').allTextContents(), PATIENT).toEqual(['line number 150'])
  await expect.poll(() => numbers(page), PATIENT).toEqual([...upTo(100, 200), ...upTo(LINES - 200, LINES)])
  await expect
    .poll(() => page.locator('.linked').evaluate((one) => one.getBoundingClientRect().top), PATIENT)
    .toBeLessThan(720)
  expect(await page.locator('.gap').isVisible()).toBe(true)
})

/** Says a line for an agent; the turn waits while the queue is paused. */
const ask = async (id: string, text: string) => {
  const { assignments } = must(await client().say({ id, room: 'lobby', text }))
  const [given] = assignments
  if (!given) throw new Error('nobody has it')
  return given
}
const write = async (given: { turn: string; session: string; agent: string }, part: string, body: Body) => {
  const author = { kind: 'agent', id: given.agent, face: 'worker', via: null } as const
  must(
    await pages.house.store.append([
      sessionDraft({ ...given, id: `${given.turn}.${part}`, room: 'lobby', author, inReplyTo: given.turn, body }),
    ]),
  )
}

test('a turn that waits is amended and taken out, one that runs is steered and stopped, in words that say which', async () => {
  const { store } = pages.house
  for (const agent of ['claude-1', 'codex-1']) must(await client().say({ room: 'lobby', text: `/pause ${agent}` }))
  const given = await ask('w1', '@claude-1 look at the pot')
  await using page = await enter('lobby')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Amend: claude-1, look at the pot').press('Enter')
  const field = page.getByLabel('What to ask for instead, of claude-1, look at the pot')
  expect(await field.inputValue()).toBe('look at the pot')
  await field.fill('look at agent=the lid, too')
  await field.press('Shift+Enter')
  await page.keyboard.type('and pour')
  await field.press('Enter')
  await page.getByText('claude-1 will be asked for that instead.').waitFor()
  expect(await field.count()).toBe(0)
  await button('Amend: claude-1, look at the pot').press('Enter')
  expect(await field.inputValue()).toBe('look at agent=the lid, too\nand pour')
  await field.press('Escape')
  const amended = (await store.query({ event: 'turn-amended' })) as {
    ok: true
    value: { entries: { body: unknown }[] }
  }
  expect(amended.value.entries.map(({ body }) => body)).toMatchObject([
    { turn: given.turn, request: 'look at agent=the lid, too\nand pour' },
  ])

  await write(given, 'started', { event: 'turn-started', turn: given.turn })
  await button('Steer: claude-1, look at the pot').click()
  await page.getByLabel('What to tell claude-1, look at the pot').press('Escape')
  expect(await page.locator('.panel form').count()).toBe(0)
  await button('Steer: claude-1, look at the pot').click()
  await page.keyboard.type('the other one')
  await page.keyboard.press('Enter')
  await page.getByText('claude-1 will hear it.').waitFor()
  expect((await store.query({ event: 'steered' })) as unknown).toMatchObject({
    value: { entries: [{ body: { turn: given.turn, text: 'the other one' } }] },
  })
  await button('Stop: claude-1, look at the pot').click()
  await page.getByText('It is being stopped.').waitFor()
  expect(await store.get(`${given.turn}.stop`)).toMatchObject({ author: { id: OWNER } })

  const other = await ask('w2', '@codex-1 pour')
  await button('Take out: codex-1, pour').click()
  await page.getByText('It is taken out of the line.').waitFor()
  expect(await store.get(`${other.turn}.stop`)).toMatchObject({ body: { queued: true } })

  await using viewer = await enter('lobby', {
    token: await pages.house.mint({ kind: 'person', name: 'eve', role: 'viewer' }),
  })
  await expect.poll(() => viewer.locator('.work').count(), PATIENT).toBe(2)
  expect(await viewer.locator('.controls button, #attach:visible').count()).toBe(0)
})

test('what is being written for a turn stays under the hands when it goes on, and can be said otherwise', async () => {
  const given = await ask('w3', '@claude-1 sweep')
  await using page = await enter('lobby')
  const line = page.getByLabel('Say something in the room')
  await line.fill('a draft')
  await page.getByRole('button', { name: 'Amend: claude-1, sweep', exact: true }).click()
  const field = page.getByLabel('What to ask for instead, of claude-1, sweep')
  await field.fill('sweep the ')
  await write(given, 'started', { event: 'turn-started', turn: given.turn })
  await page.getByText('claude-1 has begun meanwhile').waitFor()
  await page.keyboard.type('edge')
  expect(await field.inputValue()).toBe('sweep the edge')
  await page.keyboard.press('Enter')
  await expect.poll(() => line.inputValue(), PATIENT).toBe(`/steer turn=${given.turn} sweep the edge\na draft`)
  expect([await field.count(), await page.evaluate('document.activeElement.id')]).toEqual([0, 'line'])

  await line.fill('')
  await page.getByRole('button', { name: 'Steer: claude-1, sweep', exact: true }).click()
  await page.keyboard.type('the ')
  await write(given, 'ended', { event: 'turn-ended', turn: given.turn, outcome: 'done', answer: 'swept' })
  await page.getByText('claude-1 is done meanwhile').waitFor()
  await page.keyboard.type('floor')
  await page.keyboard.press('Enter')
  await expect.poll(() => line.inputValue(), PATIENT).toBe('@claude-1 the floor')
  expect(await page.locator('.panel form').count()).toBe(0)
})

test('a line that names the reader is marked, and counted while they look elsewhere', async () => {
  await using page = await enter('lobby')
  const waits = await keepLongWaits(page)
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`)
  // Others have its place meanwhile: it looks in now and then.
  await expect.poll(() => page.evaluate('navigator.locks.query().then(({ held }) => held.length)'), PATIENT).toBe(0)
  const body = { event: 'message', text: `@${OWNER} and @${OWNER}x` } as const
  must(await pages.house.store.append([roomDraft({ id: 'n1', room: 'lobby', author: ADA, body })]))
  await expect.poll(() => waits.end().then(() => page.locator('.mention').count()), PATIENT).toBe(1)
  await expect.poll(() => page.locator('.mention').allTextContents(), PATIENT).toEqual([`@${OWNER}`])
  await expect.poll(() => page.title(), PATIENT).toBe('(1) lobby · Bellhop')
  await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))`)
  await expect.poll(() => page.title(), PATIENT).toBe('lobby · Bellhop')
})

test('completion knows commands, what they take, agents and people', async () => {
  await using page = await enter('lobby')
  const line = page.getByLabel('Say something in the room')
  const offered = async (text: string): Promise<string[]> => {
    await line.fill(text)
    return page.locator('#choices b').allTextContents()
  }
  await expect.poll(() => offered('/unq'), PATIENT).toEqual(['/unqueue'])
  await expect.poll(() => offered('/mode '), PATIENT).toEqual(['discuss', 'diagnose', 'execute'])
  await expect.poll(() => offered('/queue c'), PATIENT).toEqual(['claude-1', 'codex-1'])
  await expect.poll(() => offered('/steer agent=cl'), PATIENT).toEqual(['agent=claude-1'])
  await expect.poll(() => offered(`look, @${OWNER}`), PATIENT).toEqual([`@${OWNER}`])
  await offered('/mode d')
  await line.press('Tab')
  expect(await line.inputValue()).toBe('/mode discuss ')
})

test('a file that is brought is written into the line, can be read by the agents of the room, and is evidence', async () => {
  await using page = await enter('lobby')
  const line = page.getByLabel('Say something in the room')
  await line.fill('@claude-1 read')
  const log = { name: '../my <b>.log', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>\n') }
  await page.locator('#files').setInputFiles(log)
  await expect.poll(() => line.inputValue(), PATIENT).toBe('@claude-1 read upload:my-b-.log ')
  await page.getByText(`${OWNER} brought upload:my-b-.log (26 bytes)`).waitFor()
  // The same again is the same; another one of that name stands beside it.
  await page.locator('#files').setInputFiles(log)
  await page.locator('#files').setInputFiles({ ...log, buffer: Buffer.from('other') })
  await expect
    .poll(() => line.inputValue(), PATIENT)
    .toBe('@claude-1 read upload:my-b-.log upload:my-b-.log upload:my-b--2.log ')

  const back = await page.request.get(`${pages.house.url}/api/upload?room=lobby&name=my-b-.log`)
  expect([
    await back.text(),
    back.headers()['content-type'],
    back.headers()['content-disposition'],
    back.headers()['x-content-type-options'],
  ]).toEqual([
    '<script>alert(1)</script>\n',
    'application/octet-stream',
    "attachment; filename*=UTF-8''my-b-.log",
    'nosniff',
  ])
  await page.evaluate(`
    const data = new DataTransfer()
    data.items.add(new File(['dropped'], 'drop.txt'))
    dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))`)
  await page.getByText(`${OWNER} brought upload:drop.txt (7 bytes)`).waitFor()
  await page.locator('#brought', { hasText: 'drop.txt is here as upload:drop.txt' }).waitFor()

  must(await client().say({ room: 'lobby', text: '/resume codex-1' }))
  await line.fill('@codex-1 read upload:drop.txt')
  await line.press('Enter')
  await expect.poll(() => page.locator('#brought').textContent(), PATIENT).toBe('')
  await page.locator('.step[data-state=ok] .call', { hasText: 'upload:drop.txt' }).waitFor({ timeout: 60_000 })
  const found = await pages.house.store.query({ event: 'accepted', text: 'drop' })
  const session = found.ok ? (found.value.entries[0]?.session ?? '') : ''
  expect(must(await client().ask('verify', { session }))).toMatchObject({ ok: true })
})

test('of many files each that is not taken is told in the end, and a folder as one; text with a picture is text', async () => {
  await using page = await enter('lobby')
  const line = page.getByLabel('Say something in the room')
  /** Drops files, one drop after the other; what is called src is a folder. */
  const drop = (...drops: string[]) =>
    page.evaluate(`for (const files of [${drops.join()}]) {
      const items = files.map((file) => ({
        kind: 'file',
        getAsFile: () => file,
        webkitGetAsEntry: () => ({ isDirectory: file.name === 'src' }),
      }))
      dispatchEvent(Object.assign(new Event('drop'), { dataTransfer: { files: items, items, types: ['Files'] } }))
    }`)
  await drop(
    `[new File([], 'none.txt'), new File(['1'], 'one.txt'), new File([new Uint8Array(10_000_001)], 'big.txt')]`,
    `[new File(['folder'], 'src'), new File(['2'], 'two.txt')]`,
  )
  await expect.poll(() => line.inputValue(), PATIENT).toBe('upload:one.txt upload:two.txt ')
  await expect
    .poll(() => page.locator('#brought').textContent(), PATIENT)
    .toBe(
      [
        'none.txt is empty: there is nothing to bring.',
        'big.txt is too large: a file may have 10 MB.',
        'src is a folder: only files can be brought.',
      ].join('\n'),
    )
  const isTaken = (data: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer()
      ${data}
      const event = new ClipboardEvent('paste', { clipboardData, cancelable: true })
      document.getElementById('line').dispatchEvent(event)
      event.defaultPrevented
    }`)
  const picture = `clipboardData.items.add(new File(['p'], 'picture.png', { type: 'image/png' }))`
  expect(await isTaken(`${picture}; clipboardData.items.add('a cell', 'text/plain')`)).toBe(false)
  expect(await isTaken(picture)).toBe(true)
  await expect.poll(() => line.inputValue(), PATIENT).toBe('upload:one.txt upload:two.txt upload:picture.png ')

  // As in a thread that is archived; in one piece, since the room is looked at anew now and then.
  await drop(`(document.getElementById('composer').hidden = true, [new File(['3'], 'three.txt')])`)
  expect(await page.locator('#brought').textContent()).toBe('This thread is archived: it takes no files.')
})

test.each([
  { room: 'lobby', role: 'viewer', answered: [403, 'role-too-low'] },
  { room: 'nowhere', role: 'operator', answered: [404, 'room-unknown'] },
  { room: 'quiet', role: 'operator', answered: [200, undefined] },
] as const)('a file for $room, from a $role, is answered by $answered', async ({ room, role, answered }) => {
  const token = await pages.house.mint({ kind: 'person', name: 'eve', role })
  const answer = await fetch(`${pages.house.url}/api/upload?${new URLSearchParams({ room, name: '../../x' })}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: 'x',
  })
  expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual(answered)
})

test('a file that is too large is refused, and nothing is kept of it', async () => {
  const answer = await fetch(`${pages.house.url}/api/upload?room=lobby&name=big`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pages.house.tokens.admin}` },
    body: Buffer.alloc(10_000_001),
  })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([413, 'request-too-large'])
  const back = await fetch(`${pages.house.url}/api/upload?room=lobby&name=big`, {
    headers: { authorization: `Bearer ${pages.house.tokens.admin}` },
  })
  expect(back.status).toBe(404)
})

test('the other pages are a key away where nobody types, and on a phone nothing sticks out', async () => {
  await using page = await enter('lobby', { phone: true })
  expect(await isTooWide(page)).toBe(false)
  await page.getByLabel('Say something in the room').press('g')
  await page.keyboard.press('n')
  expect(await page.getByLabel('Say something in the room').inputValue()).toBe('gn')
  await page.locator('#scroller').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.waitForURL('**/evidence')
})
