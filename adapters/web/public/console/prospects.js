// Beside the board: what should be worked on next and why, what changed since the last review, and what is wrong with files.
import { make, makeButton } from '/elements.js'
import { missionHref } from './board.js'
import { createKeeper } from './keep.js'
import { linkOf, pill, section } from './sections.js'
import { texts } from './texts.js'
import { ago } from './when.js'

const MAY_REVIEW = ['operator', 'approver', 'admin']

export const createProspects = ({ review }) => {
  const next = make('ol', 'rows ranked')
  const changes = make('div', 'changes')
  const said = make('p', 'dim')
  said.setAttribute('role', 'status')
  const button = makeButton(texts.missions.review, async () => {
    button.disabled = true
    said.textContent = texts.missions.reviewing
    said.textContent = await review()
    button.disabled = false
  })
  button.className = 'button'
  button.hidden = true
  const complaints = make('ul', 'rows')
  const nextPart = section('next', texts.missions.next, next)
  nextPart.tabIndex = -1
  const element = make(
    'div',
    'prospects',
    nextPart,
    section('changed', texts.missions.changes, changes, button, said),
    section('complaints', texts.missions.complaints, complaints),
  )
  const showNext = rowsIn(next, ({ id }) => id, rankedRow, texts.missions.noNext)
  const showComplaints = rowsIn(
    complaints,
    ({ path, line, what }) => `${path}:${line}:${what}`,
    complaintRow,
    texts.missions.noComplaints,
  )
  let told = ''

  return {
    element,
    focusNext: () => nextPart.focus(),
    mayReview: (role) => {
      button.hidden = !MAY_REVIEW.includes(role)
    },
    showNext,
    show: (portfolio) => {
      showComplaints(portfolio.complaints)
      if (JSON.stringify(portfolio.changes) === told) return
      told = JSON.stringify(portfolio.changes)
      changes.replaceChildren(...changesOf(portfolio.changes))
    },
  }
}

const rowsIn = (list, keyOf, row, nothing) =>
  createKeeper(list, {
    keyOf,
    empty: make('li', 'nothing', nothing),
    make: () => {
      const element = make('li', '')
      return { element, show: (item) => element.replaceChildren(...row(item)) }
    },
  })

const rankedRow = ({ id, status, score, reasons }) => {
  const points = make('span', 'score', String(score))
  points.setAttribute('aria-label', texts.missions.score(score))
  points.setAttribute('role', 'img')
  const why = reasons.map(({ why: says, counts }) =>
    make('li', '', make('b', counts < 0 ? 'against' : 'counts', texts.missions.counts(counts)), ` ${says}`),
  )
  return [points, make('div', '', linkOf(missionHref(id), id), ' ', pill(status), make('ul', 'reasons', ...why))]
}

export const complaintRow = ({ path, line, what, right }) => [
  make('code', '', `${path}:${line}`),
  ` ${what}; `,
  make('span', 'dim', right),
]

const changesOf = (changes) => {
  const [since, between] = changes
  if (!since) return [make('p', 'nothing', texts.missions.noReview)]
  return [
    make('h3', '', texts.missions.sinceReview, ago(since.from)),
    changeList(since.rows),
    ...(between && between.rows.length > 0
      ? [make('h3', '', texts.missions.betweenReviews), changeList(between.rows)]
      : []),
  ]
}

const changeList = (rows) =>
  make('ul', 'rows', ...(rows.length === 0 ? [make('li', 'nothing', texts.missions.noChanges)] : rows.map(changeRow)))

const changeRow = (row) => {
  const link = linkOf(missionHref(row.id), row.id)
  const { change } = texts.missions
  if (row.kind !== 'changed')
    return make('li', '', make('b', row.kind, change[row.kind]), ' ', link, ' ', pill(row.status))
  const boxes = row.boxes ? make('span', 'dim', ` ${change.boxes(row.boxes)}`) : ''
  return make('li', '', link, ' ', pill(row.to, change.status(row.from, row.to)), boxes)
}
