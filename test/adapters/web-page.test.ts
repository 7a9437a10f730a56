import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { vendored } from '../../src/console/vendor.ts'
import type { Presence } from '../../src/shapes/agent.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Post, Progress } from '../../src/shapes/post.ts'
import { PROBLEM_TYPE, type ProblemDetails, problemOf } from '../../src/shapes/problem-details.ts'
import { type Refusal, refusal } from '../../src/shapes/refusal.ts'
import { openBrowser } from '../support/browser.ts'
import { keepLongWaits } from '../support/waits.ts'

const PATIENT = { timeout: 60_000, interval: 25 }
const CSP = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const AT = '2026-03-01T12:00:00.000Z'
const TRAP = '<img src=/x onerror="alert(1)"><script>alert(2)</script>'

type Said = { id: string; text: string; room: string }
type Reply = { status: number; body: Receipt | ProblemDetails } | 'hang-up'

// ── a scripted house: the page's files and the API it speaks, over a real socket ────────────────────────────────────

const PUBLIC = join(import.meta.dirname, '../../adapters/web/public')
const TYPES: Record<string, string> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
}

/** The page's files by the rule of the gateway: every one whose name is plain, under its name. */
const pageFile = (path: string): { type: string; content: Buffer } | null => {
  if (path === '/vendor/marked.js')
    return { type: 'text/javascript', content: readFileSync(vendored('marked.js') ?? '') }
  const name = path === '/' ? 'index.html' : path.slice(1)
  const type = TYPES[/^[a-z-]+\.(html|css|js|svg)$/.exec(name)?.[1] ?? '']
  if (type === undefined || !existsSync(join(PUBLIC, name))) return null
  return { type: `${type}; charset=utf-8`, content: readFileSync(join(PUBLIC, name)) }
}

const createHouse = () => {
  const posts: Post[] = []
  const heard: Said[] = []
  const followers = new Map<ServerResponse, string | null>()
  let server: Server | null = null
  let port = 0

  const house = {
    posts,
    /** Every line that reached the house, as often as it did. */
    heard,
    signedIn: true,
    /** Whether streams are left waiting; and whether what was before is to be had. */
    isMute: false,
    forgets: false,
    agents: [
      { id: 'claude-1', type: 'claude', readiness: 'ready', peripherals: ['explore'], reason: null },
      { id: 'codex-1', type: 'codex', readiness: 'lapsed', peripherals: ['explore'], reason: 'no heartbeat for 6 s' },
    ] as Presence[],
    /** The threads that were begun; what is archived of them is not listed. */
    threads: [] as { id: string; agent: string; name: string; archived: boolean }[],
    answer: (said: Said): Reply => ({ status: 200, body: receipt(said.id) }),
    /** Why no thread is taken out of the archive; null where it is. */
    refuses: null as Refusal | null,
    address: () => `http://127.0.0.1:${port}/`,

    post: (part: Partial<Post>) => {
      const position = posts.length + 1
      const post = { ...blank, position, id: `e${position}`, ...part }
      posts.push(post)
      for (const [follower, room] of followers) if (room === post.room) follower.write(frame(post))
    },
    progress: (step: string, text: string) => {
      const data = JSON.stringify({ room: 'lobby', session: 's1', step, text } satisfies Progress)
      for (const follower of followers.keys()) follower.write(`event: progress\ndata: ${data}\n\n`)
    },
    open: async () => {
      server = createServer((request, response) => void route(request, response))
      await new Promise<void>((done) => server?.listen(port, '127.0.0.1', done))
      port = (server.address() as AddressInfo).port
    },
    /** As a killed process would: connections break, nothing is said. */
    kill: async () => {
      const dying = server
      if (dying === null) return
      server = null
      dying.closeAllConnections()
      await new Promise((done) => dying.close(done))
      followers.clear()
    },
  }

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const url = new URL(request.url ?? '/', 'http://house')
    const file = pageFile(url.pathname)
    response.setHeader('content-security-policy', CSP)
    // Also to someone signed out: such a page was opened while its token was still good.
    if (file) return response.setHeader('content-type', file.type).end(file.content)
    if (!house.signedIn) return json(response, 401, problemOf(refusal('unauthenticated', 'no valid token')))
    const doors: Record<string, () => unknown> = {
      '/api/follow': () => house.isMute || follow(url, response),
      '/api/posts': () => postsOf(url, response),
      '/api/say': () => say(request, response),
      '/api/unarchive': () => unarchive(request, response),
    }
    const door = doors[url.pathname]
    if (door) return door()
    const answers: Record<string, unknown> = {
      '/api/whoami': { name: 'ana', role: 'operator', face: 'web', via: null },
      '/api/who': { agents: house.agents },
      '/api/rooms': { rooms: [{ id: 'lobby', mode: 'execute', listener: 'claude-1' }] },
      '/api/threads': { threads: house.threads.filter(({ archived }) => !archived).map(threadRow), next: null },
      '/api/evidence': { entries: entriesAbout(url) },
      '/api/help': {
        operations: [
          { name: 'help', usage: '/help', summary: 'what can be asked', role: 'viewer' },
          { name: 'who', usage: '/who', summary: 'the agents that are here', role: 'viewer' },
          { name: 'mode', usage: '/mode [MODE]', summary: 'show or change what the room may do', role: 'approver' },
        ],
      },
    }
    const found = answers[url.pathname] ?? (url.pathname === '/api/show' && startOf(url))
    return found ? json(response, 200, found) : json(response, 404, problemOf(refusal('route-unknown', url.pathname)))
  }

  const threadRow = ({ id, agent, name }: (typeof house.threads)[number]) => ({ id, agent, name, at: AT })
  const startOf = (url: URL) => {
    const thread = house.threads.find(({ id }) => `${id}.thread` === url.searchParams.get('entry'))
    const body = thread && { event: 'thread-started', ...threadRow(thread), mode: 'diagnose', room: 'lobby' }
    return body && { entry: { at: AT, body } }
  }
  const entriesAbout = (url: URL) => {
    const thread = house.threads.find(({ id }) => `room/${id}` === url.searchParams.get('subject'))
    const asked = url.searchParams.get('event') === 'thread-archived'
    return asked && thread?.archived ? [{ body: { event: 'thread-archived', archived: true } }] : []
  }

  const follow = (url: URL, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const tail = url.searchParams.get('tail')
    const after = Number(url.searchParams.get('after') ?? 0)
    const room = url.searchParams.get('room')
    const here = posts.filter((post) => post.room === room)
    const missed = tail === null ? here.filter(({ position }) => position > after) : here.slice(-Number(tail))
    response.write(`: hello\n\n${missed.map(frame).join('')}`)
    followers.set(response, room)
    response.on('close', () => followers.delete(response))
  }

  const postsOf = (url: URL, response: ServerResponse): unknown => {
    if (house.forgets) return json(response, 503, problemOf(refusal('draining', 'the house is closing')))
    const [before, after, limit] = ['before', 'after', 'limit'].map((name) => Number(url.searchParams.get(name)))
    const all = posts.filter(({ position }) => (before ? position < before : position > (after ?? 0)))
    const found = before ? all.slice(-(limit ?? 0)) : all.slice(0, limit)
    const isMore = found.length < all.length
    return json(response, 200, { posts: found, older: !before || isMore, newer: !!before || isMore })
  }

  const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return JSON.parse(Buffer.concat(chunks).toString())
  }

  const unarchive = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { thread } = (await bodyOf(request)) as { thread: string }
    const why = house.refuses
    if (why) return json(response, 403, problemOf(why))
    house.threads = house.threads.map((one) => (one.id === thread ? { ...one, archived: false } : one))
    house.post({ room: thread, kind: 'notice', text: 'open again' })
    return json(response, 200, { receipt: receipt('u1') })
  }

  const say = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const said = (await bodyOf(request)) as Said
    heard.push(said)
    const reply = house.answer(said)
    if (reply === 'hang-up') return response.destroy()
    if (posts.every(({ id }) => id !== said.id))
      house.post({ id: said.id, room: said.room, kind: 'said', text: said.text })
    return json(response, reply.status, reply.body)
  }
  return house
}

