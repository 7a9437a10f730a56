import { hashOf } from '../evidence/hash.ts'
import type { CommandRule, PeripheralSpec, SandboxMode } from '../shapes/peripheral.ts'
import type { Profile, Profiles } from '../shapes/profile.ts'
import { narrower } from '../tools/tool.ts'
import type { Specs } from './hops.ts'

type Narrowing = { sandbox?: SandboxMode | undefined; approval: Profile['approval'] }

/** What holds under a profile that the config has no longer: nobody knows what it closed, so all that one can. */
const STRICTEST: Narrowing = { sandbox: 'read-only', approval: 'always' }

/** A wall as it is under a profile: no wider sandbox than that, and a person is asked where it says so. Nothing is opened. */
export const narrowedBy = (spec: PeripheralSpec, { sandbox = 'full', approval }: Narrowing): PeripheralSpec => ({
  ...spec,
  sandbox: narrower(spec.sandbox, sandbox),
  commands: spec.commands.map((rule) => narrowedRule(rule, sandbox)),
  ceiling: spec.ceiling && {
    ...spec.ceiling,
    sandbox: narrower(spec.ceiling.sandbox, sandbox),
    commands: spec.ceiling.commands.map((rule) => narrowedRule(rule, sandbox)),
  },
  approval: { ...spec.approval, policy: narrowedPolicy(spec.approval.policy, approval) },
})

/** A rule without a sandbox of its own has that of its wall, or of the ceiling. */
const narrowedRule = (rule: CommandRule, most: SandboxMode): CommandRule =>
  rule.sandbox === undefined ? rule : { ...rule, sandbox: narrower(rule.sandbox, most) }

type Policy = PeripheralSpec['approval']['policy']

/** Where nobody is asked, what needs a person is refused: to ask would let more through. */
const narrowedPolicy = (policy: Policy, approval: Profile['approval']): Policy =>
  policy === 'on-request' && approval === 'always' ? 'always' : policy

export type Walls = ReturnType<typeof createWalls>

/** The walls of the config, as they are without a profile and under each. The same wall is one, however many have it. */
export const createWalls = (specs: Specs, profiles: Profiles) => {
  const known = new Map<string, PeripheralSpec>()
  const once = (spec: PeripheralSpec): PeripheralSpec => {
    const hash = hashOf(spec)
    const wall = known.get(hash) ?? spec
    known.set(hash, wall)
    return wall
  }
  const under = (narrowing: Narrowing | null): Specs =>
    new Map([...specs].map(([id, spec]) => [id, once(narrowing ? narrowedBy(spec, narrowing) : spec)]))
  const plain = under(null)
  const named = new Map(Object.entries(profiles).map(([name, profile]) => [name, under(profile)]))
  const strictest = under(STRICTEST)

  return {
    /** Every wall that can be put up, each once. */
    all: (): PeripheralSpec[] => [...known.values()],
    /** The walls that are put up under a profile: at a start, and at a hop. */
    for: (profile: string | null): Specs => (profile === null ? plain : (named.get(profile) ?? strictest)),
    /** The wall that was put up, by the hash that its start names; where the config has another by now, there is none. */
    standing: (peripheral: string, hash: string): PeripheralSpec | undefined => {
      const wall = known.get(hash)
      return wall?.id === peripheral ? wall : undefined
    },
  }
}
