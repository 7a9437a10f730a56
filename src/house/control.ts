import { obligationsLine } from '../cycles/mission/view.ts'
import { createUndertakings } from '../cycles/undertakings.ts'
import { sayStanding, standingsOf } from '../evidence/budgets.ts'
import { budgetsOf } from '../evidence/profiles.ts'
import { createControl } from '../missions/control.ts'
import { everybody } from './health.ts'
import type { Parts } from './parts.ts'

/** Mission control, on the parts of this process: presence, turns and budgets are handed in. */
export const controlOf = (parts: Parts): ReturnType<typeof createControl> => {
  const { store, clock, config, roomMode } = parts
  return createControl({
    store,
    clock,
    folders: config.missions.folders,
    who: () => everybody(parts),
    openTurns: parts.turnViews.open,
    budgetsIn: (room) => budgetsIn(parts, room),
    roomMode,
    obligationsOf: obligationsLine(createUndertakings(store)),
  })
}

/** How the budgets stand that hold for the agents of the config in a room; each sentence once. */
const budgetsIn = async ({ store, book, config }: Parts, room: string): Promise<string[]> => {
  const said = new Set<string>()
  for (const { id: agent } of config.agents) {
    const spender = { agent, room, turn: null }
    const standings = await standingsOf(book, spender, await budgetsOf(store, spender, config))
    for (const standing of standings) said.add(sayStanding(spender, standing))
  }
  return [...said]
}
