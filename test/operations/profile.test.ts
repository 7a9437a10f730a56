import { expect, test } from 'vitest'
import { profileOf } from '../../src/evidence/profiles.ts'
import { roomOfThread, threadOf } from '../../src/evidence/threads.ts'
import type { Context } from '../../src/operations/operation.ts'
import { Profile } from '../../src/shapes/profile.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { BULLETINS, LOBBY, line, QUIET, type TestSocial, testSocial } from '../support/social.ts'
import { ADA, must } from '../support/store.ts'

const PROFILES = {
  careful: Profile.parse({
    summary: 'a person is asked',
    sandbox: 'read-only',
    approval: 'always',
    budget: { turn: { tokens: 400_000, usd: 2 } },
  }),
  fast: Profile.parse({ summary: 'a small model', models: { claude: 'haiku' } }),
}

const CONFIG = {
  agents: [],
  profiles: PROFILES,
  profile: null,
  prices: { asOf: '2026-01-01', models: {} },
  networks: {},
  people: {},
  bulletins: BULLETINS,
} satisfies Context['config']

/** A house with these profiles, in which threads are rooms. */
const house = async (config: Context['config'] = CONFIG): Promise<TestSocial> => {
  const given = await testSocial((store) => ({
    roomsFor: async (room) => {
      const thread = await threadOf(store, room)
      return [LOBBY, QUIET, ...(thread ? [roomOfThread(thread, [LOBBY, QUIET])] : [])]
    },
  }))
  const { contextFor } = given.social
  const social = {
    ...given.social,
    contextFor: (...who: Parameters<typeof contextFor>) => ({ ...contextFor(...who), config }),
  }
  return { ...given, social, [Symbol.asyncDispose]: () => given[Symbol.asyncDispose]() }
}

let said = 0
const ask = ({ social }: TestSocial, text: string, room = 'quiet', token = 'token-of-ada') =>
  receive(line({ id: `m${++said}`, text, room, credential: { token, as: null } }), social)
const answer = async (it: TestSocial, text: string, room?: string) => must(await ask(it, text, room)).answer

const written = async ({ store }: TestSocial) =>
  must(await store.query({ event: 'profile-set', order: 'oldest' })).entries.map(({ subject, author, body }) => [
    subject,
    author,
    body,
  ])

test('a room is set to a profile and back, each with an entry of who did it; what is set is not set twice', async () => {
  await using it = await house()
  expect([
    await answer(it, '/profile'),
    await answer(it, '/profile none'),
    await answer(it, '/profile careful'),
    await answer(it, '/profile careful'),
    await answer(it, '/profile'),
    await answer(it, '/profile', 'lobby'),
    await answer(it, '/profile fast'),
    await answer(it, '/profile none'),
  ]).toEqual([
    'quiet has no profile',
    'quiet has no profile',
    'quiet works by careful: a person is asked',
    'quiet works by careful: a person is asked',
    'quiet works by careful: a person is asked',
    'lobby has no profile',
    'quiet works by fast: a small model',
    'quiet has no profile',
  ])
  const subject = { type: 'room', id: 'quiet' }
  expect(await written(it)).toEqual([
    [subject, ADA, { event: 'profile-set', from: null, to: 'careful' }],
    [subject, ADA, { event: 'profile-set', from: 'careful', to: 'fast' }],
    [subject, ADA, { event: 'profile-set', from: 'fast', to: null }],
  ])
})

test('what holds by the config, or by the room of a thread, is said to be from there', async () => {
  await using it = await house({ ...CONFIG, profile: 'fast' })
  must(await ask(it, '/new', 'lobby'))
  const thread = must(await it.store.query({ event: 'thread-started' })).entries[0]?.subject.id ?? ''
  expect(await answer(it, '/profile', thread)).toBe(`${thread} works by fast, which was not set here: a small model`)
  must(await ask(it, '/profile careful', 'lobby'))
  expect([
    await answer(it, '/profile', thread),
    await answer(it, '/profile fast', thread),
    await answer(it, '/profile', 'lobby'),
    await answer(it, '/profile none', 'lobby'),
  ]).toEqual([
    `${thread} works by careful, which was not set here: a person is asked`,
    `${thread} works by fast: a small model`,
    'lobby works by careful: a person is asked',
    'lobby works by fast, which was not set here: a small model',
  ])
})

test('a profile that there is not is refused with those there are, and changes nothing', async () => {
  await using it = await house()
  for (const name of ['carefull', 'constructor']) {
    expect(await ask(it, `/profile ${name}`)).toEqual(
      refused(refusal('command-invalid', `there is no profile ${name}; there is careful, fast, none`)),
    )
  }
  expect(await written(it)).toEqual([])
})

test('one that the config has no longer is said to be that', async () => {
  await using it = await house()
  must(await ask(it, '/profile careful'))
  const { contextFor } = it.social
  const config = { ...CONFIG, profiles: {} }
  const social = {
    ...it.social,
    contextFor: (...who: Parameters<typeof contextFor>) => ({ ...contextFor(...who), config }),
  }
  expect(await answer({ ...it, social }, '/profile')).toBe(
    'quiet works by careful: the config has it no longer, so everything is read-only and asked about',
  )
})

test('an operator sets it, and a viewer looks', async () => {
  await using it = await house()
  must(await ask(it, '/profile careful', 'quiet', 'token-of-bob'))
  // Who may give work may be more careful with it; to be less so is for an approver.
  for (const wider of ['none', 'fast'])
    expect(await ask(it, `/profile ${wider}`, 'quiet', 'token-of-bob')).toEqual(
      refused(
        refusal('role-too-low', 'careful holds in quiet: to open more needs the role approver; you are operator'),
      ),
    )
  expect(await ask(it, '/profile none', 'quiet', 'token-of-eve')).toEqual(
    refused(refusal('role-too-low', '/profile needs the role operator; you are viewer')),
  )
  expect(must(await ask(it, '/profiles', 'quiet', 'token-of-eve')).answer).toBe(
    [
      'careful (holds here): a person is asked; no more than read-only; a person is always asked; 400,000 tokens a turn; $2.00 a turn',
      'fast: a small model; claude with haiku',
    ].join('\n'),
  )
  expect(await profileOf(it.store, 'quiet', CONFIG)).toBe('careful')
})

test('the list is for a room that is named, too, and for programs as it is', async () => {
  await using it = await house()
  must(await ask(it, '/profile fast', 'lobby'))
  const outputs: unknown[] = []
  must(await receive(line({ text: '/profiles room=lobby' }), { ...it.social, heard: (output) => outputs.push(output) }))
  expect(outputs).toEqual([
    {
      room: 'lobby',
      profile: 'fast',
      profiles: [
        { name: 'careful', holds: false, ...PROFILES.careful },
        { name: 'fast', holds: true, ...PROFILES.fast },
      ],
    },
  ])
  await using bare = await house({ ...CONFIG, profiles: {} })
  expect(await answer(bare, '/profiles')).toBe('the config has no profiles')
})
