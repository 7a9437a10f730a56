import { z } from 'zod'
import { Problem } from '../lib/problem.ts'
import {
  AnyTool,
  ApprovalPolicy,
  EntryCondition,
  PeripheralFile,
  PeripheralId,
  type PeripheralSpec,
  SandboxMode,
} from '../shapes/peripheral.ts'
import { Role } from '../shapes/person.ts'
import { RoomMode } from '../shapes/room.ts'
import { keptCommands, wrongCommands } from './narrow-commands.ts'
import { beyond, beyondHosts, outside, rank } from './within.ts'
import { parse, type Source, told, type Wrong } from './yaml.ts'

const Globs = z.array(z.string().min(1).max(200))
const Evidence = z.enum(['none', 'session', 'room', 'all'])
const { limits, examples, exit } = PeripheralFile.shape

/** What a user's file may say of a wall that is there already: less of anything, and nothing more. */
const Narrowing = z.strictObject({
  narrows: PeripheralId,
  purpose: z.string().optional(),
  tools: z.array(AnyTool).min(1).optional(),
  scope: z
    .strictObject({
      read: Globs.optional(),
      write: Globs.optional(),
      /** Besides what is denied already. */
      deny: Globs.optional(),
      evidence: Evidence.optional(),
      web: z.strictObject({ hosts: z.array(z.string().min(1)) }).optional(),
    })
    .optional(),
  sandbox: SandboxMode.optional(),
  /** The commands that stay, word by word as the wall has them. */
  commands: z.array(z.array(z.string()).min(1)).optional(),
  approval: z
    .strictObject({
      policy: ApprovalPolicy.optional(),
      /** Besides those that are asked about already. */
      tools: z.array(AnyTool).optional(),
    })
    .optional(),
  ceiling: z.null().optional(),
  modes: z.array(RoomMode).min(1).optional(),
  role: Role.optional(),
  entry: z.array(EntryCondition).min(1).optional(),
  exit: exit.unwrap().optional(),
  /** Besides those that are run already. */
  checks: z.array(z.string()).optional(),
  // Not `partial()`, which would set what is not named to its default.
  limits: z.partialRecord(limits.keyof(), z.int().positive()).optional(),
  examples: examples.partial().optional(),
})
type Narrowing = z.infer<typeof Narrowing>

export const isNarrowing = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'narrows' in value

/** A wall made narrower by a user's file; anything in it that would make the wall wider is an error that says where. */
export const narrow = (source: Source, specs: ReadonlyMap<string, PeripheralSpec>): PeripheralSpec => {
  const file = parse(Narrowing, source.value, source)
  const base = specs.get(file.narrows)
  if (!base) {
    const [wrong] = told([{ path: ['narrows'], what: `there is no peripheral ${file.narrows}` }], source)
    const known = [...specs.keys()].join(', ')
    throw new Problem(wrong ?? '', `narrow one of ${known}, or leave "narrows" out and write a whole one`)
  }
  const wrong = told(wider(base, file), source)
  if (wrong.length > 0) throw new Problem(wrong.join('\n'), `a file that narrows ${base.id} may only take away`)
  return narrowed(base, file)
}

/** Everything in a file that would open more than the wall does. */
const wider = (base: PeripheralSpec, file: Narrowing): Wrong[] => [
  ...beyond(['tools'], file.tools, base.tools),
  ...beyond(['modes'], file.modes, base.modes),
  ...beyond(['entry'], file.entry, base.entry),
  ...beyond(['approval', 'tools'], file.approval?.tools, file.tools ?? base.tools),
  ...beyondHosts(['scope', 'web', 'hosts'], file.scope?.web?.hosts, base.scope.web.hosts),
  ...outside(['scope', 'read'], file.scope?.read, base.scope.read),
  ...outside(['scope', 'write'], file.scope?.write, base.scope.write),
  ...rank(['scope', 'evidence'], file.scope?.evidence, base.scope.evidence, Evidence.options),
  ...rank(['sandbox'], file.sandbox, base.sandbox, SandboxMode.options),
  // A higher role is the narrower one.
  ...rank(['role'], file.role, base.role, Role.options.toReversed()),
  ...widerPolicy(file.approval?.policy, base.approval.policy),
  ...wrongCommands(file.commands, base, file.ceiling === null ? null : base.ceiling),
  ...otherExits(file.exit, base),
  ...higherLimits(file.limits, base),
]

