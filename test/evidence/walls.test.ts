import { describe, expect, test } from 'vitest'
import { BELLHOP, houseDraft } from '../../src/evidence/drafts.ts'
import { canonical, hashOf, sha256 } from '../../src/evidence/hash.ts'
import { openStore } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { declareWalls, specOf } from '../../src/evidence/walls.ts'
import type { Author, Draft } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { ADA, idsOf, must, reopened, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { openRaw } from './file.ts'
import { inSession } from './history.ts'
import { body, written } from './planted.ts'
import { richHistory, WALLS, wallOf } from './rich.ts'

const explore = wallOf('explore')
const HASH = hashOf(explore)
const ID = `wall.${HASH.slice(0, 32)}`

describe.each(engines)('a wall, in $name', (engine) => {
  test('is declared as it is, in the house’s own chain, and read back from there', async () => {
    await using house = await engine.testStore()
    const declared = must(await declareWalls(house.store, WALLS))
    expect(idsOf(declared)).toEqual(WALLS.map((wall) => `wall.${hashOf(wall).slice(0, 32)}`))
    expect(idsOf(await house.store.chain('house'))).toEqual(idsOf(declared))
    const { session, author, body } = must(await declareWalls(house.store, [explore]))[0] ?? {}
    expect({ session, author, body }).toEqual({
      session: 'house',
      author: BELLHOP,
      body: { event: 'wall-declared', peripheral: 'explore', spec: canonical(explore), hash: HASH },
    })
    const { id, tools, entry, exit } = (await specOf(house.store, HASH)) ?? {}
    expect({ id, tools, entry, exit }).toEqual({
      id: 'explore',
      tools: explore.tools,
      entry: explore.entry,
      exit: explore.exit,
    })
  })

  test('is declared once, however often and by however many at the same time', async () => {
    await using house = await engine.testStore()
    await using other = await reopened(house.url)
    const both = [house.store, other.store, house.store].map((store) => declareWalls(store, WALLS))
    for (const declared of await Promise.all(both)) expect(must(declared)).toHaveLength(WALLS.length)
    must(await declareWalls(house.store, WALLS))
    expect(await house.store.chain('house')).toHaveLength(WALLS.length)
  })

  test('that was changed is another wall beside the first', async () => {
    await using house = await engine.testStore()
    const narrower: PeripheralSpec = { ...explore, tools: ['read'] }
    must(await declareWalls(house.store, WALLS))
    must(await declareWalls(house.store, [narrower]))
    const tools = await Promise.all(
      [explore, narrower].map(async (wall) => (await specOf(house.store, hashOf(wall)))?.tools),
    )
    expect(tools).toEqual([explore.tools, ['read']])
  })
})

describe('a wall that cannot be judged by', () => {
  test('has a secret in it: it is not declared at all', async () => {
    await using house = await testStore()
    const secret = `ghp_${'aB3'.repeat(12)}`
    const loud = {
      ...explore,
      commands: [{ argv: ['deploy', secret], for: 'deploy' as const, network: false, approve: false }],
    }
    expect(await declareWalls(house.store, [wallOf('edit'), loud])).toEqual({
      ok: false,
      refusal: {
        code: 'request-invalid',
        message: 'the wall explore has something in it that reads like a secret',
        remedy: 'correct the field the message names',
      },
    })
    expect(await house.store.chain('house')).toEqual([])
  })

  const declared = (change: { author?: Author; spec?: string; hash?: string }): Draft => {
    const { author = BELLHOP, spec = canonical(explore), hash = HASH } = change
    return houseDraft(ID, { event: 'wall-declared', peripheral: 'explore', spec, hash }, [], author)
  }

  test.each<[string, Draft]>([
    ['is another than its hash says', declared({ spec: canonical({ ...explore, tools: ['write'] }) })],
    ['is no JSON', declared({ spec: '{' })],
    ['was declared by a person', declared({ author: ADA })],
    ['was declared in a session', inSession('s-1', 'lobby', 'claude-1')(ID, BELLHOP, declared({}).body)],
  ])('%s', async (_, draft) => {
    await using house = await testStore()
    must(await house.store.append([draft]))
    expect(await specOf(house.store, HASH)).toBe(null)
  })

  test('is another than its hash says: that shows in the house’s own chain', async () => {
    await using house = await testStore()
    must(await house.store.append([declared({ spec: canonical({ ...explore, tools: ['write'] }) })]))
    expect((await verifyChain(house.store, 'house')).violations).toEqual([
      { entry: ID, rule: 'wall', what: 'declares a wall under the hash of another' },
    ])
  })

  test('is not there', async () => {
    await using house = await testStore()
    expect(await specOf(house.store, HASH)).toBe(null)
  })

  test('was changed in the file: what it was judged by is not what was declared', async () => {
    await using house = await testStore()
    const store = await written(house, richHistory())
    await using raw = await openRaw(house.url)
    await raw.unguard()
    await raw.run(
      `update body set json = replace(json, 'grep', 'edit') where position = (select position from entry where id = '${ID}')`,
    )
    expect(await specOf(store, HASH)).toBe(null)
    expect((await verifyChain(store, 's-1')).violations).toEqual([
      { entry: 't1.peripheral', rule: 'wall', what: 'started explore, whose wall was never declared' },
    ])
  })
})

test.each<[string, Record<string, unknown>]>([
  ['an older shape, with less in it', { id: 'explore', tools: explore.tools, scope: 'workspace', modes: ['execute'] }],
  ['a newer shape, with more in it', { ...explore, scope: { ...explore.scope, moon: true }, tides: ['high'] }],
])('a wall of %s is judged by as far as it goes', async (_, spec) => {
  await using house = await testStore()
  const [json, hash] = [canonical(spec), hashOf(spec)]
  must(
    await house.store.append([
      houseDraft(`wall.${hash.slice(0, 32)}`, { event: 'wall-declared', peripheral: 'explore', spec: json, hash }, []),
    ]),
  )
  expect(sha256(json)).toBe(hash)
  expect((await specOf(house.store, hash))?.tools).toEqual(explore.tools)
  const store = await written(house, body('t1.peripheral', { spec: hash })(richHistory()))
  expect((await verifyChain(store, 's-1')).violations).toEqual([])
})

test('secrets that were taken out of a step are no violation of its scope', async () => {
  const redact = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[redacted:known]'))
  await using house = await testStore()
  const store = await openStore({ url: house.url, clock: () => house.clock.now, redact })
  must(await declareWalls(store, WALLS))
  const named = JSON.parse(JSON.stringify(richHistory()).replaceAll('src/a.ts', 'src/hunter2.ts'))
  must(await store.append(named))
  expect((await verifyChain(store, 's-1')).violations).toEqual([])
  expect((await store.get('t1.5.intent'))?.body).toMatchObject({ reads: ['src/[redacted:known].ts'] })
  await store.close()
})
