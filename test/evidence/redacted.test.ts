import { describe, expect, test } from 'vitest'
import { hashOf } from '../../src/evidence/hash.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { must, said } from '../support/store.ts'
import { engines } from './engines.ts'

const TOKEN = `ghp_${'aB3'.repeat(12)}`

describe.each(engines)('in $name', ({ testStore }) => {
  test('a secret never reaches the store, and what had one can be written again', async () => {
    await using house = await testStore()
    const draft = said('m1', `my token is ${TOKEN}, keep it`)
    const [entry] = must(await house.store.append([draft]))
    const body = { event: 'message', text: 'my token is [redacted:github-token], keep it' } as const
    expect([entry?.body, entry?.bodyHash, await house.store.get('m1')]).toEqual([body, hashOf(body), entry])
    expect(must(await house.store.append([draft]))).toEqual([entry])
    expect(house.store.hashBody(draft.body)).toBe(entry?.bodyHash)
    expect(must(await house.store.query({ text: 'token' })).entries).toEqual([entry])
    expect(must(await house.store.query({ text: TOKEN })).entries).toEqual([])
  })

  test('an id that reads like a secret is refused where it would be taken out', async () => {
    await using house = await testStore()
    const turn = `${TOKEN}.claude-1`
    const draft = { ...said('m1.receipt', ''), body: { event: 'turn-started', turn } as const }
    expect(await house.store.append([draft])).toEqual({
      ok: false,
      refusal: {
        code: 'request-invalid',
        message: 'not an entry: m1.receipt has an id that reads like a secret',
        remedy: refusals['request-invalid'].remedy,
      },
    })
    expect(await house.store.head()).toBe(0)
  })
})
