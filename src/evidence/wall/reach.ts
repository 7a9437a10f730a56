import type { StepOutcome } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import { isOpened } from './address.ts'
import { changedIn, type Ended, type Intent, isEscalated, isForeign, runsProgram } from './intent.ts'
import { endsAs, placeOf } from './place.ts'
import { createPrograms } from './programs.ts'
import { createScope } from './scope.ts'
import type { Wall } from './wall.ts'

/** What a judgement needs besides the wall: the phase, where there are some, and which paths are outputs that were kept. */
type Around = { phase: string | null; isSpill: (path: string) => boolean }

/** A file that somebody brought to the room is no path: it is read by its name, and nothing else is done with it. */
const UPLOAD = /^upload:[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,99}$/u
const isOfUpload = ({ tool }: Intent['call'], path: string): boolean =>
  ['read', 'grep'].includes(tool) && UPLOAD.test(path)

/** Judges steps by what a wall opens: what they name, what they were found to touch, and what came of them. */
export const createReach = (wall: Wall) => {
  const scope = createScope(wall)
  const programs = createPrograms(wall)

  /** The path that a call names: outside by its letters, it must be one that was found to be inside. */
  const named = ({ call, reads, writes }: Intent, { isSpill }: Around): Finding[] => {
    const path = namesFile(call) ? call.args['path'] : null
    const names = [reads ?? [], writes ?? []].flat()
    if (typeof path !== 'string' || isSpill(path) || isAmong(path, names) || isOfUpload(call, path)) return []
    const recorded = reads !== undefined || writes !== undefined
    // Whatever a call names, it was found to touch something; but an output that was kept is nothing in the workspace.
    const untouched = names.length === 0 ? 'and was not found to touch it' : null
    return found('named', [path], recorded ? (one) => scope.within(one) ?? untouched : scope.toRead)
  }

  const announced = (intent: Intent): Finding[] => [
    ...found('was to read', intent.reads ?? [], scope.toRead),
    ...found('was to write', intent.writes ?? [], (path) => scope.toWrite(path, isEscalated(intent))),
  ]

  /** A program goes on between steps only where there is the tool to read it. */
  const lasting = ({ call }: Intent): Finding[] =>
    call.tool === 'run' && call.args['terminal'] !== undefined && !wall.tools.includes('terminal')
      ? [{ rule: 'wall', what: `started a program in a terminal, which ${wall.id} has not` }]
      : []

  /** Nobody can open more than the ceiling has. */
  const raised = (intent: Intent): Finding[] =>
    isEscalated(intent) && wall.ceiling === null
      ? [{ rule: 'approval', what: `asked for more than ${wall.id} opens, and it has no ceiling` }]
      : []

  const changed = (intent: Intent, outcome: Ended, { phase }: Around): Finding[] => {
    const places = new Set((intent.writes ?? []).map(placeOf))
    const byItself = (path: string) => (places.has(placeOf(path)) ? null : 'which it had not announced')
    // A program that can write may write anywhere in the workspace: its sandbox is its scope.
    const byProgram = () => (programs.mayChange(intent, phase) ? null : 'in a sandbox that is read-only')
    const by = runsProgram(intent) ? byProgram : byItself
    return found('changed', changedIn(outcome), (path) => scope.within(path) ?? by(path))
  }

  const seen = (intent: Intent, outcome: Ended, { isSpill }: Around): Finding[] => {
    const names = [...(outcome.kind === 'ok' ? outcome.paths : []), ...(outcome.seen ?? []).map(({ path }) => path)]
    const own = names.filter((path) => !isSpill(path))
    return found('found', own, (path) => scope.toSee(path, isEscalated(intent)))
  }

  return {
    rulesFor: programs.rulesFor,
    intended: (intent: Intent, around: Around): Finding[] => [
      ...named(intent, around),
      ...announced(intent),
      ...raised(intent),
      ...lasting(intent),
      ...(intent.call.tool === 'run' ? one('scope', programs.wrongCommand(intent, around.phase)) : []),
      ...wrongAim(intent, wall),
    ],
    ended: (intent: Intent, outcome: StepOutcome, around: Around): Finding[] => {
      if (outcome.kind === 'interrupted') return []
      const ran = one('scope', programs.wrongRun(intent, outcome, around.phase))
      return [...ran, ...changed(intent, outcome, around), ...seen(intent, outcome, around)]
    },
  }
}

/** What is asked of the evidence is a word to look for, and no file; and what another server takes, it alone knows. */
const namesFile = (call: Intent['call']): boolean => call.tool !== 'evidence' && !isForeign({ call })

const one = (rule: string, what: string | null): Finding[] => (what === null ? [] : [{ rule, what }])

const isAmong = (path: string, names: readonly string[]): boolean => {
  const place = placeOf(path)
  return place === null ? endsAs(path, names) : names.includes(place)
}

/** One finding for each path, at most. */
const found = (verb: string, paths: readonly string[], wrong: (path: string) => string | null): Finding[] =>
  [...new Set(paths)].flatMap((path) => {
    const why = wrong(path)
    return one('scope', why === null ? null : `${verb} ${path}, ${why}`)
  })

/** What mission control says of everybody. */
const TELLS_ALL: ReadonlySet<string> = new Set(
  'inventory coverage review diff next sessions bulletin focus todo'.split(' ').map((name) => `mc-${name}`),
)

/** What is wrong with where a call goes that is not in the workspace: the web, the evidence, another peripheral. */
const wrongAim = ({ call }: Intent, { id, scope, exit }: Wall): Finding[] => {
  if (call.tool === 'hop') {
    const to = String(call.args['to'])
    const leads = exit === null || exit.some((way) => way.to.includes(to))
    return one('hop', leads ? null : `hopped to ${to}, where ${id} does not lead`)
  }
  if (scope === null) return []
  // Mission control tells of all rooms: whoever may not ask for all evidence may not ask it either.
  if (TELLS_ALL.has(call.tool) && scope.evidence !== 'all') {
    return one('scope', `asked mission control for ${call.tool}, and ${id} does not open the evidence of all rooms`)
  }
  if (call.tool.startsWith('world-')) return one('scope', wrongPlay(call, id, scope))
  if (call.tool === 'evidence' || call.tool.startsWith('tickle-'))
    return one('scope', wrongQuestion(call.tool, id, scope))
  const address = String(call.args['url'])
  const opened = call.tool !== 'web-fetch' || isOpened(address, scope.web)
  return one('scope', opened ? null : `fetched ${address}, which ${id} does not open`)
}

/** A game is the room's, and is played by words that it has. */
const wrongPlay = (call: Intent['call'], id: string, { evidence }: NonNullable<Wall['scope']>): string | null => {
  if (evidence !== 'room' && evidence !== 'all') return `played in the room's world, whose evidence ${id} does not open`
  const action = String(call.args['action'])
  const known = call.tool !== 'world-act' || PLAYS.test(action)
  return known ? null : `did "${action}" in a world, which is nothing that can be done there`
}

const PLAYS =
  /^\s*(?:(?:go to|open|close|toggle|use|examine) +[a-z]+ +\d+|(?:take|put|clean|heat|cool) +[a-z]+ +\d+ +(?:from|in|on|in\/on|with) +[a-z]+ +\d+|inventory|look)\s*$/iu

/** Whose evidence a call goes by: how everybody stands is what that of all says. */
const wrongQuestion = (tool: string, id: string, { evidence }: NonNullable<Wall['scope']>): string | null => {
  if (tool === 'evidence') return evidence === 'none' ? `asked for evidence, which ${id} does not open` : null
  return evidence === 'all' ? null : `looked after everybody, which ${id} does not open`
}