/** From asking on request, one can go to asking always or to refusing; anything else lets something through. */
const widerPolicy = (given: string | undefined, has: string): Wrong[] =>
  given === undefined || given === has || has === 'on-request'
    ? []
    : [{ path: ['approval', 'policy'], what: `${given} would let through what ${has} does not` }]

const otherExits = (given: PeripheralSpec['exit'] | undefined, { id, exit }: PeripheralSpec): Wrong[] =>
  (given ?? []).flatMap(({ when, to }, i) =>
    to.flatMap((name, j): Wrong[] =>
      exit.some((own) => own.when === when && own.to.includes(name))
        ? []
        : [{ path: ['exit', i, 'to', j], what: `${id} does not lead to ${name} when ${when}` }],
    ),
  )

const higherLimits = (given: Narrowing['limits'], { id, limits }: PeripheralSpec): Wrong[] =>
  Object.entries(given ?? {}).flatMap(([name, value]): Wrong[] => {
    const most = limits[name as keyof PeripheralSpec['limits']]
    return value !== undefined && value > most
      ? [{ path: ['limits', name], what: `expected at most ${most}, which ${id} has` }]
      : []
  })

/** What is there without a tool that goes is gone with it: commands without `run`, exits without `hop`. */
const narrowed = (base: PeripheralSpec, file: Narrowing): PeripheralSpec => {
  const { purpose = base.purpose, tools = base.tools, sandbox = base.sandbox } = file
  const { modes = base.modes, role = base.role, entry = base.entry } = file
  const kept = (names: readonly AnyTool[]) => names.filter((name) => tools.includes(name))
  const runs = tools.includes('run')
  return {
    id: base.id,
    purpose,
    tools,
    sandbox,
    modes,
    role,
    entry,
    context: base.context,
    scope: narrowedScope(base.scope, file.scope ?? {}),
    commands: runs ? keptCommands(file.commands, base.commands, sandbox) : [],
    approval: {
      policy: file.approval?.policy ?? base.approval.policy,
      tools: kept(union(base.approval.tools, file.approval?.tools)),
    },
    ceiling: file.ceiling === null ? null : keptCeiling(base.ceiling, runs),
    exit: tools.includes('hop') ? keptExits(file.exit, base.exit) : [],
    phases: base.phases.map((phase) => ({ ...phase, tools: kept(phase.tools) })),
    ...(base.cycle === undefined ? {} : { cycle: base.cycle }),
    checks: union(base.checks, file.checks),
    limits: { ...base.limits, ...file.limits },
    examples: narrowedExamples(base.examples, file.examples),
  }
}

const union = <T>(has: readonly T[], more: readonly T[] = []): T[] => [...new Set([...has, ...more])]

/** What the wider wall allowed may be refused now: only what the file says itself must pass. */
const narrowedExamples = (
  { refused }: PeripheralSpec['examples'],
  more: Narrowing['examples'],
): PeripheralSpec['examples'] => ({
  allowed: more?.allowed ?? [],
  refused: [...refused, ...(more?.refused ?? [])],
})

const narrowedScope = (
  { web, ...base }: PeripheralSpec['scope'],
  file: NonNullable<Narrowing['scope']>,
): PeripheralSpec['scope'] => ({
  ...base,
  read: file.read ?? base.read,
  write: file.write ?? base.write,
  deny: [...base.deny, ...(file.deny ?? [])],
  evidence: file.evidence ?? base.evidence,
  web: { ...web, hosts: file.web?.hosts ?? web.hosts },
})

/** In the order of the wall: which of two exits is taken must not change. */
const keptExits = (given: PeripheralSpec['exit'] | undefined, has: PeripheralSpec['exit']): PeripheralSpec['exit'] =>
  given === undefined
    ? has
    : has
        .map(({ when, to }) => ({
          when,
          to: to.filter((name) => given.some((one) => one.when === when && one.to.includes(name))),
        }))
        .filter(({ to }) => to.length > 0)

const keptCeiling = (ceiling: PeripheralSpec['ceiling'], runs: boolean): PeripheralSpec['ceiling'] => {
  if (ceiling === null || runs) return ceiling
  return ceiling.write.length > 0 ? { ...ceiling, network: false, commands: [] } : null
}
