// Missions on a board: a column for each way to stand, a card for each mission.
import { make } from '/elements.js'
import { linkTo } from '/links.js'
import { createKeeper } from './keep.js'
import { linkOf, section } from './sections.js'
import { texts } from './texts.js'
import { ago } from './when.js'

const COLUMNS = Object.keys(texts.missions.status)

export const missionHref = (id) => `/missions?id=${encodeURIComponent(id)}`

const MISSION = /^M-[\w.-]+$/

/** What a mission waits for: another one is a way there, everything else is a text. */
export const blockers = (blockedBy) =>
  blockedBy.flatMap((name, i) => [i === 0 ? '' : ', ', MISSION.test(name) ? linkOf(missionHref(name), name) : name])

export const createBoard = () => {
  const columns = make('div', 'columns')
  const summary = make('p', 'dim board-sum')
  const empty = make('p', 'nothing', texts.missions.none)
  const element = section('board', texts.missions.board, summary, empty, columns)
  const showColumns = createKeeper(columns, {
    keyOf: ({ status }) => status,
    make: ({ status }) => createColumn(status),
  })

  const show = ({ missions, complaints, covered }) => {
    const drift = missions.filter((one) => one.drift.length > 0).length
    summary.textContent = texts.missions.summary({
      missions: missions.length,
      covered,
      drift,
      complaints: complaints.length,
    })
    empty.hidden = missions.length > 0
    const sorted = COLUMNS.map((status) => ({ status, missions: missions.filter((one) => one.status === status) }))
    showColumns(sorted.filter((column) => column.missions.length > 0))
  }

  return { element, show }
}

const createColumn = (status) => {
  const title = make('h3', 'pill')
  title.id = `column-${status}`
  title.dataset.status = status
  const list = make('ul', 'cards')
  list.setAttribute('aria-labelledby', title.id)
  const element = make('div', 'column-of', title, list)
  const showCards = createKeeper(list, { keyOf: ({ id }) => id, make: createCard })
  return {
    element,
    show: ({ missions }) => {
      title.textContent = texts.missions.column(texts.missions.status[status], missions.length)
      showCards(missions)
    },
  }
}

const createCard = () => {
  const element = make('li', 'card mission')
  return {
    element,
    show: (mission) => {
      element.dataset.status = mission.status
      element.replaceChildren(...cardOf(mission))
    },
  }
}

const cardOf = ({ id, title, boxes, owner, blockedBy, coverage, drift, complaints, rooms }) => [
  linkOf(missionHref(id), make('span', 'id', id), make('b', 'title', title)),
  ...(boxes.total === 0 ? [] : [progress(boxes)]),
  make('p', 'dim', owner === null ? texts.missions.noOwner : texts.missions.owner(owner)),
  ...(blockedBy.length === 0 ? [] : [make('p', 'waits', `${texts.missions.blockedBy} `, ...blockers(blockedBy))]),
  make('p', 'dim', ...workOf(coverage)),
  ...(rooms.length === 0 ? [] : [make('p', 'dim', `${texts.missions.focus} `, ...roomsOf(rooms))]),
  ...drift.map((what) => make('p', 'drift', what)),
  ...(complaints.length === 0 ? [] : [make('p', 'wrong', texts.missions.complaintsOf(complaints.length))]),
]

export const roomsOf = (rooms) => rooms.flatMap((room, i) => [i === 0 ? '' : ', ', linkTo(room, room)])

export const workOf = (coverage) =>
  coverage.last === null
    ? [texts.missions.noWork]
    : [`${texts.missions.work(coverage)}, ${texts.missions.last} `, ago(coverage.last)]

/** How many boxes are ticked, as a bar and in words. */
export const progress = (boxes, says = texts.missions.boxes(boxes)) => {
  const bar = make('progress', '')
  bar.max = Math.max(1, boxes.total)
  bar.value = boxes.done
  bar.setAttribute('aria-label', says)
  return make('div', 'boxes', bar, make('span', 'dim', says))
}
