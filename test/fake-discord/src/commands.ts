import { CHAT_INPUT, command } from './command-form.ts'
import { fault, invalidForm, list, read } from './form.ts'
import { refuse } from './refusal.ts'
import type { World } from './state.ts'
import type { ApplicationCommand, CommandOption, Snowflake } from './wire.ts'

/** Commands of one guild; an empty id is for those of all guilds. */
export type CommandScope = Snowflake

type CommandForm = Partial<ApplicationCommand> & { name: string }

export const commandsIn = (world: World, scope: CommandScope): ApplicationCommand[] => [
  ...(world.commands.get(scope)?.values() ?? []),
]

export const commandOf = (world: World, scope: CommandScope, id: Snowflake): ApplicationCommand =>
  world.commands.get(scope)?.get(id) ?? refuse('unknownCommand')

/** Makes a command, or takes the place of the one with the same name; says whether it is new. */
export const putCommand = (world: World, scope: CommandScope, body: unknown) => {
  const form = read<CommandForm>(command, body)
  const found = sameName(commandsIn(world, scope), form)
  if (!found) {
    demandRoom([...commandsIn(world, scope), { type: form.type ?? CHAT_INPUT }])
    countCreates(world, scope, 1)
  }
  const made = settled(world, scope, form, found)
  storeIn(world, scope, [...commandsIn(world, scope).filter(({ id }) => id !== made.id), made])
  return { made, isNew: !found }
}

/** Replaces all commands by these: what was there under the same name stays the same command. */
export const putAllCommands = (world: World, scope: CommandScope, body: unknown): ApplicationCommand[] => {
  const forms = read<CommandForm[]>(list(command), body)
  demandOwnNames(forms)
  demandRoom(forms)
  const had = commandsIn(world, scope)
  countCreates(world, scope, forms.filter((form) => !sameName(had, form)).length)
  const made = forms.map((form) => settled(world, scope, form, sameName(had, form)))
  storeIn(world, scope, made)
  return made
}

export const patchCommand = (world: World, scope: CommandScope, id: Snowflake, body: unknown): ApplicationCommand => {
  const found = commandOf(world, scope, id)
  const form = read<CommandForm>(command, { ...found, ...(body as object) })
  const taken = sameName(commandsIn(world, scope), form)
  if (taken && taken.id !== id) throw invalidForm({ name: fault('APPLICATION_COMMANDS_DUPLICATE_NAME', DUPLICATE) })
  const made = settled(world, scope, form, found)
  world.commands.get(scope)?.set(id, made)
  return made
}

export const deleteCommand = (world: World, scope: CommandScope, id: Snowflake): void => {
  commandOf(world, scope, id)
  world.commands.get(scope)?.delete(id)
}

const DUPLICATE = 'Application command names must be unique'

const sameName = (commands: ApplicationCommand[], form: CommandForm): ApplicationCommand | undefined =>
  commands.find(({ name, type }) => name === form.name && type === (form.type ?? CHAT_INPUT))

const demandOwnNames = (forms: CommandForm[]): void => {
  const keys = forms.map(({ name, type }) => `${type ?? CHAT_INPUT} ${name}`)
  if (new Set(keys).size < keys.length) throw invalidForm(fault('APPLICATION_COMMANDS_DUPLICATE_NAME', DUPLICATE))
}

/** A hundred commands to type; of those in menus, fifteen for users and fifteen for messages. */
const demandRoom = (commands: { type?: number }[]): void => {
  const tooMany = [1, 2, 3].some(
    (kind) => commands.filter(({ type = CHAT_INPUT }) => type === kind).length > (kind === CHAT_INPUT ? 100 : 15),
  )
  if (tooMany) refuse('tooManyCommands')
}

const countCreates = (world: World, scope: CommandScope, count: number): void => {
  const { limit, perMs } = world.limits.commandCreates
  const recent = (world.commandCreates.get(scope) ?? []).filter((at) => world.now() - at < perMs)
  if (count > 0 && recent.length + count > limit) refuse('tooManyCreates')
  world.commandCreates.set(scope, [...recent, ...Array.from({ length: count }, () => world.now())])
}

/** A command as Discord gives it back: with its defaults, and without what says nothing. */
const settled = (
  world: World,
  scope: CommandScope,
  form: CommandForm,
  found: ApplicationCommand | undefined,
): ApplicationCommand => {
  const options = (form.options ?? []).map(settledOption)
  return {
    id: found?.id ?? world.nextId(),
    application_id: world.applicationId,
    ...(scope === '' ? { dm_permission: form.dm_permission ?? true } : { guild_id: scope }),
    version: world.nextId(),
    type: form.type ?? CHAT_INPUT,
    name: form.name,
    description: form.description ?? '',
    ...(options.length > 0 ? { options } : {}),
    default_member_permissions: form.default_member_permissions ?? null,
    contexts: form.contexts ?? null,
    integration_types: form.integration_types ?? [0],
    nsfw: form.nsfw ?? false,
  }
}

const settledOption = (option: CommandOption): CommandOption => {
  const { required, autocomplete, choices = [], options = [], ...rest } = option
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== null))
  return {
    ...(said as typeof rest),
    ...(required ? { required } : {}),
    ...(autocomplete ? { autocomplete } : {}),
    ...(choices.length > 0 ? { choices } : {}),
    ...(options.length > 0 ? { options: options.map(settledOption) } : {}),
  }
}

const storeIn = (world: World, scope: CommandScope, commands: ApplicationCommand[]): void => {
  world.commands.set(scope, new Map(commands.map((one) => [one.id, one])))
}
