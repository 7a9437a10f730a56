import { access } from 'node:fs/promises'
import { basename } from 'node:path'
import { filesNamed } from '../../missions/files-named.ts'
import { unknown } from '../../missions/named.ts'
import { proseOf } from '../../missions/prose.ts'
import { missionNamed } from '../../missions/resolve.ts'
import { type Sight, scanMissions, textOfMission } from '../../missions/scan.ts'
import type { Mission } from '../../shapes/mission.ts'
import { refusal } from '../../shapes/refusal.ts'
import { ok, type Result, refused } from '../../shapes/result.ts'
import { inside } from '../../workspace/paths.ts'
import { filesAt } from '../look.ts'
import type { Undertaking } from '../undertaking.ts'
import type { MissionFile, Seen } from './audit.ts'

/** A mission that has a file, and what that says. */
export type Found = { mission: Mission; file: MissionFile }

/** Finds the file of a mission as mission control does, by its name in whatever case. */
export const findMission = async (name: string, sight: Sight): Promise<Result<Found>> => {
  const portfolio = await scanMissions(sight)
  const mission = missionNamed(portfolio, name)
  if (!mission) return unknown(name, portfolio)
  const { id, path, complaints } = mission
  // Under another name it would be the file of something else that is changed.
  if (basename(path) !== `${id}.md`)
    return refused(refusal('mission-unknown', `${id} is a link to ${path}: put the file itself there`))
  const text = await textOfMission(mission, sight)
  if (text === null) return unknown(name, portfolio)
  return ok({ mission, file: { path, text, complaints } })
}

/** What is on the disk of all that a mission rests on, and that its file names. */
export const seenOf = async (
  { items }: Pick<Undertaking, 'items'>,
  file: MissionFile | null,
  sight: Sight,
): Promise<Seen> => {
  const shown = [...items.values()].flatMap(({ artifacts }) => artifacts.map(({ path }) => path))
  const named = file ? proseOf(file.text).lines.flatMap(({ text }) => filesNamed(text, file.path)) : []
  const there = new Set<string>()
  for (const path of new Set(named)) if (await isThere(path, sight)) there.add(path)
  return { files: (await filesAt(shown, sight)).files, there }
}

/** Whether a file is there. What the wall does not show, nobody says anything of. */
const isThere = async (path: string, { workspace, shows }: Sight): Promise<boolean> => {
  const place = await inside(workspace, path).catch(() => null)
  if (!place || !shows(place.name)) return true
  return access(place.real).then(
    () => true,
    () => false,
  )
}
