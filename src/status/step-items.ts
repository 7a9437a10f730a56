import type { Item, ItemStatus } from '../shapes/item.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import type { FileChange, StepOutcome } from '../shapes/turn.ts'

/** The items that are steps: what they do differs, how they end does not. */
export type StepItem = Extract<Item, { tool: string }>
type Of<T extends StepItem['type']> = Extract<StepItem, { type: T }>
type Begun = { turn: string; step: string; call: ToolCall }

const CHANGING: ReadonlySet<string> = new Set(['edit', 'multi-edit', 'apply-patch', 'write'])

/** A step that goes on, by the tool it calls. Its arguments are an agent's word: whatever they are, it is an item. */
export const openStep = ({ turn, step, call }: Begun, tags: readonly string[]): StepItem => {
  const { tool, args } = call
  const common = {
    id: step,
    turn,
    status: 'inProgress',
    tool,
    args,
    output: '',
    cut: null,
    message: null,
    refusal: null,
  } as const
  if (CHANGING.has(tool)) return { ...common, type: 'fileChange', changes: [], more: 0 }
  if (tool === 'run') return { ...common, type: 'commandExecution', ...commandIn(args), exitCode: null, report: null }
  if (tool === 'web-fetch') return { ...common, type: 'webFetch', url: textIn(args['url']) }
  if (tool === 'hop') return { ...common, type: 'hop', from: peripheralIn(tags), to: textIn(args['to']) }
  const dot = tool.indexOf('.')
  if (dot > 0) return { ...common, type: 'mcpToolCall', server: tool.slice(0, dot) }
  return { ...common, type: 'toolStep', paths: [] }
}

/** How a step ended. */
export const endedStep = (item: StepItem, outcome: StepOutcome): StepItem => {
  const status = ENDED[outcome.kind]
  if (outcome.kind === 'interrupted') return { ...item, status, message: outcome.message }
  const { output = '', cut = null } = outcome
  const message = outcome.kind === 'failed' ? outcome.message : null
  return detailed({ ...item, status, output, cut, message }, outcome)
}

const ENDED = { ok: 'completed', failed: 'failed', interrupted: 'interrupted' } as const satisfies Record<
  string,
  ItemStatus
>

type Said = Exclude<StepOutcome, { kind: 'interrupted' }>

const detailed = (item: StepItem, outcome: Said): StepItem => {
  switch (item.type) {
    case 'commandExecution':
      return ranAs(item, outcome)
    case 'fileChange':
      return { ...item, changes: (outcome.files ?? []).map(changeOf), more: outcome.more?.files ?? 0 }
    case 'toolStep':
      return { ...item, paths: outcome.kind === 'ok' ? outcome.paths : [] }
    default:
      return item
  }
}

const ranAs = (item: Of<'commandExecution'>, { run }: Said): Of<'commandExecution'> =>
  run ? { ...item, exitCode: run.exit, report: run.report } : item

const changeOf = ({ path, before, after, added, removed }: FileChange): Of<'fileChange'>['changes'][number] => ({
  path,
  kind: before === null ? 'add' : after === null ? 'delete' : 'update',
  added,
  removed,
})

const commandIn = ({ argv }: ToolCall['args']): { command: string; argv: string[] } => {
  const words = Array.isArray(argv) ? argv.map(textIn) : []
  return { command: words.map(shown).join(' '), argv: words }
}

/** A word as people tell it from its neighbours; nothing ever runs what is made here. */
const shown = (word: string): string => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))

const textIn = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const peripheralIn = (tags: readonly string[]): string | null =>
  tags.find((tag) => tag.startsWith('peripheral/'))?.slice('peripheral/'.length) ?? null
