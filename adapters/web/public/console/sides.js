// What is beside the agents: what waits for a person, rooms, health, budgets and what was refused last.
import { clockTime, make, makeButton } from '/elements.js'
import { linkTo } from '/links.js'
import { plain } from '/plain.js'
import { createKeeper } from './keep.js'
import { section } from './sections.js'
import { texts } from './texts.js'
import { ago } from './when.js'

export const createSides = ({ decide }) => {
  const waiting = make('ul', 'cards approvals')
  waiting.setAttribute('aria-live', 'polite')
  /** What became of the last one: its card is gone by then. */
  const told = make('p', 'told dim')
  told.setAttribute('role', 'status')
  const tell = (text) => {
    told.textContent = text
  }
  const approvals = section('approvals-now', texts.now.approvals, waiting, told)
  const showApprovals = createKeeper(waiting, {
    keyOf: ({ approval }) => approval,
    empty: make('li', 'nothing', texts.now.noApprovals),
    make: (one) => approvalCard(one, decide, tell),
  })
  const parts = {
    refused: make('ul', 'rows'),
    rooms: make('ul', 'rows'),
    budgets: make('ul', 'rows'),
    health: make('ul', 'rows parts'),
  }
  const rest = make(
    'div',
    'sides',
    ...Object.entries(parts).map(([name, list]) => section(`${name}-now`, texts.now[name], list)),
  )

  const showRefused = rowsIn(parts.refused, ({ entry }) => entry, refusedRow, texts.now.noRefused)
  const showRooms = rowsIn(parts.rooms, ({ id }) => id, roomRow, '')
  const showBudgets = rowsIn(
    parts.budgets,
    ({ agent, room, of, unit }) => [agent, room, of, unit].join(),
    budgetRow,
    texts.now.noBudgets,
  )
  const showParts = rowsIn(parts.health, ({ name }) => name, partRow, '')

  return {
    approvals,
    rest,
    /** Who decided what, in any face. */
    decided: ({ author, body: { decision, approval } }) => tell(texts.now.decided(author.id, decision, approval)),
    show: (now) => {
      approvals.dataset.count = String(now.approvals.length)
      showApprovals(now.approvals)
      showRefused(now.refused)
      showRooms(now.rooms)
      showBudgets(now.budgets)
      showParts(now.parts)
    },
  }
}

/** Rows that are made anew when what they show has changed. */
const rowsIn = (list, keyOf, row, nothing) =>
  createKeeper(list, {
    keyOf,
    empty: nothing === '' ? null : make('li', 'nothing', nothing),
    make: () => {
      const element = make('li', '')
      return { element, show: (item) => element.replaceChildren(...row(item)) }
    },
  })

const approvalCard = (one, decide, tell) => {
  const answer = (label, command) => {
    const button = makeButton(label, async () => {
      for (const each of buttons) each.disabled = true
      const problem = await decide(one, command)
      // What was taken is not answered again.
      if (problem === null) return
      tell(problem)
      for (const each of buttons) each.disabled = false
    })
    button.setAttribute('aria-label', texts.now.decide(label, one.approval))
    return button
  }
  const buttons = one.yours ? [answer(texts.now.approve, 'approve'), answer(texts.now.deny, 'deny')] : []
  const foot = make(
    'div',
    'answers',
    ...buttons,
    make('code', '', one.approval),
    linkTo(one.room, one.room),
    make('span', 'dim', `${texts.now.until} `, clockTime(one.until)),
    one.yours ? '' : make('span', 'dim', texts.now.mayNot),
  )
  const asked = make('p', 'asked', texts.now.asks(one.agent, plain(one.opens)))
  const element = make('li', 'card approval', asked, make('p', 'why', plain(one.why)), foot)
  return { element, show: () => {} }
}

const refusedRow = ({ entry, at, who, session, code, message }) => {
  const link = make('a', '', plain(message))
  link.href = `/session?id=${encodeURIComponent(session)}#${encodeURIComponent(entry)}`
  return [make('b', '', plain(who)), ' ', link, ' ', make('code', '', code), ' ', ago(at)]
}

const roomRow = ({ id, mode, listener, running, waiting }) => {
  const label = make('span', 'mode', mode)
  label.dataset.mode = mode
  const who = listener === null ? texts.now.nobodyListens : texts.now.listens(listener)
  return [linkTo(id, id), ' ', label, ' ', make('span', 'dim', `${texts.now.roomWork(running, waiting)} · ${who}`)]
}

const budgetRow = (budget) => {
  const meter = make('meter', '')
  meter.max = budget.limit
  meter.high = budget.limit * 0.8
  meter.value = Math.min(budget.used, budget.limit)
  const says = texts.now.budget(budget)
  meter.setAttribute('aria-label', says)
  return [make('span', '', says), meter]
}

const UP = ['up', 'connected']

const partRow = ({ name, state, detail }) => {
  const dot = make('span', 'dot')
  dot.dataset.up = String(UP.includes(state))
  dot.setAttribute('aria-hidden', 'true')
  return [dot, make('b', '', texts.now.parts[name] ?? name), ` ${state}${detail === '' ? '' : `: ${plain(detail)}`}`]
}
