// Now: what the agents are doing, what waits for a person, and whether everything is up.
import { byId, make } from '/elements.js'
import { ask, newId } from '/house.js'
import { createAgents } from './agents.js'
import { createLive } from './live.js'
import { createShell } from './shell.js'
import { createSides } from './sides.js'
import { texts } from './texts.js'

/** Entries come in bursts: how everything stands is asked once for each. And now and then, since leases lapse in silence. */
const SOON_MS = 120
const EVERY_MS = 5000

const shell = createShell({ under: 'now', title: texts.pages.now })
const agents = createAgents()
const sides = createSides({ decide: (name, answer) => decide(name, answer) })

byId('main').replaceChildren(make('h1', 'unseen', texts.pages.now), sides.approvals, agents.element, sides.rest)

let timer = 0
let asking = false
let again = false

const within = (ms) => {
  clearTimeout(timer)
  timer = setTimeout(look, ms)
}

/** One question at a time: what happened meanwhile is asked for afterwards. */
const look = async () => {
  if (asking) {
    again = true
    return
  }
  asking = true
  const { status, body } = await ask('/api/now')
  asking = false
  within(again ? SOON_MS : EVERY_MS)
  again = false
  if (status !== 200) return live.lose({ status, body })
  agents.show(body.agents)
  sides.show(body)
  return body.through
}

const live = createLive({
  progress: true,
  onEntry: (entry) => {
    within(SOON_MS)
    if (entry.body?.event === 'approval-decided') sides.decided(entry)
  },
  onProgress: ({ step, text }) => agents.tell(step, text),
  onLink: (state, problem) => {
    shell.showLink(state, problem)
    if (state === 'online') within(0)
  },
})

/** A decision is a line in the room of the question, like one that is typed. */
const decide = async (approval, answer) => {
  const text = `/${answer} ${approval.approval}`
  const { status, body } = await ask('/api/say', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ room: approval.room, text, id: newId() }),
  })
  within(0)
  if (status === 200) return null
  return body ? texts.refused(body) : texts.unreachable
}

await shell.enter()
const through = await look()
live.follow(through ?? null)
