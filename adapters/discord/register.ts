import { type APIApplicationCommand, type REST, Routes } from 'discord.js'
import type { CommandForm, OptionForm } from './command-forms.ts'

/** What was done so that a server has our commands and no others of ours. */
type Registered = { created: string[]; changed: string[]; deleted: string[] }

/** One request for each, up to here; above it, one for all: Discord lets a bot change few commands in a short time. */
const FEW = 5

/** Has a server offer these commands: looks what it has, and writes what is different. */
export const register = async (rest: REST, application: string, guild: string, forms: readonly CommandForm[]) => {
  const all = Routes.applicationGuildCommands(application, guild)
  const there = (await rest.get(all)) as APIApplicationCommand[]
  const has = new Map(there.map((command) => [`${command.type} ${command.name}`, command]))
  const of = (form: CommandForm) => has.get(`${form.type} ${form.name}`)
  const created = forms.filter((form) => !of(form))
  const changed = forms.filter((form) => of(form) && canonical(of(form) as APIApplicationCommand) !== canonical(form))
  const kept = new Set(forms.map((form) => `${form.type} ${form.name}`))
  const deleted = there.filter((command) => !kept.has(`${command.type} ${command.name}`))
  if (created.length + changed.length + deleted.length > FEW) {
    await rest.put(all, { body: forms })
  } else {
    const one = (id: string) => Routes.applicationGuildCommand(application, guild, id)
    for (const { id } of deleted) await rest.delete(one(id))
    for (const form of changed) await rest.patch(one(of(form)?.id ?? ''), { body: form })
    for (const form of created) await rest.post(all, { body: form })
  }
  const names = (some: readonly { name: string }[]) => some.map(({ name }) => name)
  return { created: names(created), changed: names(changed), deleted: names(deleted) } satisfies Registered
}

type Compared = { description: string; options?: readonly Partial<OptionForm>[] }

/** A command with what Discord leaves out or adds made equal. */
const canonical = ({ description, options = [] }: Compared | APIApplicationCommand): string =>
  JSON.stringify([
    description,
    (options as readonly Partial<OptionForm>[]).map(
      ({ type, name, description: about, required = false, autocomplete = false, choices = [] }) => [
        type,
        name,
        about,
        required,
        autocomplete,
        choices.map((choice) => [choice.name, choice.value]),
      ],
    ),
  ])
