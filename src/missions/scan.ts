import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { oneLine } from '../lib/plain.ts'
import { type Complaint, type Mission, MissionId, type Portfolio } from '../shapes/mission.ts'
import { type Inside, inside, type Workspace } from '../workspace/paths.ts'
import { readText } from '../workspace/read-text.ts'
import { parseMission } from './parse.ts'
import { resolve } from './resolve.ts'

/** Where missions are looked for, and which names of the workspace may be read. */
export type Sight = { workspace: Workspace; folders: readonly string[]; shows: (name: string) => boolean }

/** As many files as are read, and the most bytes of one. */
export const MOST_FILES = 500
export const MOST_BYTES = 262_144

/**
 * Reads the missions of a workspace: the files `M-*.md` of the folders that the config names. Each is opened as what it
 * really is; what leads out of the workspace, is closed to whoever looks, or is too large is complained about, not read.
 */
export const scanMissions = async (sight: Sight): Promise<Portfolio> => {
  const complaints: Complaint[] = []
  const complain = (path: string, what: string, right: string): void =>
    void complaints.push({ path: oneLine(path, 200), line: 1, what, right })
  const found = (await Promise.all(sight.folders.map((folder) => filesIn(folder, sight, complain)))).flat()
  const [left] = found.slice(MOST_FILES)
  if (left)
    complain(left, `is one of ${found.length} missions, and ${MOST_FILES} are read`, 'move those away that are over')
  const missions: Mission[] = []
  for (const path of found.slice(0, MOST_FILES)) {
    const mission = await missionAt(path, sight, complain)
    if (mission) missions.push(mission)
  }
  return resolve(missions, complaints)
}

/** What the file of a mission says; null where it cannot be read, or not any more. */
export const textOfMission = async (
  { path }: Pick<Mission, 'path'>,
  { workspace, shows }: Sight,
): Promise<string | null> => {
  const place = await placeOf(workspace, path)
  const text = place && shows(place.name) ? await textAt(place) : null
  return typeof text === 'string' ? text : null
}

type Complain = (path: string, what: string, right: string) => void

const filesIn = async (folder: string, { workspace }: Sight, complain: Complain): Promise<string[]> => {
  const place = await placeOf(workspace, folder)
  if (place === null) {
    complain(
      folder,
      'leads out of the workspace',
      'name a folder of the workspace under missions.folders in the config',
    )
    return []
  }
  const names = await readdir(place.real).catch(() => [])
  return names
    .filter((name) => /^M-.*\.md$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/** What a path really is; null where it is nothing of the workspace. */
const placeOf = (workspace: Workspace, path: string): Promise<Inside | null> =>
  inside(workspace, path).catch(() => null)

const missionAt = async (path: string, { workspace, shows }: Sight, complain: Complain): Promise<Mission | null> => {
  const id = MissionId.safeParse(basename(path, '.md'))
  if (!id.success) {
    complain(
      path,
      'has a name that no mission can have',
      'use "M-", then letters, digits, dots, dashes and underscores',
    )
    return null
  }
  const place = await placeOf(workspace, path)
  if (place === null) {
    complain(path, 'leads out of the workspace', 'put the file itself there')
    return null
  }
  if (!shows(place.name)) {
    complain(path, 'is closed to mission control', 'open it in the scope of the peripheral, or take it away')
    return null
  }
  const text = await textAt(place)
  if (typeof text === 'string') return parseMission(id.data, place.name, text)
  complain(path, text.wrong, 'make it a text file of at most 256 KB, with one name')
  return null
}

const textAt = async (place: Inside): Promise<string | { wrong: string }> => {
  const read = await readText(place, MOST_BYTES)
  return 'wrong' in read ? read : read.text
}
