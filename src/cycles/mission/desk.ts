import { focusOf } from '../../evidence/focus.ts'
import type { Store } from '../../evidence/store.ts'
import { type Box, boxesIn, wordsOf } from '../../missions/prose.ts'
import { rewritten } from '../../missions/rewrite.ts'
import type { Body } from '../../shapes/evidence.ts'
import type { DeskAt, MissionDesk, Moved } from '../../tools/desk.ts'
import type { Done } from '../../workspace/write.ts'
import type { Facts } from '../facts.ts'
import { MOST_ITEMS } from '../ledger.ts'
import { standingText } from '../lines.ts'
import { type Change, phaseIn } from '../machine.ts'
import { after, begunBy, type Undertaking } from '../undertaking.ts'
import { auditOf, auditText } from './audit.ts'
import { type Found, findMission, seenOf } from './file.ts'
import { markOf, paired, takenIn } from './obligations.ts'
import { changedFiles, standingOf } from './standing.ts'
import { wiringOf, wiringText } from './wiring.ts'

type Around = {
  at: DeskAt
  store: Store
  folders: readonly string[]
  read: (id: string) => Promise<Undertaking | null>
  /** The undertaking that this stay has taken up. */
  mine: () => Promise<Done<Undertaking>>
  /** Why this stay cannot take it up; null where it can. */
  untakeable: (id: string, known: Undertaking | null) => Promise<string | null>
  /** Writes it down; not where something in it reads like a secret, which is not kept as it is. */
  keep: (undertaking: string, version: number, changes: readonly Change[]) => boolean
}

/** As many boxes as one mission may have: each is an obligation, with a life of its own. */
const MOST_BOXES = 500

/** What only missions have: a file that says the same as their ledger, or is told where it does not. */
export const missionDesk = (around: Around) => {
  const { at, store, folders, read, mine, untakeable, keep } = around
  const sight = { folders, workspace: at.workspace, shows: at.shows }

  /** The file of a mission; null where there is none any more. */
  const fileOf = async (id: string): Promise<Found | null> => {
    const found = await findMission(id, sight)
    return found.ok ? found.value : null
  }

  const audit = async (mission: Undertaking) => {
    const file = (await fileOf(mission.id))?.file ?? null
    return auditOf(mission, file, await seenOf(mission, file, sight))
  }

  /** Why what is in its file cannot be taken in; null where it can be. */
  const tooMany = (id: string, path: string, boxes: number, items: number): string | null => {
    if (boxes > MOST_BOXES) return `${path} has ${boxes} boxes, and a mission has ${MOST_BOXES} at most: split it`
    return items > MOST_ITEMS ? `the ledger of ${id} would have more than ${MOST_ITEMS} items: split the mission` : null
  }

  const load = async ({ mission: { id, title }, file }: Found): Promise<Done<Moved>> => {
    const known = await read(id)
    const boxes = boxesIn(file.text)
    const taken = boxes.length > MOST_BOXES ? [] : newIn(boxes, known)
    const items = (known?.items.size ?? 0) + taken.length
    const objection = tooMany(id, file.path, boxes.length, items) ?? (await untakeable(id, known))
    if (objection !== null) return no(objection)
    const changes = takingUp(title, known, taken)
    if (!keep(id, known?.version ?? 0, changes))
      return no(`something in ${file.path} reads like a secret, and would not be kept: say it otherwise`)
    const now = grown(id, known, changes)
    if (!now) return no(`${id} could not be begun`)
    const text = await loadedText(now, file, taken.length)
    return { ok: true, value: { text, phase: phaseIn(now), undertaking: id } }
  }

  const loadedText = async (now: Undertaking, file: Found['file'], taken: number): Promise<string> =>
    [
      standingText(now, at.spec.phases),
      ...(taken === 0 ? [] : [`taken in from ${file.path}: ${taken}`]),
      auditText(auditOf(now, file, await seenOf(now, file, sight))),
    ].join('\n')

  const takingUp = (title: string, known: Undertaking | null, taken: readonly Change[]): Change[] => [
    ...(known ? [] : [{ event: 'undertaking-opened', title } as const]),
    { event: 'undertaking-taken', session: at.session, stay: at.stay.started },
    ...taken,
  ]

  const desk: MissionDesk = {
    loadMission: async (name) => {
      const meant = name ?? (await focusOf(store, at.room))
      if (meant === null) return no(`say which mission; ${at.room} is focused on none`)
      const found = await findMission(meant, sight)
      return found.ok ? load(found.value) : no(`${found.refusal.message}; ${found.refusal.remedy}`)
    },
    audit: async () => {
      const found = await mine()
      return found.ok ? { ok: true, value: { text: auditText(await audit(found.value)) } } : found
    },
    wiring: async () => {
      const found = await mine()
      if (!found.ok) return found
      const file = await fileOf(found.value.id)
      const text = wiringText(
        wiringOf({
          mission: found.value,
          path: file?.file.path ?? null,
          text: file?.file.text ?? '',
          blockedBy: file?.mission.blockedBy ?? [],
        }),
      )
      return { ok: true, value: { text } }
    },
    rewritten: async (path, text) => {
      const found = await mine()
      if (!found.ok) return found
      const file = await fileOf(found.value.id)
      if (file?.file.path !== path) return no(`this mission is saved as ${file?.file.path ?? 'what is not there'}`)
      return saidBy(found.value, text, await seenOf(found.value, null, sight))
    },
  }

  /** What the gates of a mission go by. */
  const facts = async (mission: Undertaking): Promise<NonNullable<Facts['document']>> => {
    const findings = await audit(mission)
    const at = (gate: string) =>
      findings
        .filter((one) => one.gate === gate)
        .map(({ path, line, what, right }) => `${path}:${line} ${what}; ${right}`)
    return { fidelity: at('fidelity'), document: at('document') }
  }
  return { desk, facts }
}

