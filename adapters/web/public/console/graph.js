// A graph as a drawing: layers from top to bottom, a box for each node, coloured by how it stands. The boxes are links, in
// the order of a list, so that keys and screen readers go through it as through one; arrow keys go along the edges.
import { make } from '/elements.js'
import { plain } from '/plain.js'
import { layersOf } from './layers.js'
import { texts } from './texts.js'

const SVG = 'http://www.w3.org/2000/svg'
const BOX = { width: 180, height: 46 }
const NARROW = 16
const GAP = { x: 22, y: 36 }
const MARGIN = 14

/**
 * `{ nodes: [{ id, text, status, href, current }], edges: [{ from, to, label, faint }] }`. What an edge leads to that there
 * is not is left out; two edges between the same two are one, with both labels; there and back is one line.
 */
export const createGraph = ({ label, nothing = '' }) => {
  const svg = shape('svg', { class: 'drawing', role: 'group', 'aria-label': label })
  const scroller = make('div', 'graph-scroll', svg)
  scroller.tabIndex = -1
  /** Of a drawing that is too large, its middle is seen first. */
  const centre = () => {
    scroller.scrollLeft = (scroller.scrollWidth - scroller.clientWidth) / 2
  }
  new ResizeObserver(centre).observe(scroller)
  const list = make('ul', 'rows graph-list')
  const details = make('details', 'as-list', make('summary', '', texts.graph.asList), list)
  const empty = make('p', 'nothing', nothing)
  const element = make('div', 'graph', scroller, details, empty)
  pan(scroller)
  let told = ''

  const show = ({ nodes, edges }) => {
    const now = JSON.stringify([nodes, edges])
    if (now === told) return
    told = now
    const focused = document.activeElement?.closest?.('.drawing a')?.dataset.id
    const known = new Set(nodes.map(({ id }) => id))
    const drawn = merged(edges.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to))
    draw(svg, nodes, drawn)
    list.replaceChildren(...nodes.map((node) => rowOf(node, drawn)))
    empty.hidden = nodes.length > 0
    scroller.hidden = nodes.length === 0
    details.hidden = nodes.length === 0
    if (focused) svg.querySelector(`a[data-id="${CSS.escape(focused)}"]`)?.focus()
    else centre()
  }

  svg.addEventListener('keydown', (event) => {
    const way = WAYS[event.key]
    const at = event.target.closest?.('a')?.dataset.id
    if (!way || at === undefined) return
    const next = way(svg.places, at)
    if (next === undefined) return
    event.preventDefault()
    svg.querySelector(`a[data-id="${CSS.escape(next)}"]`)?.focus()
  })

  return { element, show }
}

/** Two ways between the same two are drawn as one, with what is said of both. */
const merged = (edges) => {
  const pairs = new Map()
  for (const { from, to, label = '', faint = false } of edges) {
    const key = JSON.stringify([from, to])
    const known = pairs.get(key) ?? { from, to, labels: [], faint: true }
    known.faint &&= faint
    if (label !== '' && !known.labels.includes(label)) known.labels.push(label)
    pairs.set(key, known)
  }
  return [...pairs.values()]
}

const draw = (svg, nodes, edges) => {
  const ids = nodes.map(({ id }) => id)
  const laid = layersOf(ids, edges, { width: BOX.width, narrow: NARROW, gap: GAP.x })
  const { places, rows, back } = laid
  const all = rows.flat()
  const left = Math.min(0, ...all.map(({ x, wide }) => x - wide / 2)) - MARGIN
  const right = Math.max(0, ...all.map(({ x, wide }) => x + wide / 2)) + MARGIN + (back.size > 0 ? SIDE : 0)
  const height = Math.max(1, rows.length * (BOX.height + GAP.y) - GAP.y) + 2 * MARGIN
  for (const place of all) place.y = MARGIN + place.row * (BOX.height + GAP.y)
  svg.places = places
  svg.setAttribute('viewBox', `${left} 0 ${right - left} ${height}`)
  svg.setAttribute('width', String(right - left))
  svg.setAttribute('height', String(height))
  const lines = edges.filter((edge) => !isReturn(edge, laid)).map((edge) => line(edge, edges, laid))
  const known = new Map(nodes.map((node) => [node.id, node]))
  const shown = rows.flat().filter(({ id }) => id !== null)
  const boxes = shown.map((place) => box(known.get(place.id), place, edges))
  svg.replaceChildren(arrow(), ...lines, ...boxes)
  const light = (id) => {
    for (const one of lines)
      one.classList.toggle('lit', id !== null && (one.dataset.from === id || one.dataset.to === id))
  }
  for (const each of boxes) {
    for (const name of ['focus', 'pointerenter']) each.addEventListener(name, () => light(each.dataset.id))
    for (const name of ['blur', 'pointerleave']) each.addEventListener(name, () => light(null))
  }
}

/** How far a way back bends out to the side. */
const SIDE = 34

const reverseOf = ({ from, to }, edges) => edges.find((edge) => edge.from === to && edge.to === from)

/** Whether an edge only leads back what another one leads down: then that one has an arrow at both ends. */
const isReturn = (edge, { back, through }) => back.has(edge) && reverseOf(edge, [...through.keys()]) !== undefined

const line = (edge, edges, { places, through, back }) => {
  const isBack = back.has(edge)
  const twin = reverseOf(edge, edges)
  const [from, to] = [places.get(edge.from), places.get(edge.to)]
  const d = isBack ? wayBack(from, to) : wayDown([from, ...(through.get(edge) ?? []), to])
  const path = shape('path', { class: isBack ? 'edge back' : 'edge', d, 'marker-end': ARROW, 'aria-hidden': 'true' })
  if (twin) path.setAttribute('marker-start', ARROW)
  path.dataset.from = edge.from
  path.dataset.to = edge.to
  path.classList.toggle(
    'faint',
    [edge, twin ?? edge].every(({ faint }) => faint),
  )
  return path
}

