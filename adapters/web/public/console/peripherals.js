// Peripherals: the way from wall to wall, each wall as it stands, and what the gate would say of a call behind it.
import { byId, make } from '/elements.js'
import { ask } from '/house.js'
import { createGraph } from './graph.js'
import { createLive } from './live.js'
import { linkOf, pill, section } from './sections.js'
import { createShell } from './shell.js'
import { texts } from './texts.js'
import { createTrial } from './trial.js'
import { wallOf } from './wall.js'

const asked = new URLSearchParams(location.search)
const id = asked.get('id')
const main = byId('main')
const trial = id === null ? null : createTrial(id, asked)

const shell = createShell({
  under: 'peripherals',
  title: id ?? texts.pages.peripherals,
  keys: trial ? [{ key: 't', says: texts.peripherals.keys.try, press: trial.focus }] : [],
})

const graph = createGraph({ label: texts.peripherals.hopsLabel })
const hops = section('hops', texts.peripherals.hops, graph.element)

const hrefOf = (name) => `/peripherals?id=${encodeURIComponent(name)}`

/** All walls; or one, with those that lead to it and those that it leads to. What is always open is drawn faintly. */
const showGraph = ({ peripherals, ways }) => {
  const near = id === null ? ways : ways.filter(({ from, to }) => from === id || to === id)
  const names = new Set([...near.flatMap(({ from, to }) => [from, to]), ...(id === null ? [] : [id])])
  graph.show({
    nodes: peripherals
      .filter(({ id: name }) => id === null || names.has(name))
      .map(({ id: name, sandbox, tools }) => ({
        id: name,
        text: `${sandbox}, ${texts.peripherals.tools(tools.length)}`,
        status: sandbox,
        href: hrefOf(name),
        current: name === id,
      })),
    edges: near.map(({ from, to, when }) => ({ from, to, label: when, faint: id === null && when === 'always' })),
  })
}

const cardOf = ({ id: name, purpose, modes, role, sandbox, tools }) => {
  const bricks = make('ul', 'bricks', ...tools.map((tool) => make('li', '', tool.name)))
  bricks.setAttribute('aria-label', texts.now.wall(name))
  return make(
    'li',
    'card wall-card',
    make('h3', '', linkOf(hrefOf(name), name)),
    make('p', '', purpose),
    make('p', 'dim', pill(sandbox), ` ${modes.join(', ')} · ${role}`),
    bricks,
  )
}

/** Walls are read when the house starts: they are looked at once, and again when it is there again. */
const look = async () => {
  const { status, body } = await ask('/api/peripherals')
  if (status !== 200) return live.lose({ status, body })
  showGraph(body)
  if (id === null) {
    const cards = make('ul', 'cards walls', ...body.peripherals.map(cardOf))
    main.replaceChildren(
      make('h1', 'unseen', texts.pages.peripherals),
      hops,
      section('walls-all', texts.peripherals.walls, cards),
    )
    return undefined
  }
  return lookAtOne()
}

let told = ''

const lookAtOne = async () => {
  const { status, body } = await ask(`/api/wall?peripheral=${encodeURIComponent(id)}`)
  const back = linkOf('/peripherals', texts.peripherals.all)
  if (status === 404) return main.replaceChildren(back, make('p', 'nothing', texts.refused(body)), hops)
  if (status !== 200) return live.lose({ status, body })
  if (JSON.stringify(body) === told) return undefined
  told = JSON.stringify(body)
  trial.show(body)
  const { head, parts, examples } = wallOf(body, { tryThis: trial.fill, hrefOf })
  const rooms = await ask('/api/rooms')
  if (rooms.status === 200) trial.showRooms(rooms.body.rooms)
  return main.replaceChildren(
    make('div', 'wall-head', back, ...head),
    make('div', 'wall-parts', ...parts, hops),
    make('div', 'wall-side', trial.element, examples),
  )
}

let wasLost = false

const live = createLive({
  onEntry: () => {},
  onLink: (state, problem) => {
    shell.showLink(state, problem)
    if (state === 'online' && wasLost) void look()
    wasLost = state !== 'online'
  },
})

main.classList.toggle('whole', id !== null)
await shell.enter()
await look()
live.follow(null)
