import type { Locator, Page } from 'playwright-core'

/** A view of the console on a rich house: where it is, when it is all there, and what is done to get it. */
export type View = {
  name: string
  path: (session: string) => string
  ready: (page: Page) => Locator
  prepare?: (page: Page) => Promise<unknown>
}

const unfold = (page: Page) =>
  page.evaluate("for (const one of document.querySelectorAll('details:not(.switcher)')) one.open = true")

/** What is made in the same way for each address and each shape is looked at for some of them. */
const shorten = (page: Page) =>
  page.evaluate("for (const one of [...document.querySelectorAll('article')].slice(8, -8)) one.remove()")

const ASKED = /asks to run npm install zod/
const heading =
  (name: string | RegExp, level = 2) =>
  (page: Page) =>
    page.getByRole('heading', { level, name })
const session = (hash: string) => (id: string) => `/session?id=${id}#${hash}`
const at = (path: string) => () => path

const TRIED = encodeURIComponent('{"path": "../out.txt", "text": "x"}')

export const VIEWS: View[] = [
  { name: 'now', path: at('/now'), ready: (page) => page.getByText(ASKED).first() },
  {
    name: 'the list of keys',
    path: at('/now'),
    ready: (page) => page.getByText(ASKED).first(),
    prepare: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    },
  },
  { name: 'the room', path: at('/?room=lobby'), ready: (page) => page.getByText(ASKED).first() },
  {
    name: 'the room, unfolded',
    path: at('/?room=lobby'),
    ready: (page) => page.getByText(ASKED).first(),
    prepare: unfold,
  },
  {
    name: 'what can be said in the room',
    path: at('/?room=lobby'),
    ready: (page) => page.getByText(ASKED).first(),
    prepare: async (page) => {
      await page.getByLabel('Say something in the room').pressSequentially('/')
      await page.getByRole('listbox', { name: 'Completions' }).waitFor()
    },
  },
  { name: 'sessions', path: at('/sessions'), ready: (page) => page.getByRole('link', { name: /run git status/ }) },
  { name: 'a session', path: session(''), ready: (page) => page.getByRole('option', { name: /approval asked/ }) },
  { name: 'a step of a session', path: session('line-4.codex-1.1.outcome'), ready: heading('edit done') },
  {
    name: 'a step of a session, unfolded',
    path: session('line-4.codex-1.1.outcome'),
    ready: heading('edit done'),
    prepare: async (page) => {
      await unfold(page)
      await page.locator('.reply-tree a[aria-current]').waitFor()
    },
  },
  { name: 'a refused step', path: session('line-5.codex-1.0.outcome'), ready: heading('read refused') },
  { name: 'the verdict on a session', path: session('verify'), ready: heading('Verify Whole') },
  { name: 'evidence', path: at('/evidence'), ready: (page) => page.getByText(/^\d+ entries$/) },
  {
    name: 'evidence, narrowed down',
    path: at('/evidence?text=retry&agent=claude-1#line-2.claude-1.ended'),
    ready: heading(/^answer done/),
    prepare: unfold,
  },
  {
    name: 'evidence, found',
    path: at('/evidence?agent=codex-1#line-5.codex-1.0.outcome'),
    ready: heading('read refused'),
  },
  { name: 'missions', path: at('/missions'), ready: (page) => page.locator('.plot canvas').nth(2) },
  {
    name: 'missions, unfolded',
    path: at('/missions'),
    ready: (page) => page.locator('.plot canvas').nth(2),
    prepare: unfold,
  },
  { name: 'a mission', path: at('/missions?id=M-menu'), ready: heading('Obligations'), prepare: unfold },
  { name: 'a proof', path: at('/missions?proof=P-sum'), ready: heading('P-sum'), prepare: unfold },
  { name: 'peripherals', path: at('/peripherals'), ready: heading('Walls'), prepare: unfold },
  { name: 'peripherals, at rest', path: at('/peripherals'), ready: heading('Walls') },
  {
    name: 'a call that was tried',
    path: at(`/peripherals?id=edit&tool=write&args=${TRIED}`),
    ready: heading('It would be refused', 3),
  },
  {
    name: 'a peripheral, and a call that was tried',
    path: at(`/peripherals?id=edit&tool=write&args=${TRIED}`),
    ready: heading('It would be refused', 3),
    prepare: unfold,
  },
  { name: 'the page about the API', path: at('/api/docs'), ready: heading('Shapes'), prepare: shorten },
  {
    name: 'signing in',
    path: at('/now'),
    ready: heading('Now', 1),
    prepare: async (page) => {
      await page.context().clearCookies()
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Sign in to Bellhop' }).waitFor()
    },
  },
]

export const viewOf = (name: string): View => {
  const found = VIEWS.find((view) => view.name === name)
  if (!found) throw new Error(`there is no view ${name}`)
  return found
}