/** From the lower side of a box to the upper side of another, through the places that it has on its way. */
const wayDown = (places) => {
  const points = places.map(({ x, y, id }, i) => {
    const isPassed = id === null
    return { x, enter: i === places.length - 1 ? y - 3 : y, leave: isPassed ? y + BOX.height : y + BOX.height + 3 }
  })
  return points.slice(1).reduce((d, { x, enter, leave }, i) => {
    const before = points[i]
    const bend = (enter - before.leave) / 2
    const down = `C${before.x} ${before.leave + bend} ${x} ${enter - bend} ${x} ${enter}`
    return d + down + (leave > enter && i < points.length - 2 ? `V${leave}` : '')
  }, `M${points[0].x} ${points[0].leave}`)
}

/** Back up: beside the way down where there may be one, or around the side. */
const wayBack = (from, to) => {
  const half = BOX.width / 2
  if (from.row - to.row === 1) {
    const [x1, y1, x2, y2] = [from.x + 30, from.y, to.x + 30, to.y + BOX.height + 3]
    const bend = (y1 - y2) / 2
    return `M${x1} ${y1}C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`
  }
  const side = Math.max(from.x, to.x) + half + SIDE
  const [y1, y2] = [from.y + BOX.height / 2, to.y + BOX.height / 2]
  return `M${from.x + half} ${y1}C${side} ${y1} ${side} ${y2} ${to.x + half + 3} ${y2}`
}

const ARROW = 'url(#graph-arrow)'

const arrow = () => {
  const marker = shape('marker', {
    id: 'graph-arrow',
    viewBox: '0 0 8 8',
    refX: '6',
    refY: '4',
    markerWidth: '7',
    markerHeight: '7',
    orient: 'auto-start-reverse',
  })
  marker.append(shape('path', { d: 'M0 0.5 7 4 0 7.5z' }))
  const defs = shape('defs', {})
  defs.append(marker)
  return defs
}

const box = (node, { x, y }, edges) => {
  const { id, text, status, href, current } = node
  const link = shape('a', {
    class: 'node',
    transform: `translate(${x - BOX.width / 2} ${y})`,
    'aria-label': sayOf(node, edges),
  })
  if (href) link.setAttribute('href', href)
  else link.setAttribute('tabindex', '0')
  if (!href) link.setAttribute('role', 'img')
  if (current) link.setAttribute('aria-current', 'true')
  link.dataset.id = id
  link.dataset.status = status
  link.append(
    shape('rect', { width: BOX.width, height: BOX.height, rx: 6 }),
    shape('rect', { class: 'bar-of', width: 4, height: BOX.height - 12, x: 6, y: 6, rx: 2 }),
    words(id, text === id ? status : text || status),
  )
  return link
}

/** As text of the page, and none of the drawing: so that what is too long is cut where it no longer fits. */
const words = (id, text) => {
  const says = make('span', 'says', plain(text))
  says.title = plain(text)
  const place = shape('foreignObject', { x: 18, y: 0, width: BOX.width - 24, height: BOX.height })
  place.append(make('div', 'words', make('span', 'name', plain(id)), ' ', says))
  return place
}

/** A node in words, with where it leads. */
const sayOf = ({ id, text, status }, edges) => {
  const to = edges.filter((edge) => edge.from === id).map((edge) => sayEdge(edge.to, edge.labels))
  const from = edges.filter((edge) => edge.to === id).map((edge) => edge.from)
  return plain(texts.graph.node({ id, text, status, to, from }))
}

const sayEdge = (id, labels) => (labels.length === 0 ? id : `${id} (${labels.join(', ')})`)

const rowOf = ({ id, text, status, href }, edges) => {
  const name = make(href ? 'a' : 'b', '', id)
  if (href) name.href = href
  const to = edges.filter((edge) => edge.from === id).map((edge) => sayEdge(edge.to, edge.labels))
  const leads = to.length === 0 ? '' : make('span', 'dim', ` ${texts.graph.leadsTo(to)}`)
  const mark = make('span', 'pill', status)
  mark.dataset.status = status
  return make('li', '', name, ' ', mark, text === '' || text === id ? '' : ` ${plain(text)}`, leads)
}

/** Along the edges is up and down, among those of a row left and right. */
const WAYS = {
  ArrowRight: (places, id) => beside(places, id, 1),
  ArrowLeft: (places, id) => beside(places, id, -1),
  ArrowDown: (places, id) => nearest(places, id, 1),
  ArrowUp: (places, id) => nearest(places, id, -1),
}

const beside = (places, id, step) => {
  const at = places.get(id)
  const row = [...places.values()].filter((one) => one.row === at.row).sort((a, b) => a.x - b.x)
  return row[row.indexOf(at) + step]?.id
}

const nearest = (places, id, step) => {
  const { row, x } = places.get(id)
  const near = [...places.values()].filter((at) => at.row === row + step)
  return near.sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0]?.id
}

/** With a mouse, too, a drawing that is too large is moved by dragging. Touch does that by itself. */
const pan = (scroller) => {
  let from = null
  scroller.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse' || event.target.closest('a')) return
    from = { x: event.clientX + scroller.scrollLeft, y: event.clientY + scroller.scrollTop }
  })
  addEventListener('pointermove', ({ clientX, clientY }) => {
    if (from) scroller.scrollTo(from.x - clientX, from.y - clientY)
  })
  addEventListener('pointerup', () => {
    from = null
  })
}

const shape = (tag, attributes) => {
  const element = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  return element
}
