import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { eventsOf, type ServerEvent } from '../../src/client/events.ts'
import { createApp } from '../../src/console/app.ts'
import type { Console } from '../../src/console/house.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { createProgress } from '../../src/registry/progress.ts'
import type { Progress } from '../../src/shapes/post.ts'
import { ok } from '../../src/shapes/result.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { admitViewer, UNHURRIED } from './viewer.ts'

let house: TestHouse
let prefix: string
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
  prefix = `bellhop-${secretsOf(folderAt(house.settings.data)).instance}`
})
afterAll(() => house[Symbol.asyncDispose]())

const saying = (text: string, room = 'quiet'): Progress => ({ room, session: 's-1', step: `m1.codex-1.${room}`, text })
const say = async (text: string) =>
  must(await createClient({ url: house.url, token: house.tokens.admin, face: 'cli' }).say({ room: 'quiet', text }))
const listeners = async () => (await house.redis.redis.pubsub('NUMSUB', `${prefix}:progress`))[1]

const open = async (query: string, gone: AbortSignal) => {
  const headers = { authorization: `Bearer ${house.tokens.admin}` }
  return fetch(new URL(`/api/follow?room=quiet${query}`, house.url), { headers, signal: gone })
}

test('what a step says while it runs comes with the posts of its room, without a place in them', async () => {
  const after = await house.store.head()
  const gone = new AbortController()
  const response = await open(`&after=${after}`, gone.signal)
  await eventually('the reader to be heard of', async () => Number(await listeners()) > 0)
  const progress = createProgress({ redis: house.redis.redis, prefix, redact: (text) => text })
  progress.say(saying('elsewhere', 'porch'))
  progress.say(saying('one\n'))
  progress.say(saying('<b>two</b>'))
  let raw = ''
  let said = false
  for await (const chunk of response.body ?? []) {
    raw += new TextDecoder().decode(chunk)
    if (raw.includes('two') && !said) {
      said = true
      await say('here')
    }
    if (raw.includes('"here"')) break
  }
  gone.abort()
  const [, told, post] = raw.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  expect(told).toBe(`event: progress\ndata: ${JSON.stringify({ ...saying(''), text: 'one\n<b>two</b>' })}`)
  expect(post).toContain(`\nid: ${after + 1}`)
})

test('a reader that does not keep up misses what is said meanwhile, and hears what comes after', async () => {
  let tell: (progress: Progress) => void = () => {}
  let listening = 0
  const console: Pick<
    Console,
    'front' | 'pace' | 'hosts' | 'cookie' | 'admit' | 'enter' | 'tail' | 'follow' | 'progress'
  > = {
    ...UNHURRIED,
    hosts: [],
    cookie: 'bellhop',
    admit: admitViewer,
    enter: async () => ok(null),
    tail: async () => [],
    follow: async function* (_room, _after, signal) {
      yield* []
      await new Promise((done) => signal.addEventListener('abort', done))
    },
    progress: (_room, heard) => {
      tell = heard
      listening += 1
      return () => {
        listening -= 1
      }
    },
  }
  const response = await createApp(console as Console).request('/api/follow?after=0', {
    headers: { host: 'localhost' },
  })
  for (let n = 0; n < 1000; n++) tell(saying(String(n)))
  const heard: string[] = []
  const textOf = ({ data }: ServerEvent) => (JSON.parse(data) as Progress).text
  for await (const event of eventsOf(response)) {
    heard.push(textOf(event))
    if (heard.length === 16) setImmediate(() => tell(saying('later')))
    if (heard.at(-1) === 'later') break
  }
  expect(heard).toEqual([...Array.from({ length: 16 }, (_, n) => String(n)), 'later'])
  await eventually('nobody to listen any more', async () => listening === 0)
})
