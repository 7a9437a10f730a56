import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { READABLE, serverOf } from './stay.ts'

const CONFIG = `
servers: ${JSON.stringify({ docs: serverOf('of-the-house') })}
sandbox: ${JSON.stringify({ readable: READABLE })}
`

const RESEARCH = `
id: research
purpose: Find out how something is used.
tools: [read, docs.echo]
modes: [execute]
role: operator
entry: [user-request]
limits: { stepsPerTurn: 40, outputBytes: 51200, outputLines: 2000, seconds: 20 }
examples:
  allowed:
    - { why: a page, tool: docs.echo, args: { text: how to pour } }
  refused:
    - { why: what is not named, tool: docs.count, args: { text: x } }
`

test('in a room: an agent uses a tool of another server; once that changes, an admin must accept it', async () => {
  await using house = await startTestHouse({ config: CONFIG, peripherals: { 'research.yaml': RESEARCH } })
  const as = (token: string) => createClient({ url: house.url, token, face: 'cli' })
  const [admin, operator] = [as(house.tokens.admin), as(house.tokens.operator)]
  const say = async (id: string, text: string) => must(await admin.say({ id, room: 'quiet', text }))
  const used = async (id: string) => {
    await say(id, `/research @claude use docs.echo {"text": "${id} it is"}`)
    const ended = await eventually(`${id} to end`, () => house.store.get(`${id}.claude-1.ended`))
    return ended.body.event === 'turn-ended' ? ended.body.answer : ''
  }

  // The worker has looked before anybody asked.
  await eventually('the answer of /sources', async () => {
    const { answer } = await say(`sources-${Date.now()}`, '/sources')
    return /^docs\.echo accepted [0-9a-f]{12}: Says it again\.$/.test(answer ?? '') || null
  })
  expect(await used('tea')).toContain('tea it is')

  writeFileSync(join(house.settings.workspace, 'about.txt'), 'Says it louder.')
  expect(await used('milk')).toContain('docs.echo has changed its description, and nobody has accepted that')
  expect((await say('look', '/sources docs.echo')).answer).toContain('  | Says it louder.')
  expect(await operator.say({ id: 'no', room: 'quiet', text: '/accept docs.echo' })).toMatchObject({
    ok: false,
    refusal: { code: 'role-too-low' },
  })
  expect((await say('yes', '/accept docs.echo')).answer).toMatch(/^docs\.echo is accepted as [0-9a-f]{12}$/)
  expect(await used('sugar')).toContain('sugar it is')
})