const no = (why: string) => ({ ok: false as const, why })

/** What is new in a file. In a cycle the ledger changes by what the cycle shows, and by nothing else. */
const newIn = (boxes: readonly Box[], known: Undertaking | null): Change[] =>
  known?.cycle ? [] : takenIn(boxes, known?.items ?? new Map())

/** How an undertaking stands with what is about to be written of it. */
const grown = (undertaking: string, known: Undertaking | null, changes: readonly Change[]): Undertaking | null => {
  const written = changes.map((change, i) => ({
    seq: (known?.version ?? 0) + i + 1,
    body: { ...change, undertaking, turn: '', step: '' } as Body,
    position: 0,
    at: '',
  }))
  const [first] = written
  const begun = known ?? (first ? begunBy(first) : null)
  return begun && written.reduce(after, begun)
}

/** The file of a mission, as its ledger has it; or what is in the way of that. */
const saidBy = (
  mission: Undertaking,
  text: string,
  seen: Parameters<typeof auditOf>[2],
): Done<{ text: string; through: number }> => {
  const { items, filed, changed } = mission
  const { pairs, boxless } = paired(boxesIn(text), items)
  const marks = new Map(pairs.map(({ box, item }) => [box.at, markOf(item)]))
  const add = boxless.filter(({ id, status }) => !filed.has(id) && status !== 'abandoned')
  const { status, by } = standingOf(items, changedFiles(mission, seen.files))
  const now = rewritten(text, {
    mark: ({ at }) => marks.get(at) ?? ' ',
    status,
    by,
    add: add.map((item) => wordsOf(item.text)),
  })
  // What was added is read back: below a fence that does not end, nobody would see it.
  if (paired(boxesIn(now), items).boxless.some(({ id }) => add.some((one) => one.id === id)))
    return no('its new boxes could not be seen in it: close the code fence that does not end')
  return { ok: true, value: { text: now, through: changed } }
}