const person: Post['author'] = { kind: 'person', id: 'ana', face: 'web', via: null }
const agent: Post['author'] = { kind: 'agent', id: 'claude-1', face: 'worker', via: null }
const blank: Omit<Post, 'position' | 'id'> = {
  at: AT,
  room: 'lobby',
  kind: 'said',
  author: person,
  text: '',
  session: null,
  turn: null,
  step: null,
  approval: null,
}

const receipt = (message: string): Receipt => ({
  message,
  room: 'lobby',
  mode: 'action',
  assignments: [{ turn: `${message}.claude-1`, session: 's1', agent: 'claude-1', peripheral: 'explore' }],
  answer: null,
})
const frame = (post: Post) => `id: ${post.position}\nevent: post\ndata: ${JSON.stringify(post)}\n\n`
const json = (response: ServerResponse, status: number, body: unknown) =>
  response
    .writeHead(status, { 'content-type': status < 400 ? 'application/json' : PROBLEM_TYPE })
    .end(JSON.stringify(body))

/** The transcript as a reader has it. A string: it runs in the page. */
const READ = `[...document.querySelectorAll('#transcript > .exchange')].map((exchange) => {
  const texts = (from, what) => [...from.querySelectorAll(what)].map((found) => found.textContent)
  return {
    said: texts(exchange, ':scope > .text').join(),
    works: [...exchange.querySelectorAll('.work')].map((work) => ({
      by: texts(work, ':scope > .by b').join(),
      steps: [...work.querySelectorAll('.step')].map((step) => [
        step.dataset.state, ...['.tool', '.call', '.result', 'pre'].map((what) => texts(step, what).join())
      ]),
      answer: texts(work, '.answer').join(),
    })),
    refusals: texts(exchange, '.refusal p'),
  }
})`
/** What stands between the steps of a turn, and whether a reader is told of it when it comes. */
const KINDS = `[...document.querySelectorAll('.steps > *')].map((part) => [part.className || part.localName,
  part.closest('[aria-live]').getAttribute('aria-live')])`
const only = (said: string) => ({ said, works: [] as unknown[], refusals: [] as string[] })

