import { oneLine } from '../../lib/plain.ts'
import type { Sight } from '../../missions/scan.ts'
import { MissionId } from '../../shapes/mission.ts'
import type { Obligations } from '../../shapes/obligation.ts'
import { ok, type Result } from '../../shapes/result.ts'
import { countsOf } from '../lines.ts'
import type { Undertaking } from '../undertaking.ts'
import type { Undertakings } from '../undertakings.ts'
import { auditOf } from './audit.ts'
import { type Found, findMission, seenOf } from './file.ts'
import { diagramOf, wiringOf } from './wiring.ts'

/** How the obligations of a mission stand, for whoever looks: from its chain, held against its file as it is now. */
export const obligationsOf =
  ({ undertakings, sight }: { undertakings: Undertakings; sight: Sight }) =>
  async (name: string): Promise<Result<Obligations>> => {
    const found = await findMission(name, sight)
    const id = found.ok ? found.value.mission.id : name
    const mission = MissionId.safeParse(id).success ? await undertakings.of(id) : null
    // One whose file is gone is still known by what was done for it.
    if (!found.ok && !mission) return found
    const seen = found.ok ? found.value : null
    if (!mission) return ok(unbegun(id, seen))
    const file = seen?.file ?? null
    return ok({ ...viewOf(mission, seen), audit: auditOf(mission, file, await seenOf(mission, file, sight)) })
  }

const viewOf = (mission: Undertaking, found: Found | null): Omit<Obligations, 'audit'> => {
  const { id, title, items, cycle, cycles, failed } = mission
  const graph = graphOf(mission, found)
  return {
    mission: id,
    title,
    path: found?.file.path ?? null,
    begun: true,
    obligations: [...items.values()],
    cycle: cycle && { n: cycle.n, item: cycle.item, phase: cycle.phase, approach: cycle.approach },
    cycles: cycles.map(({ n, item, outcome, why, at }) => ({ n, item, outcome, why, at })),
    failed: [...failed],
    graph,
    wiring: diagramOf(graph),
  }
}

const graphOf = (mission: Pick<Undertaking, 'id' | 'title' | 'items'>, found: Found | null) =>
  wiringOf({
    mission,
    path: found?.file.path ?? null,
    text: found?.file.text ?? '',
    blockedBy: found?.mission.blockedBy ?? [],
  })

/** A mission that has a file, and that nobody has taken up. */
const unbegun = (id: string, found: Found | null): Obligations => {
  const title = found?.mission.title ?? id
  const graph = graphOf({ id, title, items: new Map() }, found)
  return {
    mission: id,
    title,
    path: found?.file.path ?? null,
    begun: false,
    obligations: [],
    cycle: null,
    cycles: [],
    failed: [],
    audit: [],
    graph,
    wiring: diagramOf(graph),
  }
}

/** How the obligations of a mission stand, in a line; null where nobody has taken it up. */
export const obligationsLine =
  (undertakings: Undertakings) =>
  async (id: string): Promise<string | null> => {
    const mission = await undertakings.of(id)
    if (!mission) return null
    const { items, cycle } = mission
    const blocked = [...items.values()].filter(({ status }) => status === 'blocked')
    return [
      `obligations: ${countsOf(items.values()) || 'none'}`,
      ...blocked.slice(0, 3).map((one) => `${one.id} is blocked: ${oneLine(one.why, 80)}`),
      ...(cycle ? [`cycle ${cycle.n} on ${cycle.item} is in ${cycle.phase}`] : []),
    ].join('; ')
  }
