import { openApprovals } from '../evidence/approvals.ts'
import { roomDraft } from '../evidence/drafts.ts'
import type { TickleConfig } from '../shapes/config.ts'
import type { Page } from '../shapes/tickle.ts'
import type { Lately } from '../status/turn-view.ts'
import type { Judgement } from './judge.ts'
import { MINUTE } from './minutes.ts'
import { ackDraft, escalationDraft, lastPaged, openPages, pageId, writePage } from './pages.ts'
import type { Round } from './round.ts'

/** What an agent is told that is paged; it stands among what others say to it. */
const pageText = (why: string): string => `${why}. Say in a line where you are, then go on.`

type LatelyOf = (turn: string) => Promise<Lately | null>

/** Deals with the pages that are open, then pages whoever is stuck; answers the turns that are listened to: paged and parked ones. */
export const watch = async (
  round: Round,
  judged: readonly Judgement[],
  latelyOf: LatelyOf,
  config: TickleConfig,
): Promise<string[]> => {
  for (const judgement of judged) thinksUntil(round, judgement, config)
  const open: Page[] = []
  for (const page of await openPages(round.store)) {
    if (!(await answered(round, page, latelyOf))) open.push(page)
  }
  for (const page of open) await escalate(round, page, judged)
  for (const judgement of judged) await pageIfStuck(round, judgement, config)
  await remind(round)
  const parked = judged.filter(isParked).flatMap(({ turn }) => (turn ? [turn.view.turn] : []))
  return [...(await openPages(round.store)).map(({ turn }) => turn), ...parked]
}

/** Whether it is at work and waits for other agents, up to a time. */
const isParked = ({ state, turn }: Judgement): boolean =>
  state === 'parked' && turn?.view.state === 'parked' && turn.lately !== null

/** One that was heard of lately, or waits for others, is looked at again when it would be stuck. */
const thinksUntil = (round: Round, judgement: Judgement, { stuckMinutes }: TickleConfig): void => {
  const { state, turn } = judgement
  if ((state === 'thinking' || isParked(judgement)) && turn?.lately)
    round.dueAt(Date.parse(turn.lately.heard) + stuckMinutes * MINUTE)
}

/** Whatever an agent does next in its turn answers a page, and so does the end of the turn. */
const answered = async (round: Round, page: Page, latelyOf: LatelyOf): Promise<boolean> => {
  const { store, author } = round
  const ended = await store.get(`${page.turn}.ended`)
  const lately = ended ? null : await latelyOf(page.turn)
  if (!ended && (lately === null || pageId(page.turn, lately.entry) === page.page)) return false
  await round.write(`${page.agent} answered ${page.name}`, [ackDraft(page, author)])
  return true
}

/** Where nobody answered in time, people are asked, once; not while the agent waits for them anyway, or is gone. */
const escalate = async (round: Round, page: Page, judged: readonly Judgement[]): Promise<void> => {
  const { name, agent, until, escalated } = page
  const judgement = judged.find((one) => one.agent === agent && one.turn?.view.turn === page.turn)
  if (escalated || judgement?.state !== 'stuck') return
  if (Date.parse(until) > round.now) return round.dueAt(Date.parse(until))
  const why = `${agent} does not answer, and ${judgement.turn?.view.by ?? 'somebody'} asked it for something (${judgement.why})`
  await round.write(`asked people about ${name}`, [escalationDraft(page, why, round.author)])
}

const pageIfStuck = async (round: Round, judgement: Judgement, config: TickleConfig): Promise<void> => {
  const { agent, state, why, turn } = judgement
  if (state !== 'stuck' || !turn?.lately || round.isOver()) return
  if (await round.store.get(pageId(turn.view.turn, turn.lately.entry))) return
  const last = await lastPaged(round.store, agent)
  const free = last === null ? round.now : last + config.cooldownMinutes * MINUTE
  if (free > round.now) return round.dueAt(free)
  await page(round, judgement, why, config)
}

/** Pages the agent of a turn; answers the page's name, and null where there was nothing to page. */
export const page = async (
  round: Round,
  { agent, turn: looked }: Pick<Judgement, 'agent' | 'turn'>,
  why: string,
  { ackMinutes }: TickleConfig,
): Promise<string | null> => {
  const { store, fence, author, now } = round
  const turn = looked?.lately ? await store.turn(looked.view.turn) : null
  if (!turn || !looked?.lately) return null
  const until = now + ackMinutes * MINUTE
  const heard = looked.lately.entry
  const paged = await writePage(store, fence, { turn, heard, why, text: pageText(why), until, author })
  if (paged === null) return null
  if (!paged.ok) {
    round.stop(paged.refusal)
    return null
  }
  round.done(`paged ${agent} (${paged.value})`)
  round.dueAt(until)
  return paged.value
}

/** Half the time for an approval is over: the room is told once more. */
const remind = async (round: Round): Promise<void> => {
  const { store, now, author } = round
  for (const { step, turn, room, agent, approval, opens, until } of await openApprovals(store, now)) {
    const asked = await store.get(`${step}.approval`)
    const id = `${step}.reminded`
    if (!asked || (await store.get(id))) continue
    const half = (Date.parse(asked.at) + Date.parse(until)) / 2
    round.dueAt(half)
    if (half > now) continue
    const body = { event: 'approval-reminded', turn, step, approval, agent, opens, until } as const
    const draft = roomDraft({ id, room, author, body, inReplyTo: asked.id })
    await round.write(`reminded people of ${approval}`, [draft], `${step}.decision`)
  }
}
