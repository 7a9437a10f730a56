import type { z } from 'zod'
import type { McAction, MissionAction, TodoAction } from '../../shapes/mission.ts'
import type { Plan } from '../rehearsal/plans/steps.ts'
import { type Doing, said } from './said.ts'

/** How the words are used, for whoever said something else. */
const USAGE = {
  mc: 'say /mc status, review, missions, coverage, next, sessions, diff, or watch on, off or default',
  mission: 'say /mission focus M-name, show [M-name], clear, or new M-name what it is about',
  todo: 'say /todo add what is to be done, list, or done and its number or words of it',
}

/** The words `mc`, `mission` and `todo`; new missions are made in this folder. */
export const missionWords = (folder: string): Readonly<Record<string, Doing>> => ({
  mc: (given) => only('mc', mc, given, 'status'),
  mission: (given) => only('mission', missionIn(folder), given, 'show'),
  todo: (given) => only('todo', todo, given, 'list'),
})

/** What is done for an action; null where what came after it is not what it takes. */
type Actions<Name extends string = string> = Readonly<Record<Name, (rest: readonly string[]) => Plan<string> | null>>

function* only(word: keyof typeof USAGE, actions: Actions, given: readonly string[], usual: string): Plan<string> {
  const [action = usual, ...rest] = given
  const name = action.toLowerCase()
  const plan = Object.hasOwn(actions, name) ? actions[name]?.(rest) : null
  return plan ? yield* plan : `I do not understand "${[word, action, ...rest].join(' ')}"; ${USAGE[word]}`
}

/** An action that takes nothing but its name. */
const bare =
  (tool: string, args: Record<string, unknown> = {}) =>
  (rest: readonly string[]): Plan<string> | null =>
    rest.length === 0 ? said(tool, args) : null

/** One that takes a name, or none. */
const named =
  (tool: string) =>
  ([mission, ...rest]: readonly string[]): Plan<string> | null =>
    rest.length > 0 ? null : said(tool, mission === undefined ? {} : { mission })

const mc: Actions<z.infer<typeof McAction>> = {
  status: bare('mc-bulletin'),
  review: bare('mc-review'),
  missions: bare('mc-inventory'),
  coverage: named('mc-coverage'),
  next: bare('mc-next'),
  sessions: bare('mc-sessions'),
  diff: bare('mc-diff'),
  watch: ([to = '', ...rest]) =>
    /^(?:on|off|default)$/.test(to) && rest.length === 0 ? said('mc-watch', { bulletins: to }) : null,
}

const missionIn = (folder: string): Actions<z.infer<typeof MissionAction>> => ({
  focus: ([mission, ...rest]) =>
    mission === undefined || rest.length > 0 ? null : said('mc-focus', { mission: properly(mission) }),
  show: ([mission, ...rest]) => {
    if (rest.length > 0) return null
    return mission === undefined ? said('mc-focus', {}) : said('mc-inventory', { mission: properly(mission) })
  },
  clear: bare('mc-focus', { mission: null }),
  new: ([mission, ...title]) =>
    mission === undefined
      ? null
      : said('mc-new', { path: `${folder}/${properly(mission)}.md`, title: title.join(' ') }),
})

/** A mission's name as people say it: `retry` and `m-retry` are `M-retry`. */
const properly = (name: string): string => `M-${name.replace(/^m-/i, '').replace(/\.md$/, '')}`

const todo: Actions<z.infer<typeof TodoAction>> = {
  add: (rest) => (rest.length === 0 ? null : said('mc-todo', { add: rest.join(' ') })),
  done: (rest) => (rest.length === 0 ? null : said('mc-todo', { done: rest.join(' ') })),
  list: bare('mc-todo'),
}
