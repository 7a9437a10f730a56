import { commandOf, commandsIn, deleteCommand, patchCommand, putAllCommands, putCommand } from './commands.ts'
import { guildOf } from './guilds.ts'
import { refuse } from './refusal.ts'
import { Answered, type Call, type Route } from './route.ts'

/** Commands for all guilds, and for one: the same routes, twice. */
export const commandRoutes: Route[] = ['/applications/:application', '/applications/:application/guilds/:guild']
  .map((path) => `${path}/commands`)
  .flatMap((path) => [
    { method: 'GET', path, handle: (call: Call) => commandsIn(call.world, scopeOf(call)) },
    {
      method: 'POST',
      path,
      handle: (call: Call) => {
        const { made, isNew } = putCommand(call.world, scopeOf(call), call.body)
        return new Answered(isNew ? 201 : 200, made)
      },
    },
    { method: 'PUT', path, handle: (call: Call) => putAllCommands(call.world, scopeOf(call), call.body) },
    {
      method: 'GET',
      path: `${path}/:command`,
      handle: (call: Call) => commandOf(call.world, scopeOf(call), call.ids.command),
    },
    {
      method: 'PATCH',
      path: `${path}/:command`,
      handle: (call: Call) => patchCommand(call.world, scopeOf(call), call.ids.command, call.body),
    },
    {
      method: 'DELETE',
      path: `${path}/:command`,
      handle: (call: Call) => deleteCommand(call.world, scopeOf(call), call.ids.command),
    },
  ])

const scopeOf = ({ world, ids }: Call): string => {
  if (ids.application !== world.applicationId) refuse('unknownApplication')
  return ids.guild === '' ? '' : guildOf(world, ids.guild).id
}
