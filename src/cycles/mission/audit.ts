import { filesNamed } from '../../missions/files-named.ts'
import { parseMission, statusIn } from '../../missions/parse.ts'
import { type Box, boxesIn, boxIn, proseOf } from '../../missions/prose.ts'
import { statusLine } from '../../missions/rewrite.ts'
import type { Complaint } from '../../shapes/mission.ts'
import type { AuditFinding } from '../../shapes/obligation.ts'
import type { FileState } from '../../shapes/turn.ts'
import type { LedgerItem } from '../../shapes/undertaking.ts'
import type { Undertaking } from '../undertaking.ts'
import { markOf, type Paired, paired } from './obligations.ts'
import { changedFiles, standingOf } from './standing.ts'

/** The file of a mission as it was read; and what is wrong with it beside the others. */
export type MissionFile = { path: string; text: string; complaints: readonly Complaint[] }

/** What is on the disk: the files that show obligations, as they are; and which of those that the document names are there. */
export type Seen = { files: ReadonlyMap<string, FileState | null>; there: ReadonlySet<string> }

/** Holds the file of a mission against its ledger and against what is on the disk: everything that is not the same. */
export const auditOf = (mission: Undertaking, file: MissionFile | null, seen: Seen): AuditFinding[] => {
  if (!file) return [gone(mission)]
  const finding: Find = (gate, line, what, right) => ({ gate, path: file.path, line, what, right })
  const pairs = paired(boxesIn(file.text), mission.items)
  return [
    ...unfaithful(pairs, mission, finding),
    ...untrueBoxes(pairs, finding),
    ...untrueStatus(mission, file, seen, finding),
    ...changedFiles(mission, seen.files).map(({ item, path }) =>
      finding(
        null,
        lineOf(pairs, item),
        `${item} is done, and ${path} is not what showed it`,
        'look at it; where it does not hold any more, say that it is open with ledger-upsert, and show it again',
      ),
    ),
    ...missing(pairs, mission, { ...file, ...seen }, finding),
    ...complaints(mission, file),
  ].sort((a, b) => a.line - b.line)
}

type Gate = AuditFinding['gate']
type Find = (gate: Gate, line: number, what: string, right: string) => AuditFinding

const gone = ({ id, saved }: Undertaking): AuditFinding => ({
  gate: 'fidelity',
  path: saved?.file.path ?? `${id}.md`,
  line: 1,
  what: `there is no file of ${id} that mission control reads`,
  right: 'put it back where it was, under its name: a mission is what its file is called',
})

/** Boxes that are no obligations, and obligations that have no box. */
const unfaithful = ({ strange, boxless }: Paired, { filed }: Undertaking, find: Find): AuditFinding[] => [
  ...strange.map(({ n, words }) =>
    words === ''
      ? find('fidelity', n, 'has a box without words', 'say what is to be done, or take it out')
      : find(
          'fidelity',
          n,
          `has a box that is no obligation: ${words}`,
          'load the mission again between cycles, or add it with ledger-upsert',
        ),
  ),
  ...boxless
    .filter(({ status }) => status !== 'abandoned')
    .map(({ id, text }) =>
      filed.has(id)
        ? find('fidelity', 1, `has no box of ${id} any more: ${text}`, 'put it back, or abandon the obligation')
        : find('fidelity', 1, `has no box of ${id} yet: ${text}`, 'mission-save adds it'),
    ),
]

const SAYS: Record<Box['mark'], string> = { ' ': 'is open', x: 'is ticked', '-': 'is given up' }

const untrueBoxes = ({ pairs }: Paired, find: Find): AuditFinding[] =>
  pairs
    .filter(({ box, item }) => box.mark !== markOf(item))
    .map(({ box, item }) =>
      find('document', box.n, `has a box that ${SAYS[box.mark]}, and ${item.id} is ${item.status}`, 'mission-save it'),
    )

/** A status line that says something else than the obligations do. */
const untrueStatus = (mission: Undertaking, { text }: MissionFile, { files }: Seen, find: Find): AuditFinding[] => {
  const said = statusLine(text)
  const says = said && statusIn(said.value)
  const { status } = standingOf(mission.items, changedFiles(mission, files))
  // What is no status at all, the parser complains about.
  if (!said || says === null || says === status) return []
  return [find('document', said.line, `says ${says}, and its obligations come to ${status}`, 'mission-save it')]
}

/**
 * Files that are named and not there. What an open box names is yet to be made; the rest of the document may speak of what
 * comes later, until all of it is said to be over.
 */
const missing = (pairs: Paired, mission: Undertaking, { path, text, there }: Named, find: Find): AuditFinding[] => {
  const byLine = new Map(pairs.pairs.map(({ box, item }) => [box.n, item]))
  const over = standingOf(mission.items, []).status === 'complete'
  return proseOf(text).lines.flatMap((line) => {
    const item = byLine.get(line.n) ?? null
    if (boxIn(line) !== null && item?.status !== 'done') return []
    const gate = item || over ? 'document' : null
    return filesNamed(line.text, path)
      .filter((name) => !there.has(name))
      .map((name) => find(gate, line.n, `names ${name}, which is not there`, rightFor(item)))
  })
}

type Named = Pick<MissionFile, 'path' | 'text'> & Pick<Seen, 'there'>

const rightFor = (item: LedgerItem | null): string =>
  item ? `make it, or say that ${item.id} is open with ledger-upsert` : 'make it, or name what is there'

/** What the parser says of the file by itself; what others make of it is only to be known. */
const complaints = ({ id }: Undertaking, { path, text, complaints: all }: MissionFile): AuditFinding[] => {
  const own = parseMission(id, path, text).complaints
  const isOwn = ({ line, what }: Complaint) => own.some((one) => one.line === line && one.what === what)
  return [
    ...own.map((one): AuditFinding => ({ ...one, gate: 'document' })),
    ...all.filter((one) => !isOwn(one)).map((one): AuditFinding => ({ ...one, gate: null })),
  ]
}

const lineOf = ({ pairs }: Paired, id: string): number => pairs.find(({ item }) => item.id === id)?.box.n ?? 1

/** An audit as lines; what closes a gate first. */
export const auditText = (findings: readonly AuditFinding[]): string => {
  if (findings.length === 0) return 'the file says what the evidence shows'
  return [...findings]
    .sort((a, b) => Number(a.gate === null) - Number(b.gate === null))
    .map(({ path, line, what, right, gate }) => `${path}:${line}: ${what}; ${right}${gate ? ` [${gate}]` : ''}`)
    .join('\n')
}
