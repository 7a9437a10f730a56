import type { Fruit } from '../shapes/fruit.ts'
import type { StepReport } from '../shapes/turn.ts'
import { type Account, fruitIn, type StepAccount } from './account.ts'
import { CUT, cut, type Piece } from './pieces.ts'
import type { Quote } from './quote.ts'

/** How much is told of a turn, or of a step: bytes of each text, how many names, and how many steps that went wrong. */
export type Detail = { request: number; answer: number; names: number; output: number; troubles?: number }

export const BRIEFLY: Detail = { request: 300, answer: 600, names: 10, output: 160 }

/** A turn on one line: who was asked what, how it ended, and what it left. */
export const turnPiece = (quote: Quote, account: Account, detail: Detail): Piece => {
  const { turn, agent, room, asked, ended, added } = account
  const said = saying(quote)
  return {
    line: quote.json({
      turn,
      agent,
      room,
      ...(asked && { asked: said(asked.request, detail.request), by: said(asked.by, NAME) }),
      ...(added.length > 0 && { added: added.map(({ text }) => said(text, detail.request)).slice(-MOST_ADDED) }),
      outcome: ended?.outcome ?? 'not ended',
      ...(ended && { answer: said(ended.answer, detail.answer) }),
      ...fruitText(quote, fruitIn(account), detail.names),
      ...troublesText(said, account.steps, detail.troubles ?? 0),
    }),
    from: account.from,
  }
}

const NAME = 64
const ARGS = 400
const MESSAGE = 400
const MOST_ADDED = 4

/** A step on one line: the call, how it ended, and as much as it may tell of what it said. */
export const stepPiece = (quote: Quote, { step, call, report, from }: StepAccount, detail: Detail): Piece => {
  const said = saying(quote)
  return {
    line: quote.json({
      step,
      ...(call && { tool: said(call.tool, NAME), args: said(JSON.stringify(call.args), ARGS) }),
      ...reportText(said, report, detail.output),
    }),
    from,
  }
}

type Said = (text: string, bytes: number) => string

/** How many steps there were, and the last ones that were refused, or whose end nobody knows. */
const troublesText = (said: Said, steps: readonly StepAccount[], most: number): Record<string, unknown> => {
  if (steps.length === 0 || most === 0) return {}
  const some = (of: (step: StepAccount) => boolean) => {
    const found = steps.filter(of)
    return found
      .slice(-most)
      .map(({ call, step }) => said(call ? `${call.tool} ${JSON.stringify(call.args)}` : step, PATH))
  }
  const refused = some(({ report }) => report?.kind === 'refused')
  const interrupted = some(({ report }) => report === null || report.kind === 'interrupted')
  return {
    steps: steps.length,
    ...(refused.length > 0 && { refused }),
    ...(interrupted.length > 0 && { interrupted }),
  }
}

const reportText = (said: Said, report: StepReport | null, bytes: number): Record<string, unknown> => {
  switch (report?.kind) {
    case undefined:
      return { outcome: 'begun, and nobody knows how it ended' }
    case 'refused':
      return { outcome: `refused: ${report.refusal.code}`, message: said(report.refusal.message, MESSAGE) }
    case 'interrupted':
      return { outcome: 'interrupted', message: said(report.message, MESSAGE) }
    case 'failed':
      return {
        outcome: 'failed',
        message: said(report.message, MESSAGE),
        ...(report.output && { output: said(report.output, bytes) }),
      }
    case 'ok':
      return { outcome: 'ok', ...(report.output !== '' && { output: said(report.output, bytes) }) }
  }
}

/** A fruit for people and agents; of what there was nothing, nothing is said. */
const fruitText = (quote: Quote, fruit: Fruit, most: number): Record<string, unknown> => {
  const said = saying(quote)
  const { found, changed = [], checks = [], tests, deploy, review, blocked } = fruit
  const some = (names: readonly string[]) => {
    const shown = fitting(names.slice(0, most).map((name) => said(name, PATH)))
    return [...shown, ...(names.length > shown.length ? [`and ${names.length - shown.length} more`] : [])]
  }
  /** Long names are fewer. */
  const fitting = (names: readonly string[]) => {
    let left = most * USUAL
    return names.filter((name) => {
      left -= Buffer.byteLength(name)
      return left >= 0
    })
  }
  const lines = ({ added, removed }: NonNullable<Fruit['changed']>[number]) =>
    added === null ? '' : ` +${added} -${removed}`
  return {
    ...(changed.length > 0 && { changed: some(changed.map((change) => `${change.path}${lines(change)}`)) }),
    ...(found.length > 0 && { found: some(found) }),
    ...(tests && { tests: testsText(tests), ...(tests.failures.length > 0 && { failures: some(tests.failures) }) }),
    ...(checks.length > 0 && { checks: some(checks.map(({ name, ok }) => `${name} ${ok ? 'passes' : 'fails'}`)) }),
    ...(deploy && { deploy: some([...deploy.commits, ...deploy.pushed, ...deploy.ran]) }),
    ...(review && { review }),
    ...(blocked && { blocked }),
  }
}

const PATH = 200
/** What a name has as a rule. */
const USUAL = 40

const testsText = ({ result, passed, failed, skipped }: NonNullable<Fruit['tests']>): string =>
  `${result}: ${passed} passed, ${failed} failed, ${skipped} skipped`

/** Cut when it is clean: what is taken out takes no room. What lies far beyond is not even looked at. */
const saying =
  (quote: Quote): Said =>
  (text, bytes) => {
    const near = text.slice(0, 4 * bytes)
    return cut(`${quote.clean(near)}${near.length < text.length ? CUT : ''}`, bytes)
  }
