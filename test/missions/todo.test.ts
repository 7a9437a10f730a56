import { expect, test } from 'vitest'
import { todo } from '../../src/missions/todo.ts'
import { testStore } from '../support/store.ts'

test('what is to be done is kept as people see it, and what nobody could see is not added', async () => {
  await using it = await testStore()
  const add = (text: string) => todo(it.store, 'lobby', { kind: 'add', text }, 'ada')
  expect([await add('\u202E\u0003\u200F'), await add(' pour\n\u202Ethe\u0007 tea ')]).toEqual([
    { text: 'Nothing was added: say what is to be done, in words that can be seen.', body: null },
    { text: 'Added: pour the tea (#1)', body: { event: 'todo-added', text: 'pour the tea', by: 'ada' } },
  ])
})
