import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KINDS } from './clients.ts'
import { journey, type Seen } from './journey.ts'
import { type Place, startPlace } from './place.ts'

/** What every client sees, whatever it is and however it got there. */
const SEEN: Seen = {
  before: [
    'read',
    'list',
    'glob',
    'grep',
    'run',
    'web-fetch',
    'evidence',
    'hop',
    'bell',
    'whistle',
    'park',
    'pattern-search',
    'pattern-read',
  ],
  read: '# teapot\n\nIt pours.\n',
  outside: {
    code: -32602,
    message:
      'write is not a tool of explore; its tools are read, list, glob, grep, run, web-fetch, evidence, hop, bell, whistle, park, pattern-search, pattern-read',
  },
  hop: 'in edit with {"target-files":["README.md"]}; the tools here are read, list, glob, grep, edit, multi-edit, apply-patch, write, run, terminal, evidence, hop, bell, whistle, park, pattern-search, pattern-read',
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
    'bell',
    'whistle',
    'park',
    'pattern-search',
    'pattern-read',
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

let place: Place
beforeAll(async () => {
  place = await startPlace()
})
afterAll(() => place?.[Symbol.asyncDispose]())

describe.each(['http', 'stdio'] as const)('over %s', (way) => {
  it.each(KINDS)('a client of $title sees its wall, calls, hops and is told', async ({ version, connect }) => {
    const visitor = await place.visitor()
    await using client = await connect(visitor[way])
    expect(client.version).toBe(version)
    expect(await journey(client, { ...visitor, store: place.store })).toEqual(SEEN)
  })
})
