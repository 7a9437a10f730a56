import { describe, expect, test } from 'vitest'
import { hashOf } from '../../src/evidence/hash.ts'
import { idsOf, must, reopened, said } from '../support/store.ts'
import { engines } from './engines.ts'
import { openRaw } from './file.ts'
import { bodies } from './history.ts'
import { written } from './planted.ts'
import { richHistory, wallOf } from './rich.ts'

describe.each(engines)('what an entry is found by, on $name', ({ testStore }) => {
  test('is numbered once, and counted', async () => {
    await using house = await testStore()
    const step = { ...said('a', ''), body: bodies['step-ended'], pattern: 'p', conjecture: true, ephemeral: true }
    must(await house.store.append([step, said('b', '')]))
    must(await house.store.append([said('c', '')]))
    await using raw = await openRaw(house.url)
    expect(await raw.rows('select name, count from term order by name')).toEqual(
      Object.entries({
        'author:ada': 3,
        'claim:evidence': 1,
        'claim:observation': 2,
        'event:message': 2,
        'event:step-ended': 1,
        'flag:conjecture': 1,
        'flag:ephemeral': 1,
        'session:room-lobby': 3,
        'subject:room/lobby': 3,
        'tag:outcome/ok': 1,
        'tag:path/docs': 1,
        'tag:path/src': 1,
        'tag:path/src/a b.ts': 1,
        'tag:path/src/queue': 1,
        'tag:path/src/queue/mailbox.ts': 1,
        'tag:pattern/p': 1,
        'tag:room/lobby': 3,
        'tag:tool/grep': 1,
        'type:coordination': 1,
        'type:forum-post': 2,
      }).map(([name, count]) => ({ name, count })),
    )
    const listed = await raw.rows(
      'select name, position from posting join term on term.id = posting.term order by 1, 2',
    )
    expect(listed.filter(({ name }) => `${name}`.startsWith('event:'))).toEqual([
      { name: 'event:message', position: 2 },
      { name: 'event:message', position: 3 },
      { name: 'event:step-ended', position: 1 },
    ])
  })

  test('is what a step was to touch and what became of it, where a hop leads, what was asked for and put back', async () => {
    await using house = await testStore()
    const store = await written(house, richHistory())
    const found = async (filters: Record<string, string>) =>
      idsOf(must(await store.query({ ...filters, order: 'oldest', limit: 1000 })).entries)
    expect({
      path: await found({ path: 'docs/deep' }),
      undone: await found({ path: 'src/b.ts' }),
      tool: await found({ tool: 'write' }),
      hops: await found({ peripheral: 'reflect', event: 'peripheral-stopped' }),
      walls: await found({ peripheral: 'edit', event: 'wall-declared' }),
      cancelled: await found({ outcome: 'cancelled' }),
    }).toEqual({
      path: ['t1.6.approval', 't1.6.intent', 't1.6.outcome'],
      undone: ['t1.7.outcome', 'undo', 'undone'],
      tool: ['t1.6.approval', 't1.6.intent', 't1.6.outcome'],
      hops: ['t1.15.stopped', 't1.stopped'],
      walls: [`wall.${hashOf(wallOf('edit')).slice(0, 32)}`],
      cancelled: ['t2.ended'],
    })
  })

  test('may be of any length and of any characters', async () => {
    await using house = await testStore()
    const paths = [
      `${'deep/'.repeat(300)}file.ts`,
      `${'x'.repeat(425)}𐐨${'y'.repeat(100)}`,
      `${'x'.repeat(427)}𐐨${'y'.repeat(100)}`,
      'half \ud83d and \0 zero',
      "'; drop table entry; --",
      'a:b#c%d',
      'ünï/東京.ts',
    ]
    const drafts = paths.map((path, i) => ({
      ...said(`e${i}`, ''),
      body: { ...bodies['step-intended'], call: { tool: `tool ${i}`.repeat(100), args: { path } } },
    }))
    for (const draft of drafts) must(await house.store.append([draft]))
    for (const [i, path] of paths.entries()) {
      expect(idsOf(must(await house.store.query({ path })).entries)).toEqual([`e${i}`])
    }
    expect(idsOf(must(await house.store.query({ path: 'deep/'.repeat(250) })).entries)).toEqual(['e0'])
    expect(idsOf(must(await house.store.query({ path: `${'x'.repeat(425)}𐐨` })).entries)).toEqual([])
  })

  test('is the same whatever writes it, one store or several that know nothing of each other', async () => {
    await using house = await testStore()
    await using other = await reopened(house.url)
    must(await house.store.append([said('a', 'one')]))
    must(await other.store.append([{ ...said('b', 'two'), tags: ['room/lobby', 'new'] }]))
    must(await house.store.append([{ ...said('c', 'three'), tags: ['room/lobby', 'new'] }]))
    expect(must(await other.store.facets('room', {}))).toEqual([{ value: 'lobby', count: 3 }])
    expect(idsOf(must(await house.store.query({ tag: 'new' })).entries)).toEqual(['c', 'b'])
    await using raw = await openRaw(house.url)
    expect(
      await raw.rows("select name, count from term where name in ('tag:new', 'tag:room/lobby') order by 1"),
    ).toEqual([
      { name: 'tag:new', count: 2 },
      { name: 'tag:room/lobby', count: 3 },
    ])
  })

  test('counts only what was written: a call that failed leaves no numbers behind', async () => {
    await using house = await testStore()
    await using raw = await openRaw(house.url)
    await raw.run('drop table room')
    const broken = { ...said('a', ''), body: bodies['mode-changed'], tags: ['lost'] }
    expect((await house.store.append([broken])).ok).toBe(false)
    must(await house.store.append([{ ...said('b', ''), tags: ['lost'] }]))
    expect(await raw.rows("select name, count from term where name = 'tag:lost'")).toEqual([
      { name: 'tag:lost', count: 1 },
    ])
    expect(idsOf(must(await house.store.query({ tag: 'lost' })).entries)).toEqual(['b'])
  })
})
