import { isIP } from 'node:net'
import {
  type AnyTool,
  type CommandRule,
  isOwnTool,
  type PeripheralSpec,
  SandboxMode,
  type ToolName,
} from '../shapes/peripheral.ts'
import { checkRule } from '../tools/commands.ts'
import { matcher } from '../workspace/pattern.ts'
import { runnable } from './conditions.ts'
import { type Idle, idleCycle } from './cycle-phases.ts'

export type { Idle } from './cycle-phases.ts'

/** What in a wall can never be of use, whatever other walls there are. */
export const idleIn = (spec: PeripheralSpec): Idle[] => [
  ...idleTools(spec),
  ...idleCommands(spec),
  ...idleCeiling(spec),
  ...idlePhases(spec),
  ...idlePatterns(spec),
  ...idleExamples(spec),
]

/** What each tool needs to do anything at all; null where it has it. */
const needs: Record<ToolName, (spec: PeripheralSpec) => string | null> = {
  read: (spec) => noReading(spec),
  list: (spec) => noReading(spec),
  glob: (spec) => noReading(spec),
  grep: (spec) => noReading(spec),
  edit: (spec) => noWriting(spec),
  'multi-edit': (spec) => noWriting(spec),
  'apply-patch': (spec) => noWriting(spec),
  write: (spec) => noWriting(spec),
  run: (spec) => (runnable(spec).length > 0 ? null : 'no command may run'),
  terminal: ({ tools }) => (tools.includes('run') ? null : 'run is missing, which starts one'),
  'web-fetch': ({ scope }) => (scope.web.hosts.length > 0 ? null : 'no host is open'),
  evidence: ({ scope }) => (scope.evidence === 'none' ? 'no evidence may be asked for' : null),
  reflect: () => null,
  advance: ({ phases }) => (phases.length > 1 ? null : 'there are no phases to advance through'),
  hop: ({ exit }) => (exit.length > 0 ? null : 'there is no exit'),
  // mission control
  'mc-inventory': (spec) => noMissions(spec),
  'mc-coverage': (spec) => noMissions(spec),
  'mc-review': (spec) => noMissions(spec),
  'mc-diff': (spec) => noEvidence(spec),
  'mc-next': (spec) => noMissions(spec),
  'mc-sessions': (spec) => noEvidence(spec),
  'mc-bulletin': (spec) => noMissions(spec),
  'mc-focus': (spec) => noMissions(spec),
  'mc-watch': () => null,
  'mc-todo': (spec) => noEvidence(spec),
  'mc-new': (spec) => noWriting(spec),
  // undertakings
  'cycle-get': (spec) => noCycle(spec),
  'cycle-list': (spec) => noCycle(spec),
  'cycle-begin': (spec) => noCycle(spec),
  'cycle-back': (spec) => noCycle(spec),
  'cycle-end': (spec) => noCycle(spec),
  'ledger-query': (spec) => noCycle(spec),
  'ledger-upsert': (spec) => noCycle(spec),
  'ledger-impact': (spec) => noCycle(spec),
  'approach-failed': (spec) => noCycle(spec),
  classify: (spec) => noCycle(spec),
  'gate-check': (spec) => noCycle(spec),
  'proof-load': (spec) => noCycle(spec),
  'proof-statement': (spec) => noCycle(spec),
  'proof-mode': (spec) => noCycle(spec),
  'proof-licence': (spec) => noCycle(spec),
  'proof-save': (spec) => noWriting(spec),
  // patterns: those that come with Bellhop are there whatever may be read
  'pattern-search': () => null,
  'pattern-read': () => null,
  'pattern-record': () => null,
  'pattern-select': () => null,
  'pattern-outcome': ({ tools }) => noSelecting(tools),
  'pattern-pivot': ({ tools }) => noSelecting(tools),
  'pattern-punctuate': () => null,
  'pattern-proposals': () => null,
  'pattern-new': (spec) => noWriting(spec),
  'pattern-retire': () => null,
  'pattern-decline': () => null,
  // mission
  'mission-load': (spec) => noMission(spec),
  'mission-audit': (spec) => noMission(spec),
  'mission-wiring': (spec) => noMission(spec),
  'mission-save': (spec) => noMission(spec) ?? noWriting(spec),
  'tickle-scan': (spec) => noEvidence(spec),
  'tickle-page': (spec) => noEvidence(spec),
  'tickle-cycle': (spec) => noEvidence(spec),
  // the text world
  'world-reset': (spec) => noRoom(spec),
  'world-act': (spec) => noRoom(spec),
  'world-state': (spec) => noRoom(spec),
  bell: () => null,
  whistle: () => null,
  park: ({ tools }) => (tools.includes('bell') ? null : 'bell is missing, which has jobs to wait for'),
}

