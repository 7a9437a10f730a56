import type { Fruit } from '../shapes/fruit.ts'
import {
  type CommandRule,
  type ContextKey,
  type ExitCondition,
  isOwnTool,
  type PeripheralSpec,
  type ToolName,
} from '../shapes/peripheral.ts'

type Condition = {
  /** What must be true, as a refusal says it. */
  says: string
  holds: (fruit: Fruit) => boolean
  /** Whether a stay behind this wall can ever make it true. */
  possible: (spec: PeripheralSpec) => boolean
}

/** The commands that can run here at all: what needs a person runs nowhere where nobody is asked. */
export const runnable = ({ tools, commands, ceiling, approval }: PeripheralSpec): CommandRule[] => {
  if (!tools.includes('run')) return []
  if (approval.policy === 'never') return commands.filter(({ approve }) => !approve)
  const raised = ceiling
    ? [...commands, ...ceiling.commands].map((rule) => ({ ...rule, sandbox: ceiling.sandbox }))
    : []
  return [...commands, ...raised]
}

/** After how many moves that change nothing somebody is stuck. */
const STUCK = 5

const hasOne = ({ tools }: PeripheralSpec, ...names: ToolName[]): boolean => names.some((name) => tools.includes(name))
const runs = (spec: PeripheralSpec, test: (rule: CommandRule) => boolean): boolean => runnable(spec).some(test)
const runsTests = (spec: PeripheralSpec): boolean => runs(spec, (rule) => rule.for === 'test')

/** When a peripheral may be left for another. Each is read off the fruit, never off what an agent says. */
export const conditions: Record<ExitCondition, Condition> = {
  always: { says: 'nothing', holds: () => true, possible: () => true },
  'found-target': {
    says: 'a file was found',
    holds: ({ found }) => found.length > 0,
    possible: (spec) => hasOne(spec, 'read', 'list', 'glob', 'grep'),
  },
  changed: {
    says: 'something was changed, and the checks pass',
    holds: ({ changed = [], checks = [] }) => changed.length > 0 && checks.every(({ ok }) => ok),
    possible: (spec) =>
      hasOne(spec, 'edit', 'multi-edit', 'apply-patch', 'write') ||
      (spec.sandbox !== 'read-only' && !spec.tools.every(isOwnTool)) ||
      runs(spec, ({ sandbox }) => (sandbox ?? spec.sandbox) !== 'read-only'),
  },
  blocked: {
    says: 'the last step did not succeed',
    holds: ({ blocked = false }) => blocked,
    possible: () => true,
  },
  pass: {
    says: 'tests were run, and all passed',
    holds: ({ tests }) => tests?.result === 'pass',
    possible: runsTests,
  },
  fail: { says: 'tests failed', holds: ({ tests }) => tests?.result === 'fail', possible: runsTests },
  flaky: {
    says: 'a test passed and failed with nothing changed in between',
    holds: ({ tests }) => tests?.result === 'flaky',
    possible: runsTests,
  },
  deployed: {
    says: 'something was pushed or deployed',
    holds: ({ deploy }) => (deploy?.pushed.length ?? 0) + (deploy?.ran.length ?? 0) > 0,
    possible: (spec) => runs(spec, (rule) => rule.for === 'deploy' || isGit(rule, 'push')),
  },
  reviewed: {
    says: 'the session was reviewed',
    holds: ({ review }) => typeof review === 'string',
    possible: (spec) => hasOne(spec, 'reflect'),
  },
  // the text world
  won: {
    says: 'a game was won by a step of this stay',
    holds: ({ world }) => (world?.won.length ?? 0) > 0,
    possible: (spec) => hasOne(spec, 'world-act'),
  },
  stuck: {
    says: `the last ${STUCK} moves in a game changed nothing`,
    holds: ({ world }) => (world?.idle ?? 0) >= STUCK,
    possible: (spec) => hasOne(spec, 'world-act'),
  },
  'cycle-completed': {
    says: 'a cycle was completed',
    holds: ({ cycles = 0 }) => cycles > 0,
    possible: ({ cycle }) => cycle !== undefined,
  },
}

/** Whether a peripheral's own steps can bring about what a hop carries over. */
export const makes: Record<ContextKey, (spec: PeripheralSpec) => boolean> = {
  'target-files': conditions['found-target'].possible,
  'changed-files': conditions.changed.possible,
  'test-result': runsTests,
  commit: (spec) => runs(spec, (rule) => isGit(rule, 'commit')),
  review: conditions.reviewed.possible,
}

const isGit = (rule: CommandRule, verb: string): boolean => rule.for === 'git' && rule.argv.includes(verb)
