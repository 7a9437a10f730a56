import type { Store } from '../evidence/store.ts'
import { todosIn } from '../evidence/todos.ts'
import { oneLine } from '../lib/plain.ts'
import type { BodyOf } from '../shapes/evidence.ts'
import type { Todo } from '../shapes/mission.ts'
import type { TodoOrder } from '../tools/control.ts'
import { todosText } from './lines.ts'

/** What is said, and what is written down with it. */
type Answer = { text: string; body: BodyOf<'todo-added'> | BodyOf<'todo-done'> | null }

/** Adds to what is to be done in a room, ticks something off, or lists what is open. */
export const todo = async (
  store: Pick<Store, 'query'>,
  room: string,
  order: TodoOrder,
  by: string,
): Promise<Answer> => {
  const todos = await todosIn(store, room)
  switch (order.kind) {
    case 'list':
      return said(todosText(todos))
    case 'add': {
      const text = oneLine(order.text, LONGEST)
      if (text === '') return said('Nothing was added: say what is to be done, in words that can be seen.')
      return { text: `Added: ${text} (#${todos.length + 1})`, body: { event: 'todo-added', text, by } }
    }
    case 'done':
      return done(chosen(order.which, todos), order.which, by)
  }
}

const LONGEST = 300

const said = (text: string): Answer => ({ text, body: null })

/** What is meant by a number, or by words: those that have all of them, the open ones where some are. */
const chosen = (which: string, todos: readonly Todo[]): Todo[] => {
  const [, number] = /^#?(\d+)$/.exec(which.trim()) ?? []
  if (number !== undefined) return todos.filter(({ n }) => n === Number(number))
  const words = which
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found = todos.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
  const open = found.filter(({ done }) => !done)
  return open.length > 0 ? open : found
}

const done = (found: readonly Todo[], which: string, by: string): Answer => {
  const [one, ...others] = found
  if (!one) return said(`There is no "${oneLine(which, 80)}" to be done here; say /todo list`)
  if (others.length > 0) return said(`Which of these?\n${todosText(found)}\nSay /todo done and the number.`)
  if (one.done) return said(`Done before: ${one.text} (#${one.n})`)
  return { text: `Done: ${one.text} (#${one.n})`, body: { event: 'todo-done', todo: one.entry, by } }
}
