import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KINDS } from './clients.ts'
import { journey, type Seen } from './journey.ts'
import { type Profile, startProfile, stdioWay } from './profile.ts'

/** What every client sees, whatever it is and however it got there. */
const SEEN: Seen = {
  before: ['read', 'list', 'glob', 'grep', 'run', 'web-fetch', 'evidence', 'hop'],
  read: '# teapot\n\nIt pours.\n',
  outside: {
    code: -32602,
    message: 'write is not a tool of explore; its tools are read, list, glob, grep, run, web-fetch, evidence, hop',
  },
  hop: 'in edit with {"target-files":["README.md"]}; the tools here are read, list, glob, grep, edit, multi-edit, apply-patch, write, run, terminal, evidence, hop',
  changes: 1,
  after: [
    'read',
    'list',
    'glob',
    'grep',
    'edit',
    'multi-edit',
    'apply-patch',
    'write',
    'run',
    'terminal',
    'evidence',
    'hop',
  ],
  updates: ['evidence://session/SESSION', 'evidence://session/SESSION'],
  events: [
    'session-opened',
    'accepted',
    'turn-started',
    'peripheral-started',
    'step-intended',
    'step-ended',
    'step-refused',
    'step-intended',
    'step-ended',
    'peripheral-stopped',
    'peripheral-started',
    'verified',
    'step-refused',
    'step-refused',
  ],
  prompt: 'You work in edit: Change files of the workspace. Every change can be undone. … fix the typo',
  completion: ['edit', 'explore'],
}

let profile: Profile
beforeAll(async () => {
  profile = await startProfile({ fixtures: false })
})
afterAll(() => profile?.[Symbol.asyncDispose]())

let made = 0
/** An agent of its own for every client: what one does is not in the way of another. */
const newAgent = async () => {
  const agent = `interop-${++made}`
  const token = await profile.agent({ agent, type: agent })
  return { token, where: { agent, room: 'lobby', store: profile.house.store } }
}

describe('over HTTP', () => {
  it.each(KINDS)('a client of $title sees its wall, calls, hops and is told', async ({ version, connect }) => {
    const { token, where } = await newAgent()
    await using client = await connect({ kind: 'http', url: profile.url, token })
    expect(client.version).toBe(version)
    expect(await journey(client, where)).toEqual(SEEN)
  })
})

describe('over stdio', () => {
  it.each(KINDS)('a client of $title sees its wall, calls, hops and is told', async ({ version, connect }) => {
    const { token, where } = await newAgent()
    await using client = await connect(stdioWay(profile, token))
    expect(client.version).toBe(version)
    expect(await journey(client, where)).toEqual(SEEN)
  })
})
