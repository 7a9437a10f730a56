import { oneLine } from '../../lib/plain.ts'
import { filesNamed } from '../../missions/files-named.ts'
import { phaseLines } from '../../missions/parse.ts'
import { boxesIn, boxIn } from '../../missions/prose.ts'
import { MissionId } from '../../shapes/mission.ts'
import type { Wiring } from '../../shapes/obligation.ts'
import type { Undertaking } from '../undertaking.ts'
import { paired } from './obligations.ts'

type Node = Wiring['nodes'][number]
type Edge = Wiring['edges'][number]

/** What a mission is wired from: its ledger, the text of its file, and what it waits for. */
export type Wired = {
  mission: Pick<Undertaking, 'id' | 'title' | 'items'>
  path: string | null
  text: string
  blockedBy: readonly string[]
}

/**
 * What feeds what: obligations by what they depend on, the files that show them, the obligations and phases that name those
 * files, and what the whole mission waits for. A file that one makes and another names leads from the one to the other.
 */
export const wiringOf = ({ mission, path, text, blockedBy }: Wired): Wiring => {
  const items = [...mission.items.values()]
  const nodes: Node[] = [
    { id: mission.id, kind: 'mission', text: mission.title, status: null },
    ...items.map(({ id, text, status }): Node => ({ id, kind: 'obligation', text, status })),
    ...blockedBy.map((name): Node => ({ id: name, kind: kindOf(name), text: name, status: null })),
  ]
  const edges: Edge[] = [
    ...blockedBy.map((name): Edge => ({ from: name, to: mission.id, kind: 'holds' })),
    ...items.flatMap(({ id, dependsOn }) => dependsOn.map((on): Edge => ({ from: on, to: id, kind: 'feeds' }))),
    ...items.flatMap(({ id, artifacts }) => artifacts.map(({ path }): Edge => ({ from: id, to: path, kind: 'makes' }))),
    ...(path === null ? [] : namedBy(mission, path, text)),
  ]
  const known = new Set(nodes.map(({ id }) => id))
  const ends = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].filter((id) => !known.has(id))
  const others = ends.map((id): Node => ({ id, kind: isPhase(id) ? 'phase' : 'file', text: id, status: null }))
  return {
    nodes: unique([...nodes, ...others]),
    edges: [...new Map(edges.map((edge) => [keyOf(edge), edge])).values()],
  }
}

const kindOf = (name: string): Node['kind'] => (MissionId.safeParse(name).success ? 'mission' : 'outside')

/** Phases have a name that no path has. */
const PHASE = 'phase '
const isPhase = (id: string): boolean => id.startsWith(PHASE)

/** The files that boxes and phases name. */
const namedBy = ({ items }: Pick<Undertaking, 'items'>, path: string, text: string): Edge[] => {
  const byLine = new Map(paired(boxesIn(text), items).pairs.map(({ box, item }) => [box.n, item]))
  return phaseLines(text).flatMap(({ line, phase }) => {
    const item = byLine.get(line.n)
    const by = item?.id ?? (phase === null || boxIn(line) !== null ? null : `${PHASE}${phase}`)
    if (by === null) return []
    const made = new Set(item?.artifacts.map((artifact) => artifact.path))
    return filesNamed(line.text, path)
      .filter((file) => !made.has(file))
      .map((file): Edge => ({ from: file, to: by, kind: 'names' }))
  })
}

const keyOf = ({ from, to, kind }: Edge): string => JSON.stringify([from, to, kind])

/** Whoever is named twice is there once. */
const unique = (nodes: readonly Node[]): Node[] =>
  [...new Map(nodes.toReversed().map((node) => [node.id, node])).values()].reverse()

const ARROWS: Record<Edge['kind'], string> = { feeds: '-->', makes: '-.->', names: '-.->', holds: '==>' }
const SHAPES: Record<Node['kind'], readonly [string, string]> = {
  mission: ['{{', '}}'],
  phase: ['[/', '/]'],
  obligation: ['[', ']'],
  file: ['(', ')'],
  outside: ['>', ']'],
}

/** A wiring as a Mermaid diagram. Names and words are others': they stand in quotes, and nothing in them is obeyed. */
export const diagramOf = ({ nodes, edges }: Wiring): string => {
  const number = new Map(nodes.map(({ id }, i) => [id, `n${i}`]))
  const row = ({ id, kind, text, status }: Node): string => {
    const [open, close] = SHAPES[kind]
    const said = text === id ? id : `${id}${status === null ? '' : ` [${status}]`}: ${text}`
    return `  ${number.get(id)}${open}"${quoted(said)}"${close}`
  }
  return [
    'flowchart LR',
    ...nodes.map(row),
    ...edges.map(({ from, to, kind }) => `  ${number.get(from)} ${ARROWS[kind]}|${kind}| ${number.get(to)}`),
  ].join('\n')
}

const quoted = (text: string): string =>
  oneLine(text, 80).replace(/[^\p{L}\p{N} .,:/_+@-]/gu, (one) => `#${one.codePointAt(0)};`)

const VERBS: Record<Edge['kind'], string> = { feeds: 'feeds', makes: 'makes', names: 'is named by', holds: 'holds up' }

/** A wiring in words and as a diagram. */
export const wiringText = (wiring: Wiring): string => {
  const lines = wiring.edges.map(({ from, to, kind }) => `${oneLine(from, 200)} ${VERBS[kind]} ${oneLine(to, 200)}`)
  const alone = wiring.nodes
    .filter(({ id, kind }) => kind === 'obligation' && !wiring.edges.some(({ from, to }) => from === id || to === id))
    .map(({ id }) => id)
  return [
    ...(lines.length === 0 ? ['nothing feeds anything'] : lines),
    ...(alone.length === 0 ? [] : [`by themselves: ${alone.join(', ')}`]),
    '',
    '```mermaid',
    diagramOf(wiring),
    '```',
  ].join('\n')
}
