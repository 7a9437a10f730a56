import { z } from 'zod'
import { amount, limitsIn } from '../evidence/budgets.ts'
import { roomDraft } from '../evidence/drafts.ts'
import { ownProfile, profileOf } from '../evidence/profiles.ts'
import { SandboxMode } from '../shapes/peripheral.ts'
import { authorOf, mayAct } from '../shapes/person.ts'
import { Profile } from '../shapes/profile.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'

/** What takes a profile back: no profile can be called so. */
const NONE = 'none'

const Held = z.strictObject({
  room: Name,
  /** The profile that holds here; null where none does. */
  profile: Name.nullable(),
  /** Whether it was set here, and not in the room of a thread or in the config. */
  own: z.boolean(),
  /** What the config says of it; null where it has it no longer. */
  summary: z.string().nullable(),
})
type Held = z.infer<typeof Held>

export const profile = defineOperation({
  name: 'profile',
  summary: 'show how this room or thread works, or set it: a profile of the config, or none',
  example: 'profile careful',
  positional: ['to'],
  input: z.strictObject({ to: Name.optional() }),
  output: Held,
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ to }, context) => {
    const { room, config } = context
    if (room === null) return refused(refusal('room-unknown', 'a profile belongs to a room: ask in one'))
    if (to === undefined) return ok(await heldIn(room, context))
    const wanted = to === NONE ? null : to
    if (wanted !== null && !Object.hasOwn(config.profiles, wanted)) {
      const there = [...Object.keys(config.profiles), NONE].join(', ')
      return refused(refusal('command-invalid', `there is no profile ${to}; there is ${there}`))
    }
    const objection = await tooWide(room, wanted, context)
    if (objection) return refused(objection)
    const set = await setIn(room, wanted, context)
    return set.ok ? ok(await heldIn(room, context)) : set
  },
  render: (held) => heldText(held),
})

const ProfileRow = z.strictObject({ name: Name, holds: z.boolean(), ...Profile.shape })
type ProfileRow = z.infer<typeof ProfileRow>

export const profiles = defineOperation({
  name: 'profiles',
  summary: 'the profiles there are, and the one that holds in this room',
  example: 'profiles',
  positional: [],
  input: z.strictObject({ room: Name.optional().describe('in this room or thread') }),
  output: z.strictObject({
    /** The room that was asked in or for; null where there is none, and what holds is what the config says. */
    room: Name.nullable(),
    profile: Name.nullable(),
    profiles: z.array(ProfileRow),
  }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ room: wanted }, { store, config, room: here }) => {
    const room = wanted ?? here
    const profile = room === null ? config.profile : await profileOf(store, room, config)
    const profiles = Object.entries(config.profiles).map(([name, one]) => ({ name, holds: name === profile, ...one }))
    return ok({ room, profile, profiles })
  },
  render: ({ profiles }) => profiles.map(rowText).join('\n') || 'the config has no profiles',
})

/** Anybody who may give work may be more careful with it; to be less so needs an approver, as a wider mode does. */
const tooWide = async (
  room: string,
  to: string | null,
  { store, config, person }: Context,
): Promise<Refusal | null> => {
  const holds = await profileOf(store, room, config)
  const from = holds === null ? undefined : config.profiles[holds]
  const wanted = to === null ? undefined : config.profiles[to]
  if (!from || mayAct(person.role, 'approver') || (wanted && isWithin(wanted, from))) return null
  return refusal(
    'role-too-low',
    `${holds} holds in ${room}: to open more needs the role approver; you are ${person.role}`,
  )
}

/** Whether a profile opens nothing that another one closes. */
const isWithin = (profile: Profile, other: Profile): boolean => {
  const width = ({ sandbox }: Profile): number => SandboxMode.options.indexOf(sandbox ?? 'full')
  const asks = profile.approval === 'always' || other.approval !== 'always'
  const bounds = limitsIn([profile.budget])
  const bounded = limitsIn([other.budget]).every((limit) =>
    bounds.some(({ of, unit, limit: most }) => of === limit.of && unit === limit.unit && most <= limit.limit),
  )
  return asks && bounded && width(profile) <= width(other)
}

const heldIn = async (room: string, { store, config }: Context): Promise<Held> => {
  const profile = await profileOf(store, room, config)
  const own = (await ownProfile(store, room)) !== null
  return { room, profile, own, summary: (profile !== null && config.profiles[profile]?.summary) || null }
}

/** Sets a room's own profile, or takes it back; what is set already is not set twice. */
const setIn = async (room: string, to: string | null, { store, person, newId }: Context): Promise<Result<unknown>> => {
  const from = await ownProfile(store, room)
  if (from === to) return ok(null)
  const body = { event: 'profile-set', from, to } as const
  return store.append([roomDraft({ id: newId(), room, author: authorOf(person), body })])
}

const heldText = ({ room, profile, own, summary }: Held): string => {
  if (profile === null) return `${room} has no profile`
  const what = summary ?? 'the config has it no longer, so everything is read-only and asked about'
  return `${room} works by ${profile}${own ? '' : ', which was not set here'}: ${what}`
}

const rowText = ({ name, holds, summary, models, sandbox, approval, budget }: ProfileRow): string => {
  const bounds = limitsIn([budget]).map(({ of, unit, limit }) => `${amount(unit, limit)} a ${of}`)
  const parts = [
    ...Object.entries(models).map(([type, model]) => `${type} with ${model}`),
    ...(sandbox === undefined ? [] : [`no more than ${sandbox}`]),
    ...(approval === 'always' ? ['a person is always asked'] : []),
    ...bounds,
  ]
  return `${name}${holds ? ' (holds here)' : ''}: ${[summary, ...parts].join('; ')}`
}
