import type { Happening } from '../../src/patterns/history.ts'
import type { Pattern } from '../../src/shapes/pattern.ts'

/** The text of a SKILL.md. */
export const skill = (name: string, description = `Do ${name}.`, text = `# ${name}\n`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${text}`

export const BEGAN = '2026-01-02T03:04:05.000Z'

export const pattern = (id: string, part: Partial<Pattern> = {}): Pattern => ({
  id,
  description: `Do ${id}.`,
  home: 'workspace',
  path: `patterns/${id}/SKILL.md`,
  says: [],
  text: '',
  since: BEGAN,
  ...part,
})

type Happens = { session?: string; room?: string; at?: string }

/** What happened, one after the other; each has its place as its id. */
export const happened = (...all: [Happening['body'], Happens?][]): Happening[] =>
  all.map(([body, { session = 's-1', room = 'lobby', at = BEGAN } = {}], i) => ({
    id: `e-${i + 1}`,
    position: i + 1,
    at,
    session,
    room,
    agent: 'claude-1',
    body,
  }))

const STEP = { turn: 't1', step: 't1.0' }

export const selected = (name: string): Happening['body'] => ({
  event: 'pattern-selected',
  ...STEP,
  pattern: name,
  why: 'it fits',
  over: [],
})

export const judged = (name: string, outcome: 'worked' | 'failed'): Happening['body'] => ({
  event: 'pattern-outcome',
  ...STEP,
  pattern: name,
  outcome,
  why: 'so it went',
  steps: [],
})

export const pivoted = (from: string, to: string | null, instead: string | null = null): Happening['body'] => ({
  event: 'pattern-pivoted',
  ...STEP,
  from,
  to,
  why: 'it fails',
  instead,
})

export const punctuated = (solution: string | null): Happening['body'] => ({
  event: 'pattern-punctuated',
  ...STEP,
  worked: 'it',
  didNot: 'nothing',
  surprises: 'none',
  next: 'more',
  solution,
})

export const declined = (kind: 'new' | 'retire', name: string, evidence: string[]): Happening['body'] => ({
  event: 'pattern-declined',
  kind,
  pattern: name,
  evidence,
  why: 'no',
  by: 'ada',
})

export const retired = (name: string, is: boolean): Happening['body'] => ({
  event: 'pattern-retired',
  ...STEP,
  pattern: name,
  retired: is,
  why: 'it is over',
})

export const added = (name: string, evidence: string[]): Happening['body'] => ({
  event: 'pattern-added',
  ...STEP,
  pattern: name,
  path: `patterns/${name}/SKILL.md`,
  evidence,
})
