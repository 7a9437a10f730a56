// One mission, whole: its file, how far it is, what the evidence has of it, and what waits for it.
import { make } from '/elements.js'
import { blockers, missionHref, progress, roomsOf } from './board.js'
import { complaintRow } from './prospects.js'
import { factsOf, linkOf, pill, section } from './sections.js'
import { texts } from './texts.js'
import { ago } from './when.js'

export const createMission = (id) => {
  const element = make('div', 'one-mission')
  let told = ''
  const show = ({ missions }) => {
    const mission = missions.find((one) => one.id.toLowerCase() === id.toLowerCase())
    const waiting = missions.filter(({ blockedBy }) =>
      blockedBy.some((name) => name.toLowerCase() === id.toLowerCase()),
    )
    const now = JSON.stringify([mission, waiting.map((one) => one.id)])
    if (now === told) return
    told = now
    element.replaceChildren(
      ...(mission ? wholeOf(mission, waiting) : [make('p', 'nothing', texts.missions.unknown(id))]),
    )
  }
  return { element, show }
}

const wholeOf = (mission, waiting) => {
  const { id, title, status, says, path, line, owner, blockedBy, boxes, phases, rooms, drift, complaints } = mission
  const own = says === null || says === status ? '' : make('span', 'dim', ` ${texts.missions.says(says)}`)
  return [
    make(
      'header',
      'mission-head',
      make('h1', '', title),
      make('p', '', make('span', 'id', id), ' ', pill(status), own),
    ),
    ...drift.map((what) => make('p', 'drift', what)),
    factsOf([
      [texts.missions.file, make('code', '', `${path}:${line}`)],
      [texts.missions.owner('').trim(), owner],
      [texts.missions.blockedBy, blockedBy.length === 0 ? null : blockers(blockedBy)],
      [texts.missions.focus, rooms.length === 0 ? null : roomsOf(rooms)],
      [texts.missions.unlocks, waiting.length === 0 ? null : waiting.flatMap(waitingLink)],
    ]),
    section(
      'phases',
      texts.missions.phases,
      progress(boxes),
      ...phases.map((phase) => progress(phase.boxes, texts.missions.phase(phase.name, phase.boxes))),
    ),
    evidenceOf(mission),
    ...(complaints.length === 0
      ? []
      : [
          section(
            'complaints',
            texts.missions.complaints,
            make('ul', 'rows', ...complaints.map((one) => make('li', '', ...complaintRow(one)))),
          ),
        ]),
  ]
}

const waitingLink = ({ id }, i) => [i === 0 ? '' : ', ', linkOf(missionHref(id), id)]

const evidenceOf = ({ id, coverage }) =>
  section(
    'evidence-of',
    texts.missions.evidenceOf,
    factsOf([
      [texts.missions.ended, texts.missions.endedText(coverage)],
      [texts.missions.steps, String(coverage.steps)],
      [texts.missions.files, String(coverage.files)],
      [texts.missions.tests, coverage.tests],
      [texts.missions.failures, String(coverage.failures)],
      [texts.missions.lastWork, coverage.last === null ? texts.missions.never : ago(coverage.last)],
    ]),
    linkOf(`/evidence?mission=${encodeURIComponent(id)}`, texts.missions.evidence),
  )
