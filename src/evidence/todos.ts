import type { Todo } from '../shapes/mission.ts'
import { everyEntry } from './every.ts'
import type { Store } from './store.ts'

/** What is to be done in a room, in the order it was said: its place in that order is its number, for ever. */
export const todosIn = async (store: Pick<Store, 'query'>, room: string): Promise<Todo[]> => {
  const subject = `room/${room}`
  const done = new Set<string>()
  for await (const { body } of everyEntry(store, { event: 'todo-done', subject, order: 'oldest' })) {
    if (body?.event === 'todo-done') done.add(body.todo)
  }
  const todos: Todo[] = []
  for await (const { id, body } of everyEntry(store, { event: 'todo-added', subject, order: 'oldest' })) {
    const { text, by } = body?.event === 'todo-added' ? body : GONE
    todos.push({ n: todos.length + 1, entry: id, text, by, done: done.has(id) })
  }
  return todos
}

/** One whose words are no longer kept keeps its number. */
const GONE = { text: '(no longer kept)', by: 'somebody' }