/** What is carried on in cycles is carried on behind a wall that has the phases of one. */
const noCycle = ({ cycle }: PeripheralSpec): string | null => (cycle === undefined ? 'it has no cycle' : null)

/** A mission is carried on by the phases of one, and has a file. */
const noMission = (spec: PeripheralSpec): string | null =>
  spec.cycle === 'mission' ? noReading(spec) : 'its cycle is not that of missions'

/** How missions stand is read from their files, and from the evidence of all rooms. */
const noMissions = (spec: PeripheralSpec): string | null => noReading(spec) ?? noEvidence(spec)
const noEvidence = ({ scope }: PeripheralSpec): string | null =>
  scope.evidence === 'all' ? null : 'the evidence of all rooms may not be asked for'

/** A pattern is judged where it can be chosen: whoever comes in from elsewhere may have chosen it before. */
const noSelecting = (tools: readonly AnyTool[]): string | null =>
  tools.includes('pattern-select') ? null : 'pattern-select is missing, which chooses one'

/** A game is evidence of its room. */
const noRoom = ({ scope }: PeripheralSpec): string | null =>
  scope.evidence === 'room' || scope.evidence === 'all' ? null : 'the evidence of the room may not be asked for'

const noReading = ({ scope }: PeripheralSpec): string | null => (scope.read.length > 0 ? null : 'nothing may be read')
const noWriting = ({ scope, ceiling }: PeripheralSpec): string | null =>
  scope.write.length + (ceiling?.write.length ?? 0) > 0 ? null : 'nothing may be written'

const idleTools = (spec: PeripheralSpec): Idle[] => {
  const { tools, commands, exit, approval } = spec
  const has = (tool: AnyTool) => tools.includes(tool)
  const unasked = approval.policy === 'never' ? approval.tools : []
  const why = (tool: AnyTool): string | null => {
    if (unasked.includes(tool)) return 'it needs an approval, and nobody is asked for one'
    return isOwnTool(tool) ? needs[tool](spec) : null
  }
  return [
    ...tools.flatMap((tool, i): Idle[] => {
      const lacks = why(tool)
      return lacks === null ? [] : [{ path: ['tools', i], what: `${tool} can do nothing: ${lacks}` }]
    }),
    ...(commands.length > 0 && !has('run') ? [{ path: ['commands'], what: 'it has commands, and no tool run' }] : []),
    ...(exit.length > 0 && !has('hop') ? [{ path: ['exit'], what: 'it has exits, and no tool hop' }] : []),
    ...approval.tools.flatMap((tool, i): Idle[] =>
      has(tool) ? [] : [{ path: ['approval', 'tools', i], what: `it asks before ${tool}, which it has not` }],
    ),
  ]
}

const isWider = (mode: SandboxMode, than: SandboxMode): boolean =>
  SandboxMode.options.indexOf(mode) > SandboxMode.options.indexOf(than)

const idleCommands = (spec: PeripheralSpec): Idle[] => [
  ...spec.commands.flatMap((rule, i) => idleRule(rule, ['commands', i], spec.sandbox, spec)),
  ...(spec.ceiling?.commands ?? []).flatMap((rule, i) =>
    idleRule(rule, ['ceiling', 'commands', i], spec.ceiling?.sandbox ?? spec.sandbox, spec),
  ),
]

const idleRule = (rule: CommandRule, at: PropertyKey[], most: SandboxMode, spec: PeripheralSpec): Idle[] => {
  const said = `the command ${rule.argv.join(' ')}`
  const wrong = checkRule(rule)
  const wide = rule.sandbox !== undefined && isWider(rule.sandbox, most)
  return [
    ...(wrong === null ? [] : [{ path: [...at, 'argv'], what: `${said}: ${wrong}` }]),
    ...(wide
      ? [{ path: [...at, 'sandbox'], what: `${said} has the sandbox ${rule.sandbox}, wider than ${most}` }]
      : []),
    ...(rule.phases?.length === 0 ? [{ path: [...at, 'phases'], what: `${said} is for no phase` }] : []),
    ...(rule.phases ?? []).flatMap((id, i): Idle[] => {
      const phase = spec.phases.find((one) => one.id === id)
      const lacks = phase ? `the phase ${id} has no tool run` : `there is no phase ${id}`
      return phase?.tools.includes('run') ? [] : [{ path: [...at, 'phases', i], what: `${said}: ${lacks}` }]
    }),
  ]
}

