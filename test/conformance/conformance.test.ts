import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { EXPECTED } from './expected.ts'
import { type Profile, startProfile } from './profile.ts'
import { runSuite, SETS, type SetName } from './suite.ts'
import { findTools, type Tools } from './tools.ts'

/** How many scenarios of each set there are to pass. */
const REQUIRED: Record<SetName, number> = { '2025-11-25': 30, '2026-07-28': 37, '0.1.16': 32 }

describe('the public conformance suite, through authentication', () => {
  let tools: Tools
  let profile: Profile
  beforeAll(async () => {
    tools = await findTools()
    profile = await startProfile()
  }, INSTALL_MS)
  afterAll(() => profile?.[Symbol.asyncDispose]())

  it.each(Object.keys(SETS) as SetName[])('passes every required scenario of %s', async (set) => {
    const outcome = await runSuite(tools, set, await profile.enter())
    expect(outcome).toEqual(EXPECTED[set])
    expect(outcome.required.length).toBe(REQUIRED[set])
  })

  it('gets nowhere without a token', async () => {
    const asked = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    const { status, headers } = await fetch(profile.url, asked)
    expect([status, headers.get('www-authenticate')?.startsWith('Bearer')]).toEqual([401, true])
  })
})
