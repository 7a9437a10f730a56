import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRichPages } from './rich.ts'
import { viewOf } from './views.ts'

/** With `npm run screenshots` the pictures of the documentation are taken anew; otherwise they are only held against what is there. */
const KEEPS = process.env['BELLHOP_SCREENSHOTS'] === '1'

const ROOT = join(import.meta.dirname, '../..')
const IMAGES = join(ROOT, 'docs/images')
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const MOST_BYTES = 200_000

const PICTURES = [
  { file: 'now.png', view: 'now', size: DESK },
  { file: 'now-dark.png', view: 'now', size: DESK, dark: true },
  { file: 'room.png', view: 'the room', size: DESK },
  { file: 'session.png', view: 'a step of a session', size: DESK },
  { file: 'evidence.png', view: 'evidence, found', size: DESK },
  { file: 'missions.png', view: 'missions', size: DESK },
  { file: 'peripherals.png', view: 'peripherals, at rest', size: DESK },
  { file: 'try.png', view: 'a call that was tried', size: DESK, dark: true },
  { file: 'phone.png', view: 'now', size: PHONE },
]

let it: Awaited<ReturnType<typeof openRichPages>>
let page: Page
beforeAll(async () => {
  it = await openRichPages()
  page = await it.open('/now', { token: it.token })
})
afterAll(() => it[Symbol.asyncDispose]())

/** How large a PNG says it is; null where it is none. */
const sizeOf = (png: Buffer) =>
  png.subarray(1, 4).toString('latin1') === 'PNG' ? { width: png.readUInt32BE(16), height: png.readUInt32BE(20) } : null

test.each(PICTURES)('$file is taken, and is what the documentation shows', async ({ file, view, size, dark }) => {
  const { path, ready, prepare } = viewOf(view)
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
  await page.goto(`${it.house.url}/?token=${it.token}`)
  await page.goto(it.house.url + path(it.session))
  await ready(page).waitFor()
  await prepare?.(page)
  const png = await page.screenshot()
  if (KEEPS) {
    mkdirSync(IMAGES, { recursive: true })
    writeFileSync(join(IMAGES, file), png)
  }
  const kept = readFileSync(join(IMAGES, file))
  // A page with nothing on it is a picture of a few thousand bytes.
  expect([sizeOf(png), sizeOf(kept), png.length > 20_000, kept.length < MOST_BYTES]).toEqual([size, size, true, true])
})

describe('the documentation', () => {
  const LINK = /!\[([^\]]*)\]\(([^)\s]+\.(?:png|svg))\)/g
  const pages = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const links = pages.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(LINK)].map(([, alt = '', target = '']) => ({
      alt,
      path: join(name, '..', target),
    })),
  )

  test('shows every picture that there is, and none that there is not', () => {
    const shown = new Set(links.map(({ path }) => path))
    expect([...shown].sort()).toEqual(
      readdirSync(IMAGES)
        .map((name) => `docs/images/${name}`)
        .sort(),
    )
    // The plots are made by `npm run bench -- load`.
    expect(
      readdirSync(IMAGES)
        .filter((name) => name.endsWith('.png'))
        .sort(),
    ).toEqual(PICTURES.map(({ file }) => file).sort())
  })

  test('says in words what is on each', () => {
    expect(links.filter(({ alt }) => alt.length < 30)).toEqual([])
  })
})