describe('the web room, in Chromium', () => {
  let opened: Awaited<ReturnType<typeof openBrowser>>
  let browser: BrowserContext
  let page: Page
  let house: ReturnType<typeof createHouse>
  /** What must never happen: dialogs, errors, a policy that was broken. */
  let alarms: string[]

  beforeAll(async () => {
    opened = await openBrowser()
    browser = opened.context
  })

  afterAll(() => opened[Symbol.asyncDispose]())

  beforeEach(async () => {
    house = createHouse()
    await house.open()
    page = await browser.newPage()
    alarms = []
    page.on('dialog', (dialog) => {
      alarms.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => alarms.push(error.message))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) alarms.push(message.text())
    })
  })

  afterEach(async () => {
    await page.close()
    await house.kill()
    expect(alarms).toEqual([])
  })

  const read = () => page.evaluate(READ)
  const poll = (look: () => unknown) => expect.poll(look, PATIENT)
  const line = () => page.getByLabel('Say something in the room')
  const banner = () => page.locator('#banner').textContent()
  const enter = async (room?: string) => {
    await page.goto(`${house.address()}${room === undefined ? '' : `?room=${room}`}`)
    await poll(() => page.locator('#composer').getAttribute('data-link')).toBe('online')
  }
  const speak = async (text: string) => {
    await line().fill(text)
    await line().press('Enter')
  }

  test('a newcomer is told what to type, and a click writes it', async () => {
    await enter()
    const examples = ['where is main defined?', 'find TODO in src', '@codex-1 read README.md', '/help']
    await poll(() => page.locator('#examples button').allTextContents()).toEqual(examples)
    await page.getByRole('button', { name: 'find TODO in src' }).click()
    expect(await line().inputValue()).toBe('find TODO in src')
    await line().press('Enter')
    await poll(read).toEqual([only('find TODO in src')])
    expect(await page.locator('#welcome').isVisible()).toBe(false)
  })

  test('the page has an icon, and its own policy lets it in', async () => {
    await enter()
    const width = `(async () => {
      const icon = Object.assign(new Image(), { src: document.querySelector('link[rel=icon]').href })
      await icon.decode()
      return icon.naturalWidth
    })()`
    expect(await page.evaluate(width)).toBeGreaterThan(0)
  })

  test('the header says where one is, who one is, and which agents are ready', async () => {
    await enter()
    const bar = page.locator('#room, #mode, #agents button, #you')
    await poll(() => bar.allTextContents()).toEqual(['lobby', 'execute', 'claude-1', 'codex-1lapsed', 'ana · operator'])
    const codex = page.getByRole('button', { name: /^codex-1/ })
    expect(await codex.getAttribute('title')).toBe('not ready: no heartbeat for 6 s')

    house.agents = house.agents.map((one) => ({ ...one, readiness: 'ready', reason: null }))
    house.post({ kind: 'notice', text: 'codex-1 is ready', author: { ...person, kind: 'house', id: 'bellhop' } })
    await poll(() => codex.getAttribute('title')).toBe('ready: explore')
  })

  test('a line is answered by work whose steps change in place', async () => {
    await enter()
    await speak('where is the retry logic?')
    await poll(read).toEqual([only('where is the retry logic?')])

    const turn = { author: agent, session: 's1', turn: `${house.heard[0]?.id}.claude-1` }
    house.post({ ...turn, kind: 'accepted', text: 'claude-1 has it, in explore', author: person })
    house.post({ ...turn, kind: 'working', text: 'is at work' })
    house.post({
      ...turn,
      kind: 'step',
      text: 'grep {"pattern":"retry","limit":5}',
      step: { id: 'p1', state: 'running' },
    })
    house.post({ ...turn, kind: 'step', text: 'read {"path":"src/a.ts"}', step: { id: 'p2', state: 'running' } })
    const grep = ['grep', 'pattern: retry, limit: 5']
    const file = ['read', 'path: src/a.ts']
    const work = (steps: string[][], answer: string) => [
      { ...only('where is the retry logic?'), works: [{ by: 'claude-1', steps, answer }] },
    ]
    await poll(read).toEqual(
      work(
        [
          ['running', ...grep, '', ''],
          ['running', ...file, '', ''],
        ],
        '',
      ),
    )

    house.post({ ...turn, kind: 'step', text: 'grep: 2 lines\na.ts:1\nb.ts:2', step: { id: 'p1', state: 'ok' } })
    house.post({ ...turn, kind: 'step', text: 'read: no such file', step: { id: 'p2', state: 'failed' } })
    house.post({
      ...turn,
      kind: 'step',
      text: 'read {"path":"/x"}: no [out-of-scope]',
      step: { id: 'p3', state: 'refused' },
    })
    house.post({ ...turn, kind: 'answer', text: 'In a.ts.', at: '2026-03-01T12:00:01.500Z' })
    await poll(read).toEqual(
      work(
        [
          ['ok', ...grep, '2 lines', 'a.ts:1\nb.ts:2'],
          ['failed', ...file, 'failed: no such file', ''],
          ['refused', 'read', 'path: /x', 'refused: no [out-of-scope]', ''],
        ],
        'In a.ts.',
      ),
    )
    expect(await page.locator('.step details[open]').count()).toBe(0)
    expect(await page.locator('.work .note').textContent()).toBe('3 steps in 1.5 s')
  })

  test('work goes under the line that asked for it, not under the last one', async () => {
    await enter()
    await speak('one')
    await speak('two')
    await poll(read).toEqual([only('one'), only('two')])
    const turn = `${house.heard[0]?.id}.claude-1`
    house.post({ author: agent, kind: 'accepted', turn, text: 'claude-1 took it' })
    house.post({ author: agent, kind: 'answer', turn, text: '1' })
    house.post({ kind: 'answer', id: `${house.heard[0]?.id}.receipt`, text: 'an answer of the house' })
    await poll(read).toEqual([{ ...only('one'), works: [{ by: 'claude-1', steps: [], answer: '1' }] }, only('two')])
    await poll(() => page.locator('.exchange:first-child > .answered').allTextContents()).toEqual([
      'an answer of the house',
    ])
  })

  test('markup in a text stays text, wherever it comes from', async () => {
    house.agents = house.agents.map((one) => ({ ...one, reason: TRAP }))
    const turn = { author: agent, turn: 'm1.claude-1' }
    house.post({ kind: 'said', id: 'm1', text: TRAP, author: { ...person, id: TRAP } })
    house.post({ ...turn, kind: 'accepted', text: TRAP })
    house.post({
      ...turn,
      kind: 'step',
      text: `read {"path":${JSON.stringify(TRAP)}}`,
      step: { id: 'p', state: 'running' },
    })
    house.post({ ...turn, kind: 'step', text: `${TRAP}\n${TRAP}`, step: { id: 'p', state: 'ok' } })
    house.post({ ...turn, kind: 'notice', text: TRAP })
    house.post({ ...turn, kind: 'aside', id: 'm1.claude-1.said-1', text: `# ${TRAP}\n**${TRAP}**` })
    house.post({
      ...turn,
      kind: 'approval',
      author: { ...agent, id: TRAP },
      text: `${TRAP}\n${TRAP}\n${TRAP}`,
      step: { id: 'p2', state: 'running' },
      approval: { name: TRAP, state: 'open', until: TRAP },
    })
    house.post({
      kind: 'approval',
      author: { ...person, id: TRAP },
      text: TRAP,
      step: { id: 'p2', state: 'running' },
      approval: { name: TRAP, state: 'denied', until: null },
    })
    house.post({ ...turn, kind: 'answer', text: `${TRAP}\n\`${TRAP}\`\n\`\`\`\n${TRAP}` })
    house.post({ kind: 'refusal', id: 'm1.receipt', text: `${TRAP}\n${TRAP}` })
    house.post({ kind: 'notice', text: TRAP })
    await enter()
    await poll(read).toEqual([
      {
        said: TRAP,
        works: [
          {
            by: 'claude-1',
            steps: [['ok', 'read', `path: ${TRAP}`, TRAP, TRAP]],
            answer: `${TRAP}\n${TRAP}Copy${TRAP}`,
          },
        ],
        refusals: [`Refused: ${TRAP}`, TRAP],
      },
    ])
    expect(await page.locator('.notice').textContent()).toBe(TRAP)
    expect(await page.locator('.happened').textContent()).toBe(TRAP)
    expect(await page.locator('.aside > p').allTextContents()).toEqual([TRAP, TRAP])
    expect(await page.locator('.approval > *').allTextContents()).toEqual([
      `${TRAP} ${TRAP}`,
      TRAP,
      TRAP,
      `${TRAP} ${TRAP}`,
    ])
    expect(await page.locator('img, main script').count()).toBe(0)
  })

  describe('an approval', () => {
    const turn = { author: agent, session: 's1', turn: 'm1.claude-1' }
    const step = { id: 'm1.claude-1.3', state: 'running' } as const
    const ASKED = 'asks to run git push\ndeploy asks before each git push\nrun {"argv":["git","push"]}'
    const open = { name: 'k7f2q', state: 'open', until: '2026-03-01T12:10:00.000Z' } as const
    const bob = { ...person, id: 'bob' }

    const ask = (part: Partial<Post> = {}) => {
      house.post({ id: 'm1', text: 'push it' })
      house.post({ ...turn, kind: 'accepted', text: 'claude-1 has it, in deploy' })
      house.post({ ...turn, kind: 'approval', text: ASKED, step, approval: open, ...part })
    }
    const decide = (state: 'approved' | 'denied' | 'lapsed', text: string, author = bob) =>
      house.post({ kind: 'approval', author, text, step, approval: { name: 'k7f2q', state, until: null } })

    /** The cards as a reader has them. A string: it runs in the page. */
    const CARDS = `[...document.querySelectorAll('.approval')].map((card) => [card.dataset.state,
      ...[...card.querySelectorAll('p, pre, button')].map(({ textContent, disabled }) => textContent + (disabled ? '!' : ''))])`
    const cards = () => page.evaluate(CARDS)
    const question = [
      'claude-1 asks to run git push',
      'deploy asks before each git push',
      'run {"argv":["git","push"]}',
    ]
    const waiting = [['open', ...question, 'Approve', 'Deny']]

    test.each([
      ['Approve', '/approve k7f2q', 'approved', 'approved k7f2q'],
      ['Deny', '/deny k7f2q', 'denied', 'denied k7f2q: not on a Friday'],
    ] as const)(
      'is answered by keyboard: %s says %s, and the card says what became of it',
      async (name, said, state, text) => {
        ask()
        await enter()
        await poll(cards).toEqual(waiting)
        expect(await page.locator('.approval time').getAttribute('datetime')).toBe(open.until)
        await page
          .getByRole('group', { name: 'Approval k7f2q' })
          .getByRole('button', { name: `${name} k7f2q` })
          .focus()
        await page.keyboard.press('Enter')
        await poll(() => house.heard.map((one) => one.text)).toEqual([said])
        expect(await cards()).toEqual([['open', ...question, 'Approve!', 'Deny!']])
        expect(await page.evaluate('document.activeElement.id')).toBe('line')

        decide(state, text, person)
        const closed = [[state, ...question, `ana ${text}`]]
        await poll(cards).toEqual(closed)
        await page.reload()
        await poll(cards).toEqual(closed)
      },
    )

    test('stands before the step that it opened, and is read out where steps are not', async () => {
      ask()
      house.post({ ...turn, kind: 'step', text: 'run {"argv":["git","push"]}', step })
      await enter()
      await poll(() => page.evaluate(KINDS)).toEqual([
        ['approval', 'polite'],
        ['ol', 'off'],
      ])
    })

    test('that was refused to who pressed can be answered again, and the refusal is shown like any other', async () => {
      const why = refusal('role-too-low', 'approve needs the role approver; you are operator')
      house.answer = () => ({ status: 403, body: problemOf(why) })
      ask()
      await enter()
      await page.getByRole('button', { name: 'Approve' }).click()
      await poll(read).toEqual([
        { ...only('push it'), works: [{ by: 'claude-1', steps: [], answer: '' }] },
        { ...only('/approve k7f2q'), refusals: [`Refused: ${why.message} [${why.code}]`, why.remedy] },
      ])
      expect(await cards()).toEqual(waiting)
    })

    test.each<[string, () => void, string, string]>([
      [
        'lapsed',
        () => decide('lapsed', 'let k7f2q lapse: nobody answered in time', { ...person, kind: 'house', id: 'bellhop' }),
        'lapsed',
        'bellhop let k7f2q lapse: nobody answered in time',
      ],
      [
        'was given up with its turn',
        () => house.post({ ...turn, kind: 'answer', text: 'never mind' }),
        'over',
        'nobody decided: the turn ended',
      ],
      [
        'was refused because the turn was stopped',
        () =>
          house.post({
            ...turn,
            kind: 'step',
            text: 'run {}: stopped [turn-stopped]',
            step: { ...step, state: 'refused' },
          }),
        'over',
        'nobody decided: the step was refused',
      ],
    ])('that %s cannot be answered any more, also after a reload', async (_what, end, state, outcome) => {
      ask()
      await enter()
      await poll(cards).toEqual(waiting)
      end()
      await poll(cards).toEqual([[state, ...question, outcome]])
      await page.reload()
      await poll(cards).toEqual([[state, ...question, outcome]])
    })

    test('of another turn stays open when one ends', async () => {
      ask()
      house.post({ ...turn, turn: 'm1.codex-1', kind: 'answer', text: 'done' })
      await enter()
      await poll(() => page.locator('.answer').count()).toBe(1)
      expect(await cards()).toEqual(waiting)
    })

    test('whose question is further back than what was loaded is a notice', async () => {
      decide('approved', 'approved k7f2q')
      await enter()
      await poll(() => page.locator('.notice').allTextContents()).toEqual(['bob approved k7f2q'])
    })

    test('out of sight is pointed out', async () => {
      house.post({ id: 'm1', text: 'push it' })
      house.post({ ...turn, kind: 'accepted', text: 'claude-1 has it, in deploy' })
      for (let n = 1; n <= 50; n++) house.post({ text: `line ${n}` })
      await enter()
      await poll(() => page.getByText('line 50').isVisible()).toBe(true)
      house.post({ ...turn, kind: 'approval', text: ASKED, step, approval: open, at: new Date().toISOString() })
      const button = page.getByRole('button', { name: 'claude-1 asks for an approval' })
      await button.click(PATIENT)
      await poll(() => page.evaluate(`document.querySelector('.approval').getBoundingClientRect().top > 0`)).toBe(true)
    })
  })

  test('what happens between the steps of a turn is told among them', async () => {
    const turn = { author: agent, turn: 'm1.claude-1' }
    house.post({ id: 'm1', text: 'go on' })
    house.post({ ...turn, kind: 'step', text: 'hop {"to":"test"}', step: { id: 'p1', state: 'running' } })
    house.post({ ...turn, kind: 'step', text: 'hop: 1 line\nin test', step: { id: 'p1', state: 'ok' } })
    house.post({ ...turn, kind: 'notice', text: 'claude-1 hops from edit to test (changed)' })
    house.post({ ...turn, kind: 'step', text: 'run {"argv":["x"]}', step: { id: 'p2', state: 'running' } })
    house.post({ ...turn, kind: 'notice', text: 'ana told claude-1 to stop' })
    await enter()
    await poll(() => page.locator('.steps li .tool, .steps li.happened').allTextContents()).toEqual([
      'hop',
      'claude-1 hops from edit to test (changed)',
      'run',
      'ana told claude-1 to stop',
    ])
    expect(await page.locator('.notice').count()).toBe(0)
  })

  describe('a diff', () => {
    const turn = { author: agent, turn: 'm1.claude-1' }
    const file = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n'
    const hunk = `@@ -1,4 +1,3 @@ f()\n a\n--- not a name\n-${TRAP}\n++++ ${TRAP}\n\n\\ No newline at end of file\n`
    const lines = (of: string) =>
      page.evaluate(`[...(document.querySelector('${of}')?.childNodes ?? [])].map((line) =>
        [line.className ?? '', line.textContent])`)
    const expected = [
      ['file', 'diff --git a/x b/x\n'],
      ['file', '--- a/x\n'],
      ['file', '+++ b/x\n'],
      ['hunk', '@@ -1,4 +1,3 @@ f()\n'],
      ['', ' a\n'],
      ['removed', '--- not a name\n'],
      ['removed', `-${TRAP}\n`],
      ['added', `++++ ${TRAP}\n`],
      ['', '\n'],
      ['', '\\ No newline at end of file\n'],
      ['', 'and -no more\n'],
      ['', '-of it'],
    ]
    const text = `${file}${hunk}and -no more\n-of it`

    // Where there is no room for two sides.
    beforeEach(() => page.setViewportSize({ width: 1000, height: 720 }))

    test('of a step is shown at once, line by line, and stays text', async () => {
      house.post({ id: 'm1', text: 'change it' })
      house.post({ ...turn, kind: 'step', text: `edit: 12 lines\n${text}`, step: { id: 'p', state: 'ok' } })
      await enter()
      await poll(() => page.locator('.step details[open] summary').allTextContents()).toEqual(['changes'])
      expect(await lines('.step pre')).toEqual(expected)
      expect(await page.locator('img, main script').count()).toBe(0)
    })

    test('that is long is folded up like any output', async () => {
      const added = Array.from({ length: 60 }, (_, n) => `+line ${n}\n`).join('')
      const long = `edit: 63 lines\n--- a/x\n+++ b/x\n@@ -0,0 +1,60 @@\n${added}`
      house.post({ id: 'm1', text: 'change it' })
      house.post({ ...turn, kind: 'step', text: long, step: { id: 'p', state: 'ok' } })
      await enter()
      await poll(() => page.locator('.step details:not([open]) .added').count()).toBe(60)
    })

    test('is told apart also where a command answers it, or an agent', async () => {
      house.post({ id: 'm1', text: '/diff' })
      house.post({ id: 'm1.receipt', kind: 'answer', text: `claude-1, turn x: 1 file\n${text}` })
      house.post({ ...turn, kind: 'answer', text: `So:\n\`\`\`diff\n${text}\n\`\`\`` })
      await enter()
      await poll(() => page.locator('pre.diff').count()).toBe(2)
      expect(await lines('pre.answered')).toEqual([['', 'claude-1, turn x: 1 file\n'], ...expected])
      expect(await lines('.answer pre')).toEqual(expected)
    })

    test('is not seen where there is none', async () => {
      house.post({ id: 'm1', text: 'list' })
      house.post({ ...turn, kind: 'step', text: 'read: 3 lines\n--- a\n- b\n+ c', step: { id: 'p', state: 'ok' } })
      await enter()
      await poll(() => lines('.step pre')).toEqual([['', '--- a\n- b\n+ c']])
      expect(await page.locator('.step details').getAttribute('open')).toBe(null)
    })
  })

  describe('what a step says while it runs', () => {
    const turn = { author: agent, turn: 'm1.claude-1' }
    const live = () => page.locator('.live').allTextContents()
    const begin = async () => {
      house.post({ id: 'm1', text: 'test it' })
      house.post({ ...turn, kind: 'step', text: 'run {"argv":["npm"]}', step: { id: 'p', state: 'running' } })
      house.post({ ...turn, kind: 'step', text: 'read {}', step: { id: 'q', state: 'running' } })
      await enter()
      await poll(() => page.locator('.step').count()).toBe(2)
    }

    test('is its last lines, under it, as they come, and gone when it ends', async () => {
      await begin()
      house.progress('p', 'one\ntwo\nthr')
      await poll(live).toEqual(['one\ntwo\nthr'])
      house.progress('p', 'ee\n4\n5\n6\n7\n8\n')
      await poll(live).toEqual(['three\n4\n5\n6\n7\n8'])
      expect(await page.locator('.step:has(.live) .tool').allTextContents()).toEqual(['run'])
      house.post({ ...turn, kind: 'step', text: 'run: 8 lines\n8', step: { id: 'p', state: 'ok' } })
      await poll(live).toEqual([])
      // What comes late, or of a step that nobody knows, shows nothing.
      house.progress('p', 'late')
      house.progress('nobody', 'lost')
      house.progress('q', 'reading')
      await poll(live).toEqual(['reading'])
    })

    test('is text, whatever it is, and no terminal', async () => {
      await begin()
      house.progress('p', `${TRAP}\n\u001b[32mgreen\u001b`)
      house.progress('p', `[0m\u001b]0;title\u0007!\n10 %\r\u001b[K99 %\r\na\u202eb\u0000c\u001b(Bd`)
      await poll(live).toEqual([`${TRAP}\ngreen!\n99 %\nabcd`])
      expect(await page.locator('img, main script').count()).toBe(0)
    })

    test('is bounded, however much it says', async () => {
      await begin()
      for (let n = 0; n < 50; n++) house.progress('p', 'x'.repeat(1999))
      house.progress('p', 'end')
      await poll(live).toEqual([`${'x'.repeat(3997)}end`])
    })

    test('leaves the place to resume from untouched', async () => {
      await begin()
      house.progress('p', 'on its way')
      await poll(live).toEqual(['on its way'])
      await house.kill()
      house.post({ ...turn, kind: 'step', text: 'run: 1 line\nthere', step: { id: 'p', state: 'ok' } })
      await house.open()
      await poll(() => page.locator('.step[data-state=ok] pre').allTextContents()).toEqual(['there'])
    })
  })

  describe('what an agent is writing', () => {
    const turn = { author: agent, turn: 'm1.claude-1' }
    const [first, second] = ['m1.claude-1.said-1', 'm1.claude-1.said-2']
    const begin = async () => {
      house.post({ id: 'm1', text: 'why?' })
      house.post({ ...turn, kind: 'working', text: 'is at work' })
      await enter()
      await poll(() => page.locator('.work').count()).toBe(1)
    }
    /** What stands in the work below its steps, and what of it a reader hears when. A string: it runs in the page. */
    const WRITTEN = `[...document.querySelectorAll('.work > div')].map((block) => [block.className,
      ['aria-live', 'aria-busy'].map((name) => block.getAttribute(name)).join(), ...[...block.children].map((one) => (one.querySelector('pre') ?? one).textContent)])`
    const written = () => page.evaluate(WRITTEN)
    const growing = (...texts: string[]) => ['answer writing', 'polite,true', ...texts]

    test('grows block by block, and is replaced by what it came to: an aside among the steps, then the answer', async () => {
      await begin()
      house.progress(first, 'I look at `a')
      await poll(written).toEqual([growing('I look at `a')])
      house.progress(first, `.ts\` ${TRAP}`)
      await poll(written).toEqual([growing(`I look at a.ts ${TRAP}`)])
      house.post({ ...turn, kind: 'aside', id: first, text: `I look at ${TRAP}.` })
      house.post({ ...turn, kind: 'step', text: 'read {}', step: { id: 'p', state: 'running' } })
      await poll(() => page.evaluate(KINDS)).toEqual([
        ['aside', 'polite'],
        ['ol', 'off'],
      ])
      expect(await page.locator('.aside').textContent()).toBe(`I look at ${TRAP}.`)

      // What comes late, or of a turn that nobody knows, shows nothing.
      house.progress(first, 'late')
      house.progress('m0.claude-1.said-1', 'lost')
      house.progress(second, 'So:\n```ts\nlet a')
      await poll(written).toEqual([growing('So:', 'let a')])
      await page.evaluate(`document.querySelector('.writing').firstChild.read = true`)
      house.progress(second, ' = 1\n```\n- **one**')
      await poll(written).toEqual([growing('So:', 'let a = 1', 'one')])
      house.post({ ...turn, kind: 'answer', text: 'So:\n```ts\nlet a = 1\n```\n- **one**\n  - two' })
      await poll(written).toEqual([['answer', ',', 'So:', 'let a = 1', 'onetwo']])
      expect(await page.evaluate(`document.querySelector('.answer').firstChild.read`), 'what is read stays').toBe(true)
      house.progress(second, 'late')
      house.post({ text: 'thanks' })
      await poll(() => page.locator('.exchange').count()).toBe(2)
      expect(await page.locator('.writing, img, main script').count()).toBe(0)
    })

    test('is heard from there on by who comes in the middle, or was away, and is whole in the end', async () => {
      await begin()
      house.progress(first, 'one ')
      await poll(written).toEqual([growing('one ')])
      await page.reload()
      await poll(() => page.locator('.work').count()).toBe(1)
      house.progress(first, 'two ')
      await poll(written).toEqual([growing('two ')])
      await house.kill()
      await poll(() => page.locator('#composer').getAttribute('data-link')).toBe('offline')
      await house.open()
      await poll(() => page.locator('#composer').getAttribute('data-link')).toBe('online')
      house.progress(first, 'four')
      await poll(written).toEqual([growing('four')])
      house.post({ ...turn, kind: 'answer', text: 'one two three four' })
      await poll(written).toEqual([['answer', ',', 'one two three four']])
    })

    test('is folded up with many steps when the turn has ended, and one press away', async () => {
      house.post({ id: 'm1', text: 'why?' })
      for (let n = 0; n < 8; n++)
        house.post({ ...turn, kind: 'step', text: 'read {}: no', step: { id: `p${n}`, state: 'refused' } })
      house.post({ ...turn, kind: 'aside', id: first, text: 'hm' })
      await enter()
      await poll(() => page.getByText('hm').isVisible()).toBe(true)
      house.post({ ...turn, kind: 'answer', text: 'because' })
      await poll(() => page.getByText('because').isVisible()).toBe(true)
      expect(await page.getByText('hm').isVisible()).toBe(false)
      await page.getByText('the steps, and what was said on the way').click()
      expect(await page.getByText('hm').isVisible()).toBe(true)
    })
  })

  describe('rooms and threads', () => {
    const [flaky, old] = [`t-${'a1'.repeat(13)}`, `t-${'b2'.repeat(13)}`]
    const threads = [
      { id: flaky, agent: 'claude-1', name: `the flaky ${TRAP}`, archived: false },
      { id: old, agent: 'codex-1', name: 'an old one', archived: true },
    ]
    const places = () =>
      page.evaluate(`[...document.querySelectorAll('#places a')].map((place) =>
      [...[...place.children].map((part) => part.textContent), place.getAttribute('aria-current')])`)
    const heading = () => page.locator('#room, #with:not([hidden]), #mode').allTextContents()

    test('are one press away, each at an address that one can come back to', async () => {
      house.threads = threads
      house.post({ text: 'in the lobby' })
      house.post({ text: 'in the thread', room: flaky })
      await enter()
      await poll(read).toEqual([only('in the lobby')])
      await page.locator('#switcher summary').press('Enter')
      await poll(places).toEqual([
        ['lobby', 'execute', 'page'],
        [`the flaky ${TRAP}`, 'claude-1', null],
      ])
      await page.keyboard.press('Escape')
      expect(await page.locator('#places').isVisible()).toBe(false)
      await page.locator('#switcher summary').click()
      await page.locator('#places a').last().click()
      await poll(read).toEqual([only('in the thread')])
      expect(page.url()).toBe(`${house.address()}?room=${flaky}`)
      expect([await heading(), await page.title()]).toEqual([
        [`the flaky ${TRAP}`, 'with claude-1', 'diagnose'],
        `the flaky ${TRAP} · Bellhop`,
      ])
      await speak('and here?')
      await poll(() => house.heard.map(({ text, room }) => [room, text])).toEqual([[flaky, 'and here?']])
      await page.goBack()
      await poll(read).toEqual([only('in the lobby')])
      expect(await heading()).toEqual(['lobby', 'execute'])
    })

    test('what is begun can be gone to, and a list of threads is a list of ways', async () => {
      house.threads = threads
      house.post({ id: 'm1', text: '/new claude-1' })
      house.post({ id: 'm1.receipt', kind: 'answer', text: `${flaky}  2026-03-01 12:00  with claude-1` })
      house.post({ id: 'm2', text: '/threads' })
      house.post({ id: 'm2.receipt', kind: 'answer', text: `${flaky}  with claude-1\n${old}  with ${TRAP}` })
      house.post({ text: 'in the thread', room: flaky })
      await enter()
      await poll(() => page.locator('#transcript a').allTextContents()).toEqual([flaky, 'Go to the thread', flaky, old])
      await page.getByRole('link', { name: 'Go to the thread' }).click()
      await poll(read).toEqual([only('in the thread')])
    })

    test('one that is archived can be read, takes no messages, and can be taken out of the archive', async () => {
      house.threads = threads
      house.post({ text: 'long ago', room: old })
      await enter(old)
      await poll(read).toEqual([only('long ago')])
      expect(await heading()).toEqual(['an old one', 'with codex-1', 'diagnose'])
      expect(await places()).toEqual([
        ['lobby', 'execute', null],
        [`the flaky ${TRAP}`, 'claude-1', null],
        ['an old one', 'codex-1 · archived', 'page'],
      ])
      const says = page.getByText('This thread is archived: it can be read, and takes no messages.')
      expect([await says.isVisible(), await line().isVisible()]).toEqual([true, false])

      house.refuses = refusal('role-too-low', 'unarchive needs the role operator; you are viewer')
      await page.getByRole('button', { name: 'Take it out of the archive' }).click()
      await poll(() => page.locator('#archived-why').textContent()).toContain('unarchive needs the role operator')
      house.refuses = null
      await page.getByRole('button', { name: 'Take it out of the archive' }).click()
      await poll(() => line().isVisible()).toBe(true)
      expect(await says.isVisible()).toBe(false)
    })

    test('a place that is not there says so, and others are one press away', async () => {
      house.threads = threads
      await page.goto(`${house.address()}?room=t-nothing`)
      await poll(banner).toBe('There is no room "t-nothing". Rooms: lobby.')
      expect(await page.locator('#places a').count()).toBe(2)
    })

    test('a line that is kept for one room is not lost by speaking in another', async () => {
      house.threads = threads
      house.answer = () => 'hang-up'
      await enter()
      await speak('for the lobby')
      await poll(() => page.locator('#outbox').textContent()).toContain('not sent yet')
      house.answer = ({ id }) => ({ status: 200, body: receipt(id) })
      await enter(flaky)
      await speak('for the thread')
      await poll(read).toEqual([only('for the thread')])
      await enter()
      await poll(read).toEqual([only('for the lobby')])
    })
  })

  test('a refusal is shown once, with its remedy, though the door and the room both tell it', async () => {
    const why = refusal('agent-unknown', 'there is no agent "nobody"')
    house.answer = () => ({ status: 404, body: problemOf(why) })
    await enter()
    await speak('@nobody hello')
    await poll(read).toEqual([
      { ...only('@nobody hello'), refusals: [`Refused: ${why.message} [${why.code}]`, why.remedy] },
    ])
    house.post({
      kind: 'refusal',
      id: `${house.heard[0]?.id}.receipt`,
      text: `${why.message} [${why.code}]\n${why.remedy}`,
    })
    house.post({ kind: 'said', text: 'later', author: { ...person, id: 'bob' } })
    await poll(read).toEqual([
      { ...only('@nobody hello'), refusals: [`Refused: ${why.message} [${why.code}]`, why.remedy] },
      only('later'),
    ])
  })

  test('a line refused by a house in trouble can be sent again', async () => {
    const why = refusal('draining', 'the house is closing')
    house.answer = () => ({ status: 503, body: problemOf(why) })
    await enter()
    await speak('again, please')
    const again = page.getByRole('button', { name: 'Send again' })
    await poll(() => again.isVisible()).toBe(true)
    house.answer = ({ id }) => ({ status: 200, body: receipt(id) })
    await again.click()
    await poll(read).toEqual([
      { ...only('again, please'), refusals: [`Refused: ${why.message} [${why.code}]`, why.remedy] },
      only('again, please'),
    ])
    expect(await again.count()).toBe(0)
  })

  test('after a restart of the house nothing is lost and nothing doubled', async () => {
    house.post({ text: 'one' })
    house.post({ text: 'two' })
    await enter()
    await poll(read).toEqual([only('one'), only('two')])
    await house.kill()
    await poll(banner).toBe('reconnecting…')
    house.post({ text: 'three' })
    await house.open()
    house.post({ text: 'four' })
    await poll(read).toEqual(['one', 'two', 'three', 'four'].map(only))
    expect(await page.locator('#banner').isVisible()).toBe(false)
  })

  test('a line said while the house is away is kept, and goes out once, under one id', async () => {
    await enter()
    await house.kill()
    await poll(banner).toBe('reconnecting…')
    await speak('are you there?')
    const kept = page.locator('#outbox .exchange')
    await poll(() => kept.textContent()).toContain('not sent yet')
    expect(await kept.locator('.text').textContent()).toBe('are you there?')

    await page.evaluate('window.dispatchEvent(new Event("online"))')
    await house.open()
    await poll(read).toEqual([only('are you there?')])
    expect(house.heard.map(({ text, room }) => ({ text, room }))).toEqual([{ text: 'are you there?', room: 'lobby' }])
    expect(await kept.count()).toBe(0)
  })

  test('a line whose answer was lost is sent again under the same id', async () => {
    let times = 0
    house.answer = ({ id }) => (times++ < 2 ? 'hang-up' : { status: 200, body: receipt(id) })
    await enter()
    await speak('once')
    await poll(read).toEqual([only('once')])
    expect(house.heard).toEqual(Array(3).fill(house.heard[0]))
  })

  test('a kept line survives a reload of the page', async () => {
    house.answer = () => 'hang-up'
    await enter()
    await speak('do not forget me')
    await poll(() => page.locator('#outbox').textContent()).toContain('not sent yet')
    await page.reload()
    house.answer = ({ id }) => ({ status: 200, body: receipt(id) })
    await poll(read).toEqual([only('do not forget me')])
    expect(new Set(house.heard.map(({ id }) => id)).size).toBe(1)
  })

  test('someone who is not signed in is told which link to open, and let in once they are', async () => {
    house.signedIn = false
    await page.goto(house.address())
    await poll(banner).toBe(
      'You are not signed in: open the link that `bellhop link` prints, or reload this page to sign in.',
    )
    expect(await line().isDisabled()).toBe(true)
    house.signedIn = true
    await poll(() => line().isEnabled()).toBe(true)
    expect(await page.locator('#banner').isVisible()).toBe(false)
  })

  test('the keyboard is enough: completion, new lines, earlier lines', async () => {
    await enter()
    await poll(() => page.locator('#agents li').count()).toBe(2)
    await line().pressSequentially('/')
    const offered = page.locator('#choices [role=option] b')
    expect(await offered.allTextContents()).toEqual(['/help', '/who', '/mode'])
    await line().press('ArrowDown')
    await line().press('Tab')
    expect(await line().inputValue()).toBe('/who ')

    await line().fill('')
    await line().pressSequentially('ask @co')
    await line().press('Enter')
    expect(await line().inputValue()).toBe('ask @codex-1 ')
    await line().press('Shift+Enter')
    await line().pressSequentially('twice')
    await line().press('Enter')
    await poll(read).toEqual([only('ask @codex-1 \ntwice')])
    expect(await line().inputValue()).toBe('')

    await line().pressSequentially('/help')
    await line().press('Enter')
    await poll(() => house.heard.length).toBe(2)
    await line().pressSequentially('half')
    await line().press('ArrowUp')
    expect(await line().inputValue()).toBe('/help')
    await line().press('ArrowDown')
    expect(await line().inputValue()).toBe('half')
  })

  test('a long room keeps the last 500 exchanges, and a reader who scrolled up is not moved', async () => {
    await enter()
    for (let n = 1; n <= 520; n++) house.post({ text: `line ${n}` })
    const texts = () => page.locator('#transcript .text').allTextContents()
    await poll(texts).toEqual(Array.from({ length: 500 }, (_, index) => `line ${index + 21}`))
    const top = () => page.evaluate('Math.round(document.getElementById("scroller").scrollTop)')
    const bottom = () =>
      page.evaluate(
        '(({scrollHeight, clientHeight}) => scrollHeight - clientHeight)(document.getElementById("scroller"))',
      )
    await poll(async () => (await top()) === (await bottom())).toBe(true)

    await page.locator('#scroller').press('PageUp')
    const button = page.getByRole('button', { name: 'New messages' })
    await poll(async () => Number(await top()) < Number(await bottom()) - 100).toBe(true)
    expect(await button.isVisible()).toBe(false)
    house.post({ text: 'news' })
    await poll(() => button.isVisible()).toBe(true)
    await button.click()
    await poll(async () => (await top()) === (await bottom())).toBe(true)
    expect(await button.isVisible()).toBe(false)
  })

  describe('what was before', () => {
    const turn = { author: agent, turn: 'slow.claude-1' }
    const earlier = () => page.getByRole('button', { name: 'Earlier' })
    const goUp = () => page.evaluate(`document.getElementById('scroller').scrollTop = 0`)
    const texts = () => page.locator('#past .exchange > .text, #transcript .exchange > .text').allTextContents()
    const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`)
    const say = (from: number, to: number) => {
      for (const text of lines(from, to)) house.post({ text })
    }

    test('has what went with a line that was answered late, and nothing twice', async () => {
      await enter()
      house.post({ id: 'slow', text: 'slow' })
      say(0, 30)
      house.post({ ...turn, kind: 'answer', text: 'at last' })
      await poll(() => page.locator('.answer').allTextContents()).toEqual(['at last'])
      say(30, 510)
      await poll(texts).toEqual(lines(10, 510))
      await earlier().click()
      await poll(texts).toEqual(['slow', ...lines(0, 510)])
      expect(await page.locator('#past .answer').allTextContents()).toEqual(['at last'])
    })

    test('is not asked for by itself after it was refused', async () => {
      say(0, 500)
      await enter()
      await poll(texts).toEqual(lines(300, 500))
      await earlier().click()
      await poll(texts).toEqual(lines(200, 500))
      house.forgets = true
      let times = 0
      page.on('request', (request) => {
        if (request.url().includes('/api/posts')) times += 1
      })
      await goUp()
      await poll(() => times).toBe(1)
      await poll(() => earlier().isEnabled()).toBe(true)
      const scrolled = `new Promise((done) => { const scroller = document.getElementById('scroller')
        scroller.addEventListener('scroll', () => done(scroller.scrollTop), { once: true }); scroller.scrollTop += 10 })`
      await page.evaluate(scrolled)
      await page.evaluate(scrolled)
      house.forgets = false
      await earlier().click()
      await poll(texts).toEqual(lines(100, 500))
      expect(times).toBe(2)
    })

    test('may take work along that goes on: it has a place where it is live, and goes back when the gap is filled', async () => {
      say(0, 1350)
      house.post({ id: 'slow', text: 'slow' })
      say(1350, 1600)
      house.post({ ...turn, kind: 'step', text: 'read {}', step: { id: 'p', state: 'running' } })
      await enter()
      await poll(() => page.locator('#transcript .work').count()).toBe(1)
      await earlier().click()
      await poll(() => page.locator('#past .work').count()).toBe(1)
      const isGone = async () => {
        await goUp()
        return page.locator('.work').count()
      }
      await poll(isGone).toBe(0)
      house.post({ ...turn, kind: 'step', text: 'run {}', step: { id: 'q', state: 'running' } })
      await poll(() => page.locator('#transcript .work .tool').allTextContents()).toEqual(['run'])
      const more = page.getByRole('button', { name: 'Show more of it' })
      const fill = async () => {
        if (await more.isVisible()) await more.click()
        return page.locator('#past .work .tool').allTextContents()
      }
      await poll(fill).toEqual(['read', 'run'])
      await poll(() => more.isVisible()).toBe(false)
      expect(await page.locator('#transcript .work').count()).toBe(0)
    })
  })

  describe('the connection', () => {
    /** How often the page has asked for a path, from now on. */
    const count = () => {
      const asked: string[] = []
      page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
      return (path: string) => asked.filter((one) => one === path).length
    }

    test('of a page without a place looks in, and leaves the reader and what grows alone', async () => {
      await page.addInitScript(
        `for (const n of [1, 2, 3, 4]) navigator.locks.request('stream-' + n, () => new Promise(() => {}))`,
      )
      const requests = count()
      house.post({ id: 'm1', text: 'why?' })
      house.post({ author: agent, turn: 'm1.claude-1', kind: 'working', text: 'is at work' })
      await enter()
      const writing = () => page.locator('.writing').textContent()
      await poll(() => {
        house.progress('m1.claude-1.said-1', 'x')
        return page.locator('.writing').count()
      }).toBe(1)
      await page.evaluate('document.activeElement.blur()')
      const before = requests('/api/follow')
      await poll(() => requests('/api/follow')).toBe(before + 1)
      house.post({ text: 'heard' })
      await poll(() => page.getByText('heard').count()).toBe(1)
      expect(await writing()).toMatch(/^x+$/)
      expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
      expect(requests('/api/who')).toBe(1)
    })

    test('is given up where a stream never opens, and tried again', async () => {
      const waits = await keepLongWaits(page)
      house.isMute = true
      const stream = page.waitForRequest('**/api/follow**')
      await page.goto(house.address())
      await stream
      await waits.end()
      await poll(banner).toBe('reconnecting…')
      house.isMute = false
      // It may have tried again before that: what it waits for then is ended, too.
      await poll(async () => {
        const link = await page.locator('#composer').getAttribute('data-link')
        if (link !== 'online') await waits.end()
        return link
      }).toBe('online')
    })

    test('is had where the browser gives no places', async () => {
      await page.addInitScript(`navigator.locks.request = () => Promise.reject(new Error('no'))`)
      await enter()
    })

    test('that was superseded does nothing any more', async () => {
      let refuse = () => {}
      await page.route(
        '**/api/whoami',
        (route) => {
          refuse = () => void route.fulfill({ status: 503, json: problemOf(refusal('draining', 'closing')) })
        },
        { times: 1 },
      )
      const held = page.waitForRequest('**/api/whoami')
      const answered = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/api/whoami'))
      const requests = count()
      await page.goto(house.address())
      await held
      await page.evaluate('dispatchEvent(new Event("online"))')
      await poll(() => page.locator('#composer').getAttribute('data-link')).toBe('online')
      await answered
      const late = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/api/whoami'))
      refuse()
      await late
      house.post({ text: 'heard' })
      await poll(read).toEqual([only('heard')])
      expect([await banner(), requests('/api/follow')]).toEqual(['', 1])
    })
  })

  test('an answer to a line further up is pointed out, and one press away', async () => {
    house.post({ id: 'm1', text: 'a slow question' })
    house.post({ author: agent, kind: 'accepted', turn: 'm1.claude-1', text: 'claude-1 has it, in explore' })
    for (let n = 1; n <= 50; n++) house.post({ text: `line ${n}` })
    await enter()
    const lastLine = page.getByText('line 50')
    await poll(() => lastLine.isVisible()).toBe(true)
    house.post({ author: agent, kind: 'answer', turn: 'm1.claude-1', text: 'at last', at: new Date().toISOString() })
    const button = page.getByRole('button', { name: 'claude-1 answered' })
    await poll(() => button.isVisible()).toBe(true)
    await button.click()
    const inSight = `document.querySelector('.answer').getBoundingClientRect().top > 0`
    await poll(() => page.evaluate(inSight)).toBe(true)
    await poll(() => button.isVisible()).toBe(false)
  })

  test('nothing sticks out at 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 640 })
    const long = 'x'.repeat(400)
    house.threads = [{ id: `t-${'a1'.repeat(13)}`, agent: 'claude-1', name: long, archived: false }]
    house.post({ id: 'm1', text: long })
    house.post({ author: agent, kind: 'accepted', turn: 'm1.claude-1', text: long })
    house.post({
      author: agent,
      kind: 'step',
      turn: 'm1.claude-1',
      text: `read {"path":"${long}"}`,
      step: { id: 'p', state: 'running' },
    })
    house.post({ author: agent, kind: 'step', turn: 'm1.claude-1', text: long, step: { id: 'p', state: 'ok' } })
    house.post({ author: agent, kind: 'answer', turn: 'm1.claude-1', text: `${long}\n  ${long}` })
    house.post({ kind: 'refusal', id: 'm1.receipt', text: `${long}\n${long}` })
    house.post({ kind: 'notice', text: long })
    const more = { author: agent, turn: 'm1.claude-1' }
    house.post({ ...more, kind: 'notice', text: long })
    house.post({
      ...more,
      kind: 'approval',
      text: `${long}\n${long}\n${long}`,
      step: { id: 'p1', state: 'running' },
      approval: { name: long, state: 'open', until: AT },
    })
    house.post({
      ...more,
      kind: 'step',
      text: `edit: changed\n--- a/${long}\n+++ b/${long}\n@@ -1 +1 @@\n-${long}\n+${long}`,
      step: { id: 'p2', state: 'ok' },
    })
    house.post({ ...more, kind: 'step', text: 'run {}', step: { id: 'p3', state: 'running' } })
    await enter()
    await poll(() => page.locator('.step').count()).toBe(3)
    house.progress('p3', long)
    await poll(() => page.locator('.live').count()).toBe(1)
    house.post({ ...more, kind: 'aside', id: 'm1.claude-1.said-1', text: long })
    house.post({ id: 'm2', text: 'and?' })
    house.post({ author: agent, kind: 'working', turn: 'm2.claude-1', text: 'is at work' })
    await poll(() => page.locator('.work').count()).toBe(2)
    house.progress('m2.claude-1.said-1', `${long}\n\`\`\`\n${long}`)
    await poll(() => page.locator('.writing').count()).toBe(1)
    await page.locator('#switcher summary').click()
    expect(await page.locator('#places').isVisible()).toBe(true)
    const out = `[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 361
      && !one.closest('.call, .result, .unseen, .around a')).map((one) => one.className)`
    expect(await page.evaluate(out)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})
