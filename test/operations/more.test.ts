import fc from 'fast-check'
import { expect, test } from 'vitest'
import { more } from '../../src/operations/more.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { must } from '../support/store.ts'
import { atHome, openAsking, sender } from './asking.ts'

const open = (text: string, room = 'lobby', networks?: unknown) =>
  openAsking({
    ...(networks === undefined ? {} : { networks }),
    change: { postOf: async (id) => (id === 'm1.ended' ? { room, text } : null) },
  })
const ADA = atHome('ada', 'viewer')

test('a text is given piece by piece, up to the end of a line or a word', async () => {
  const lines = `${'a'.repeat(150)}\n${'b'.repeat(30)} ${'c'.repeat(100)}`
  await using it = await open(`${lines} ${'d'.repeat(300)}`)
  expect([
    must(await it.ask('more m1.ended length=200', ADA)),
    must(await it.ask('more m1.ended 151 length=200', ADA)),
    must(await it.ask('more m1.ended 283 length=200', ADA)),
    must(await it.ask('more m1.ended 483 length=200', ADA)),
  ]).toEqual([
    { post: 'm1.ended', text: `${'a'.repeat(150)}\n`, next: 151, total: 583 },
    { post: 'm1.ended', text: `${'b'.repeat(30)} ${'c'.repeat(100)} `, next: 283, total: 583 },
    { post: 'm1.ended', text: 'd'.repeat(200), next: 483, total: 583 },
    { post: 'm1.ended', text: 'd'.repeat(100), next: null, total: 583 },
  ])
  expect([await it.answer('more m1.ended length=200', ADA), await it.answer('more m1.ended 600', ADA)]).toEqual([
    `${'a'.repeat(150)}\n(432 more characters: /more m1.ended 151)`,
    'that was all of m1.ended',
  ])
})

test('the pieces of any text are the whole of it, and none ends in the middle of a character', async () => {
  const texts = fc
    .array(fc.constantFrom('a', ' ', '\n', '😀', 'é', '漢'), { maxLength: 2000 })
    .map((all) => all.join(''))
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 200, max: 700 }), async (text, length) => {
      const postOf = async () => ({ room: 'lobby', text })
      const context = { room: 'lobby', postOf } as unknown as Parameters<typeof more.run>[1]
      const pieces: string[] = []
      for (let from: number | null = 0; from !== null; ) {
        const output = must(await more.run({ post: 'm1', from, length }, context)) as {
          text: string
          next: number | null
        }
        expect(output.text.isWellFormed() && output.text.length <= length).toBe(true)
        pieces.push(output.text)
        from = output.next
      }
      expect(pieces.join('')).toBe(text)
    }),
  )
})

test('from the middle of a character, it begins with that', async () => {
  await using it = await open('a😀b')
  expect(must(await it.ask('more m1.ended 2', ADA))).toMatchObject({ text: '😀b', next: null })
})

test('of a text that nobody shows, or in a room that somebody may not look into, nothing is said', async () => {
  const libera = { kind: 'irc', host: 'irc.example', channels: { '#team': 'lobby' } }
  await using it = await open('secret', 'ops', { libera: { ...libera, role: 'operator' } })
  await using hall = await open('hello', 'lobby', { libera })
  const operator = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
  const guest = await hall.fromNetwork(sender({ nick: 'ada' }), 'lobby')
  const unknown = refused(refusal('entry-unknown', 'no room shows anything by the name of m1.ended'))
  expect([
    await it.ask('more m1.ended', operator, 'lobby'),
    await hall.ask('more m1.ended', guest, 'quiet'),
    await hall.answer('more m1.ended', guest, 'lobby'),
    await it.answer('more m1.ended', ADA, null),
    await it.answer('more m2', ADA, null),
  ]).toEqual([unknown, unknown, 'hello', 'secret', 'entry-unknown: no room shows anything by the name of m2'])
})
