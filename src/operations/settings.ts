import { z } from 'zod'
import { watchedBy } from '../evidence/bindings.ts'
import { roomDraft } from '../evidence/drafts.ts'
import { listenerOf, NOBODY, settingOf, showOf } from '../evidence/room-settings.ts'
import { roomOfThread, threadOf } from '../evidence/threads.ts'
import { hasSchedule, settingsWith } from '../shapes/bulletin.ts'
import { authorOf } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name, type Place, RoomSetting, Show } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

/** What takes a setting back: then it is as the config says. */
const DEFAULT = 'default'

const common = { role: 'operator', reads: false, offline: false } as const

const Heard = z.strictObject({ room: Name, listener: Name.nullable() })
const heardText = ({ room, listener }: z.infer<typeof Heard>): string =>
  listener === null
    ? `in ${room} agents hear what names them, and nothing else`
    : `in ${room} ${listener} hears what is addressed to nobody`

export const gate = defineOperation({
  ...common,
  name: 'gate',
  summary: 'make this room mention-only: agents hear the lines that name them',
  example: 'gate',
  positional: [],
  input: z.strictObject({}),
  output: Heard,
  run: (_input, context) => listen(NOBODY, context),
  render: heardText,
})

export const ungate = defineOperation({
  ...common,
  name: 'ungate',
  summary: 'have an agent hear the lines of this room that are addressed to nobody',
  example: 'ungate claude-1',
  positional: ['agent'],
  input: z.strictObject({ agent: Name.optional().describe('who listens; the usual one where nobody is named') }),
  output: Heard,
  run: async ({ agent }, context) => {
    const usual = agent ?? (await placeOf(context))?.listener
    const here = (await context.who()).map(({ id }) => id)
    const [only, another] = here
    const listener = usual ?? (another === undefined ? only : undefined)
    if (listener !== undefined) return listen(listener, context)
    return refused(refusal('command-invalid', `say who is to listen, of ${here.join(', ')}; usage: /ungate AGENT`))
  },
  render: heardText,
})

const listen = async (to: string, context: Context): Promise<Result<z.infer<typeof Heard>>> => {
  const set = await change('listener', to, context)
  return set.ok
    ? ok({ room: set.value.id, listener: await listenerOf(context.store, set.value, context.person.face) })
    : set
}

const SettingRow = z.strictObject({
  setting: RoomSetting,
  /** What holds, through the face that it is asked by. */
  value: z.string(),
  /** Whether it was set here, and is not as the config says. */
  own: z.boolean(),
})

export const settings = defineOperation({
  ...common,
  name: 'settings',
  summary:
    'how this room is set, and the rooms it watches; or set it: listener AGENT or nobody, show quiet, normal or all, bulletins on or off',
  example: 'settings show quiet',
  positional: ['setting', 'value'],
  input: z.strictObject({
    setting: RoomSetting.optional().describe('which; all of them where none is named'),
    value: z.string().max(64).optional().describe(`what it is to be; ${DEFAULT} is as the config says`),
  }),
  output: z.strictObject({ room: Name, settings: z.array(SettingRow), watching: z.array(Name) }),
  run: async ({ setting, value }, context) => {
    const set =
      setting !== undefined && value !== undefined ? await change(setting, value, context) : await here(context)
    if (!set.ok) return set
    const { store } = context
    const wanted = setting === undefined ? RoomSetting.options : [setting]
    const rows = await Promise.all(wanted.map((one) => rowOf(one, set.value, context)))
    return ok({ room: set.value.id, settings: rows, watching: await watchedBy(store, set.value.id) })
  },
  render: ({ room, settings, watching }) =>
    [
      ...settings.map(({ setting, value, own }) => `${setting} is ${value}${own ? '' : ', as the config says'}`),
      ...(watching.length > 0 ? [`${room} watches ${watching.join(', ')}`] : []),
    ].join('\n'),
})

/** What holds, by the setting. */
const holding: Record<RoomSetting, (place: Place, context: Context) => Promise<string>> = {
  listener: async (place, { store, person }) => (await listenerOf(store, place, person.face)) ?? NOBODY,
  show: ({ id }, { store }) => showOf(store, id),
  bulletins: async ({ id, bulletins }, { store, config }) =>
    (await settingOf(store, id, 'bulletins')) ?? (isScheduled(id, bulletins, config) ? 'on' : 'off'),
}

/** Whether the config has a schedule for a room; for a thread it never does. */
const isScheduled = (id: string, own: Place['bulletins'], { bulletins }: Context['config']): boolean =>
  !id.startsWith('t-') && hasSchedule(settingsWith(bulletins, own))

const rowOf = async (setting: RoomSetting, place: Place, context: Context) => {
  const own = (await settingOf(context.store, place.id, setting)) !== null
  return { setting, value: await holding[setting](place, context), own }
}

/** The room that it is asked in, as it is entered: one of the config, or a thread. */
const placeOf = async ({ room, rooms, store }: Context): Promise<Place | null> => {
  const thread = room === null ? null : await threadOf(store, room)
  return thread ? roomOfThread(thread, rooms) : (rooms.find(({ id }) => id === room) ?? null)
}

const here = async (context: Context): Promise<Result<Place>> => {
  const place = await placeOf(context)
  return place ? ok(place) : refused(refusal('room-unknown', 'a setting belongs to a room: ask in one'))
}

/** Sets something of the room, or takes it back; what is set already is not set twice. */
const change = async (setting: RoomSetting, value: string, context: Context): Promise<Result<Place>> => {
  const { store, person, newId } = context
  const place = await here(context)
  if (!place.ok) return place
  const to = value === DEFAULT ? ok(null) : await checked[setting](value, context)
  if (!to.ok) return to
  const room = place.value.id
  if ((await settingOf(store, room, setting)) === to.value) return place
  const body = { event: 'room-set', setting, to: to.value } as const
  const written = await store.append([roomDraft({ id: newId(), room, author: authorOf(person), body })])
  return written.ok ? place : written
}

/** What each setting can be. */
const checked: Record<RoomSetting, (value: string, context: Context) => Promise<Result<string>>> = {
  listener: async (value, { who }) => {
    if (value === NOBODY) return ok(value)
    const present = await who()
    const agent = agentNamed(value, present)
    if (present.some(({ id }) => id === agent)) return ok(agent)
    const names = [...present.map(({ id }) => id), NOBODY, DEFAULT].join(', ')
    return refused(refusal('agent-unknown', `there is no agent ${value}; there is ${names}`))
  },
  show: async (value) => {
    const show = Show.safeParse(value)
    if (show.success) return ok(show.data)
    return refused(refusal('command-invalid', `show is ${[...Show.options, DEFAULT].join(', ')}, and not ${value}`))
  },
  bulletins: async (value) =>
    value === 'on' || value === 'off'
      ? ok(value)
      : refused(refusal('command-invalid', `bulletins is on, off, ${DEFAULT}, and not ${value}`)),
}
