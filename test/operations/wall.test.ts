import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })

let n = 0
const answer = async (text: string) => must(await client().say({ id: `tried-${++n}`, room: 'quiet', text })).answer

const GIVEN = '  given that the turn has just begun: nothing is spent, nothing has failed, nobody stopped it'

test('a call is tried in a room by words, with the rule that refuses it', async () => {
  expect(await answer('/try edit write path=a.txt text=x')).toBe(
    [
      'write behind edit: passes, changes a.txt, reads a.txt',
      GIVEN,
      '  given that the room is in execute',
      '  given that who asked is an admin',
    ].join('\n'),
  )
  expect(await answer('/try deploy run git push phase=review room=quiet role=operator')).toBe(
    [
      'run behind deploy: refused (rule 10) with command-not-allowed: deploy may not run git push; it may run: git status <--short|--branch>...; git diff <--stat|--name-only|--cached>...; git log <--oneline|--stat>... -n <number>; run one of the commands the message names',
      GIVEN,
    ].join('\n'),
  )
  expect(await answer('/try deploy run git push phase=release room=quiet role=operator')).toBe(
    [
      'run behind deploy: a person is asked (rule 15): deploy asks before each git push; a yes opens: run git push, in the sandbox full, with the network',
      GIVEN,
    ].join('\n'),
  )
})

test('a room that there is not, and what is no JSON, are refused before the gate is asked', async () => {
  const none = await client().ask('try', { peripheral: 'edit', tool: 'read', args: '{}', room: 'cellar' })
  const text = await client().ask('try', { peripheral: 'edit', tool: 'read', args: '{"path":' })
  expect([none, text].map((one) => !one.ok && [one.refusal.code, one.refusal.message])).toEqual([
    ['room-unknown', 'there is no room cellar; there is lobby, quiet, porch'],
    ['request-invalid', 'args: expected JSON'],
  ])
})

test('a wall is told whole, with what each tool takes and when it is left', async () => {
  const { spec, tools, conditions } = must(await client().ask('wall', { peripheral: 'explore' }))
  expect([spec.id, tools.map(({ name }) => name)]).toEqual(['explore', spec.tools])
  expect(tools.find(({ name }) => name === 'hop')?.takes).toMatchObject({ required: ['to'] })
  expect(conditions).toEqual([
    { when: 'found-target', says: 'a file was found' },
    { when: 'always', says: 'nothing' },
  ])
})

test('walls lead to each other by ways with their conditions', async () => {
  const { ways } = must(await client().ask('peripherals', { id: 'deploy' }))
  expect(ways).toEqual([
    { from: 'deploy', to: 'explore', when: 'deployed' },
    { from: 'deploy', to: 'edit', when: 'blocked' },
    { from: 'deploy', to: 'reflect', when: 'always' },
    { from: 'deploy', to: 'chat', when: 'always' },
  ])
})
