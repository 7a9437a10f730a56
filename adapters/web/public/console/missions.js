// Missions: a board of all of them, or one; what next and why, what changed, what was done and what it took.
import { byId, make } from '/elements.js'
import { ask } from '/house.js'
import { createActivity } from './activity.js'
import { createBoard, missionHref } from './board.js'
import { createGraph } from './graph.js'
import { createLive } from './live.js'
import { createLooking } from './looking.js'
import { createMission } from './mission.js'
import { createProspects } from './prospects.js'
import { linkOf, section } from './sections.js'
import { createShell } from './shell.js'
import { texts } from './texts.js'
import { createProofs, createUndertaking } from './undertakings.js'

const asked = new URLSearchParams(location.search)
const [id, proof] = [asked.get('id'), asked.get('proof')]
const days = Number(asked.get('days'))

/** What was done changes with every step, and is looked at over days: now and then is enough. */
const ACTIVITY_MS = 60_000

const review = async () => {
  const { status, body } = await ask('/api/mc?room=lobby', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'review' }),
  })
  if (status === 200) return texts.missions.reviewed
  return body ? texts.refused(body) : texts.unreachable
}

const boardPage = () => {
  const board = createBoard()
  const prospects = createProspects({ review })
  const activity = createActivity({ days })
  const graph = createGraph({ label: texts.missions.waitsLabel, nothing: texts.missions.noWaits })
  const proofs = createProofs()
  return {
    title: texts.pages.missions,
    keys: [{ key: 'w', says: texts.missions.keys.next, press: prospects.focusNext }],
    elements: [
      make('h1', 'unseen', texts.pages.missions),
      make('div', 'main-part', board.element, activity.element),
      prospects.element,
      section('waits', texts.missions.waits, graph.element),
      proofs.element,
    ],
    mayDo: prospects.mayReview,
    activity,
    look: async () => {
      const [portfolio, next] = await Promise.all([ask('/api/portfolio'), ask('/api/next?limit=10'), proofs.look()])
      if (portfolio.status !== 200) return portfolio
      board.show(portfolio.body)
      prospects.show(portfolio.body)
      if (next.status === 200) prospects.showNext(next.body.next)
      graph.show(waitsOf(portfolio.body))
      return null
    },
  }
}

/** What waits for what; a mission that neither waits nor is waited for is not in it. */
const waitsOf = ({ missions }) => {
  const known = new Map(missions.map((mission) => [mission.id.toLowerCase(), mission]))
  const edges = missions.flatMap(({ id: to, blockedBy }) =>
    blockedBy.map((name) => ({ from: known.get(name.toLowerCase())?.id ?? name, to, label: '' })),
  )
  const named = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const nodes = [...named].map((name) => {
    const mission = known.get(name.toLowerCase())
    if (!mission) return { id: name, text: texts.missions.outside, status: 'unknown' }
    return { id: mission.id, text: mission.title, status: mission.status, href: missionHref(mission.id) }
  })
  return { nodes, edges }
}

const missionPage = () => {
  const mission = createMission(id)
  const activity = createActivity({ mission: id, days, params: { id } })
  const owed = createUndertaking({
    path: `/api/obligations?mission=${encodeURIComponent(id)}`,
    title: texts.missions.obligations,
    label: texts.missions.obligationsLabel(id),
  })
  return {
    title: id,
    elements: [linkOf('/missions', texts.missions.all), mission.element, owed.element, activity.element],
    activity,
    look: async () => {
      const [{ status, body }] = await Promise.all([ask('/api/portfolio'), owed.look()])
      if (status !== 200) return { status, body }
      mission.show(body)
      return null
    },
  }
}

const proofPage = () => {
  const one = createUndertaking({
    path: `/api/proof?problem=${encodeURIComponent(proof)}`,
    title: proof,
    label: texts.missions.proofLabel(proof),
  })
  return {
    title: proof,
    elements: [make('h1', 'unseen', proof), linkOf('/missions', texts.missions.all), one.element],
    look: async () => {
      await one.look()
      return null
    },
  }
}

const page = proof !== null ? proofPage() : id !== null ? missionPage() : boardPage()
const main = byId('main')
main.classList.toggle('whole', page.title !== texts.pages.missions)
main.replaceChildren(...page.elements)
const shell = createShell({ under: 'missions', title: page.title, keys: page.keys ?? [] })

const fail = (problem) => problem && live.lose(problem)
const looking = createLooking(async () => fail(await page.look()))
const working = createLooking(async () => fail((await page.activity?.look()) ?? null), {
  soonMs: 5000,
  everyMs: ACTIVITY_MS,
})

const live = createLive({
  onEntry: () => looking.soon(),
  onLink: (state, problem) => {
    shell.showLink(state, problem)
    if (state === 'online') looking.soon()
  },
})

const you = await shell.enter()
page.mayDo?.(you?.role)
await looking.now()
live.follow(null)
await working.now()