const idleCeiling = ({ ceiling, sandbox, tools }: PeripheralSpec): Idle[] => {
  if (!ceiling) return []
  const { network, write, commands } = ceiling
  const opens = network || write.length + commands.length > 0 || isWider(ceiling.sandbox, sandbox)
  const low = isWider(sandbox, ceiling.sandbox)
  const networked = commands.flatMap((rule, i) => (rule.network && !network ? [i] : []))
  return [
    ...(opens || low ? [] : [{ path: ['ceiling'], what: 'its ceiling opens nothing that it has not' }]),
    ...(low
      ? [
          {
            path: ['ceiling', 'sandbox'],
            what: `its ceiling has the sandbox ${ceiling.sandbox}, below its own ${sandbox}`,
          },
        ]
      : []),
    ...(commands.length > 0 && !tools.includes('run')
      ? [{ path: ['ceiling', 'commands'], what: 'its ceiling has commands, and it has no tool run' }]
      : []),
    ...networked.map((i) => ({
      path: ['ceiling', 'commands', i, 'network'],
      what: `the command ${commands[i]?.argv.join(' ')} has the network, and its ceiling has not`,
    })),
  ]
}

const idlePhases = ({ phases, tools, cycle }: PeripheralSpec): Idle[] => {
  if (phases.length === 0) return []
  const idle = tools.flatMap((tool, i) => (phases.some((phase) => phase.tools.includes(tool)) ? [] : [i]))
  return [
    ...idle.map((i) => ({ path: ['tools', i], what: `${tools[i]} is in none of the phases` })),
    ...(cycle === undefined
      ? phases.flatMap((_phase, i) => idlePhase(phases, i, tools))
      : idleCycle({ phases, tools, cycle })),
  ]
}

const idlePhase = (phases: PeripheralSpec['phases'], i: number, tools: readonly AnyTool[]): Idle[] => {
  const [before, phase, next] = [phases[i - 1], phases[i], phases[i + 1]]
  if (!phase) return []
  const { id, outputs } = phase
  const at = (...path: PropertyKey[]) => ['phases', i, ...path]
  const last = next === undefined
  return [
    ...(phases.findIndex((one) => one.id === id) < i ? [{ path: at('id'), what: `two phases are called ${id}` }] : []),
    ...(before && !before.tools.includes('advance')
      ? [{ path: at(), what: `nobody gets to the phase ${id}: ${before.id} has no advance` }]
      : []),
    ...phase.tools.flatMap((tool, j): Idle[] =>
      tools.includes(tool) ? [] : [{ path: at('tools', j), what: `${id} has ${tool}, which is not its tool` }],
    ),
    ...(last && phase.tools.includes('advance')
      ? [{ path: at('tools'), what: `${id} has advance, and no phase comes after it` }]
      : []),
    ...(last && outputs.length > 0
      ? [{ path: at('outputs'), what: `${id} is to bring ${outputs.join(', ')}, and no phase comes after it` }]
      : []),
  ]
}

const idlePatterns = ({ scope, ceiling }: PeripheralSpec): Idle[] => [
  ...noPatterns(['scope', 'read'], scope.read),
  ...noPatterns(['scope', 'write'], scope.write),
  ...noPatterns(['scope', 'deny'], scope.deny),
  ...noPatterns(['ceiling', 'write'], ceiling?.write ?? []),
  ...scope.web.hosts.flatMap((host, i): Idle[] =>
    HOST.test(host) || isIP(host) !== 0
      ? []
      : [
          {
            path: ['scope', 'web', 'hosts', i],
            what: `${host} is no host; expected one such as docs.rs or *.python.org`,
          },
        ],
  ),
]

const noPatterns = (at: PropertyKey[], globs: readonly string[]): Idle[] =>
  globs.flatMap((glob, i): Idle[] =>
    matcher(glob) === null ? [{ path: [...at, i], what: `${glob} is no pattern; expected one such as src/**` }] : [],
  )

/** A name, or all names below one: no address, port or path, which are left out of an address without a word. */
const HOST = /^(?:\*|(?:\*\.)?[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}.-]*[\p{L}\p{N}\p{M}])?)$/u

/** An example that is tried where nobody ever is would be refused for that alone. */
const idleExamples = ({ examples, phases }: PeripheralSpec): Idle[] =>
  (['allowed', 'refused'] as const).flatMap((kind) =>
    examples[kind].flatMap(({ why, phase }, i): Idle[] =>
      phase === undefined || phases.some(({ id }) => id === phase)
        ? []
        : [{ path: ['examples', kind, i, 'phase'], what: `the example "${why}": there is no phase ${phase}` }],
    ),
  )
