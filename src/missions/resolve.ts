import { type Complaint, type Mission, MissionId, type Portfolio } from '../shapes/mission.ts'

/**
 * Holds missions against each other: of two files of one name the first counts; what is blocked by a mission that is not
 * complete is blocked, whatever it says; and what cannot be right is complained about.
 */
export const resolve = (read: readonly Mission[], before: readonly Complaint[] = []): Portfolio => {
  const first = new Map<string, Mission>()
  const twice: Complaint[] = []
  for (const mission of read) {
    const known = first.get(keyOf(mission.id))
    if (known) twice.push(sameName(mission, known))
    else first.set(keyOf(mission.id), mission)
  }
  const blockers = blockersIn(first)
  const missions = [...first.values()]
    .map((mission) => standing(mission, first, blockers))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    missions,
    complaints: [...before, ...twice, ...missions.flatMap(({ complaints }) => complaints)].sort(byPlace),
  }
}

/** Names are told apart by their letters, and not by their case: some file systems do not either. */
const keyOf = (id: string): string => id.toLowerCase()

/** The mission of that name, in whatever case. */
export const missionNamed = ({ missions }: Pick<Portfolio, 'missions'>, name: string): Mission | null =>
  missions.find(({ id }) => keyOf(id) === keyOf(name)) ?? null

const sameName = ({ path, id }: Mission, known: Mission): Complaint => ({
  path,
  line: 1,
  what: `is ${id}, as ${known.path} is`,
  right: 'give one of the two another name: the other one counts',
})

type All = ReadonlyMap<string, Mission>
type Blockers = ReadonlyMap<string, readonly Mission[]>

const standing = (mission: Mission, all: All, blockers: Blockers): Mission => {
  const { status, blockedBy, path, line } = mission
  const complaints = [...mission.complaints]
  const complain = (what: string, right: string): void => void complaints.push({ path, line, what, right })
  const others = blockedBy.filter((name) => MissionId.safeParse(name).success)
  for (const name of others) {
    const other = all.get(keyOf(name))
    if (!other)
      complain(`is blocked by ${name}, which is not there`, 'name a mission that is, or take it out of the line')
    else if (other.status === 'complete' && status !== 'complete') {
      complain(`is blocked by ${other.id}, which is complete`, 'take it out of the line')
    }
  }
  const round = status === 'complete' ? null : cycleFrom(mission, blockers)
  if (round) complain(`is blocked by itself: ${round.join(' by ')}`, 'take one of them out of a "Blocked by" line')
  const waits = blockedBy.some((name) => all.get(keyOf(name))?.status !== 'complete')
  const held = waits && (status === 'ready' || status === 'in-progress' || status === 'unknown')
  return { ...mission, status: held ? 'blocked' : status, complaints }
}

/** The way from a mission over what blocks it back to itself, the shortest; null where there is none. */
const cycleFrom = (mission: Mission, blockers: Blockers): string[] | null => {
  const ways: Mission[][] = [[mission]]
  const seen = new Set<string>()
  // A list that is added to goes on with what was added: the shorter ways come first.
  for (const way of ways) {
    for (const other of blockers.get(way.at(-1)?.id ?? '') ?? []) {
      if (other.id === mission.id) return [...way, mission].map(({ id }) => id)
      if (!seen.has(other.id)) ways.push([...way, other])
      seen.add(other.id)
    }
  }
  return null
}

/** The missions that block each, and are not complete: looked up once, since ways lead over them again and again. */
const blockersIn = (all: All): Blockers =>
  new Map(
    [...all.values()].map(({ id, blockedBy }) => [
      id,
      blockedBy.flatMap((name) => all.get(keyOf(name)) ?? []).filter(({ status }) => status !== 'complete'),
    ]),
  )

const byPlace = (a: Complaint, b: Complaint): number => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)
