import { count } from '../lib/count.ts'
import type { CommandRule, ExitCondition, PeripheralSpec, SandboxMode } from '../shapes/peripheral.ts'

type Specs = ReadonlyMap<string, PeripheralSpec>

/** What must be true before a peripheral is left, in words. */
export type Says = (when: ExitCondition) => string

/** What a peripheral is for, what it opens and where it leads, a few lines of text: made from its spec alone. */
export const contractOf = (spec: PeripheralSpec, specs: Specs, says: Says): string[] => {
  const { id, purpose, tools, phases, scope, modes, limits, checks } = spec
  return [
    `## ${id}`,
    purpose,
    `- tools: ${tools.join(', ')}`,
    ...(phases.length > 0 ? [`- phases, one after the other by \`advance\`: ${phases.map(phaseText).join('; ')}`] : []),
    `- reads: ${listed(scope.read)}; writes: ${listed(scope.write)}${denied(scope.deny)}`,
    ...reaches(spec),
    ...commandLines(spec),
    ...asks(spec),
    ...(checks.length > 0 ? [`- before a hop to test, these checks are run: ${checks.join(', ')}`] : []),
    `- ways out: ${waysOut(spec, specs, says)}`,
    `- open while the room is in ${modes.join(' or ')}; ${count(limits.stepsPerTurn, 'step')} a turn, ${limits.seconds} s each`,
  ]
}

const listed = (patterns: readonly string[]): string => (patterns.length === 0 ? 'nothing' : patterns.join(' '))

const denied = (patterns: readonly string[]): string => (patterns.length === 0 ? '' : `; never ${patterns.join(' ')}`)

const phaseText = ({ id, tools, outputs }: PeripheralSpec['phases'][number]): string =>
  `${id} (${tools.join(', ')}${outputs.length > 0 ? `; to leave it say ${outputs.join(', ')}` : ''})`

const EVIDENCE = { none: null, session: 'this session', room: 'this room', all: 'every room' } as const

/** Whose evidence, and which hosts. */
const reaches = ({ scope: { evidence, web } }: PeripheralSpec): string[] => [
  ...(EVIDENCE[evidence] === null ? [] : [`- evidence of: ${EVIDENCE[evidence]}`]),
  ...(web.hosts.length > 0 ? [`- web: ${web.hosts.join(' ')}`] : []),
]

/** What can run here at all: what needs a person runs nowhere where nobody is asked. */
const commandLines = ({ commands, ceiling, sandbox, approval: { policy } }: PeripheralSpec): string[] => {
  const open = commands.filter(({ approve }) => policy !== 'never' || !approve)
  const raised = policy === 'never' ? [] : (ceiling?.commands ?? [])
  return [
    ...(open.length > 0 ? [`- commands (sandbox ${sandbox}):`] : []),
    ...open.map((rule) => `  ${commandText(rule, sandbox)}`),
    ...(raised.length > 0 ? ['- and with `escalate`, which asks a person:'] : []),
    ...raised.map((rule) => `  ${commandText(rule, ceiling?.sandbox ?? sandbox)}`),
  ]
}

const commandText = ({ argv, sandbox, network, approve, phases = [] }: CommandRule, usual: SandboxMode): string => {
  const notes = [
    ...(sandbox !== undefined && sandbox !== usual ? [sandbox] : []),
    ...(network ? ['network'] : []),
    ...(approve ? ['a person is asked'] : []),
    ...(phases.length > 0 ? [`in ${phases.join(', ')}`] : []),
  ]
  return `${argv.join(' ')}${notes.length > 0 ? `  (${notes.join('; ')})` : ''}`
}

const asks = ({ approval: { policy, tools } }: PeripheralSpec): string[] => [
  ...(policy === 'always' ? ['- a person is asked before anything is changed or run'] : []),
  ...(policy !== 'never' && tools.length > 0 ? [`- a person is asked before each ${tools.join(', ')}`] : []),
]

/** Where a hop can lead at all: to what the agent may inhabit, and what lets one in from here. */
const waysOut = ({ id, exit }: PeripheralSpec, specs: Specs, says: Says): string => {
  const ways = exit.flatMap(({ when, to }) => {
    const open = to.filter((name) => specs.get(name)?.entry.includes(`from-${id}`))
    const condition = when === 'always' ? 'at any time' : `once ${says(when)} (${when})`
    return open.length === 0 ? [] : [`${open.join(', ')} ${condition}`]
  })
  return ways.length === 0 ? 'none' : ways.join('; ')
}
