import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLibrary } from '../../src/patterns/library.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'
import { testStore } from '../support/store.ts'
import { skill } from './patterns.ts'

test('an agent is told of the few patterns that fit its request, and of none that shares one word with it by chance', async () => {
  await using it = await testStore()
  using folder = scratch()
  folder.write('patterns/pour/SKILL.md', skill('pour', 'Pour tea.'))
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    folder.write(`patterns/${name}/SKILL.md`, skill(name, 'Green tea leaves.'))
  const library = createLibrary({
    store: it.store,
    clock: () => it.clock.now,
    folders: ['patterns'],
    ours: join(import.meta.dirname, '../../config/patterns'),
    unusedDays: 90,
    roomMode: async () => 'execute',
  })
  const sight = { workspace: await openWorkspace(folder.path, []), shows: () => true }
  const hints = (request: string) => library.hints(sight, 'lobby', request)
  const line = (name: string) => ({ line: `${name}: Green tea leaves. (never chosen)`, from: [] })
  expect([await hints('tea'), await hints('elephants and mice'), await hints('more green tea')]).toEqual([
    [],
    [],
    ['a', 'b', 'c', 'd'].map(line),
  ])
})
