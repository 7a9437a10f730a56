import { z } from 'zod'
import { McAction, MissionAction, TodoAction } from '../shapes/mission.ts'
import { defineWork, type Gives } from './operation.ts'

/** All of these are turns of Tickle in mission control: what is asked is a step there, with evidence like any other. */
const work = (...words: (string | undefined)[]): Gives => ({
  agent: 'tickle',
  peripheral: 'mission-control',
  request: words.filter((word) => word !== undefined && word !== '').join(' '),
})

const Rest = z.string().max(1000).optional()

export const mc = defineWork({
  name: 'mc',
  summary: 'mission control: how all stands, a review of all missions, what comes next, what changed since',
  example: 'mc review',
  positional: ['action', 'rest'],
  rest: 'rest',
  input: z.strictObject({
    action: McAction.default('status').describe(McAction.options.join(', ')),
    rest: Rest.describe('for coverage a mission, for watch on, off or default'),
  }),
  gives: ({ action, rest }) => work('mc', action, rest),
})

export const mission = defineWork({
  name: 'mission',
  summary: 'what this room works on: focus on a mission, show one, clear the focus, or make a new mission',
  example: 'mission show',
  positional: ['action', 'rest'],
  rest: 'rest',
  input: z.strictObject({
    action: MissionAction.default('show').describe(MissionAction.options.join(', ')),
    rest: Rest.describe('the mission, such as M-retry; for new also what it is about'),
  }),
  gives: ({ action, rest }) => work('mission', action, rest),
})

export const todo = defineWork({
  name: 'todo',
  summary: 'what is to be done in this room: add to it, list it, or tick something off',
  example: 'todo add water the plants',
  positional: ['action', 'rest'],
  rest: 'rest',
  input: z.strictObject({
    action: TodoAction.default('list').describe(TodoAction.options.join(', ')),
    rest: Rest.describe('what is to be done; for done its number, or words of it'),
  }),
  gives: ({ action, rest }) => work('todo', action, rest),
})
