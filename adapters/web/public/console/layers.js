// Where the nodes of a graph go: in layers, each below what leads to it, ordered so that few edges cross. Circles are taken
// apart first: an edge that would go back up is drawn, and counts for no layer. One that passes other layers on its way
// has a place of its own in each, so that it goes between the boxes and not through them.

/**
 * For nodes by their ids and edges `{ from, to }` between them: `rows` of places `{ id, edge, row, x }`, from the middle
 * out; `places` by id; `through` the places that an edge passes; `back` the edges that lead back up.
 */
export const layersOf = (ids, edges, { width, narrow, gap }) => {
  const back = backEdges(ids, edges)
  const forward = edges.filter((edge) => !back.has(edge))
  const level = levelsOf(ids, forward)
  const rows = []
  const places = new Map()
  const through = new Map()
  const put = (row, place) => {
    rows[row] ??= []
    rows[row].push({ ...place, row, x: 0, above: [], below: [] })
    return rows[row].at(-1)
  }
  for (const id of ids) places.set(id, put(level.get(id), { id, edge: null, wide: width }))
  for (const edge of forward) {
    const way = [places.get(edge.from)]
    for (let row = level.get(edge.from) + 1; row < level.get(edge.to); row++)
      way.push(put(row, { id: null, edge, wide: narrow }))
    way.push(places.get(edge.to))
    through.set(edge, way.slice(1, -1))
    for (let i = 1; i < way.length; i++) {
      way[i - 1].below.push(way[i])
      way[i].above.push(way[i - 1])
    }
  }
  for (const row of rows) spread(row, gap)
  for (let round = 0; round < ROUNDS; round++) order(rows, round % 2 === 0, gap)
  for (let round = 0; round < ROUNDS; round++) align(rows, round % 2 === 0, gap)
  return { rows, places, through, back }
}

const ROUNDS = 8

/** The edges that lead back to where one comes from: found by going down, without recursion, since graphs may be deep. */
const backEdges = (ids, edges) => {
  const out = grouped(edges)
  const state = new Map()
  const back = new Set()
  for (const root of ids) {
    if (state.has(root)) continue
    const way = [{ id: root, next: 0 }]
    state.set(root, 'open')
    while (way.length > 0) {
      const at = way.at(-1)
      const edge = out.get(at.id)?.[at.next++]
      if (edge) visit(edge, state, back, way)
      else state.set(way.pop().id, 'done')
    }
  }
  return back
}

const visit = (edge, state, back, way) => {
  const known = state.get(edge.to)
  if (known === 'open') back.add(edge)
  if (known !== undefined) return
  state.set(edge.to, 'open')
  way.push({ id: edge.to, next: 0 })
}

/** Each as far down as the longest way to it; what nothing leads to is at the top. */
const levelsOf = (ids, forward) => {
  const waits = new Map(ids.map((id) => [id, 0]))
  for (const { to } of forward) waits.set(to, waits.get(to) + 1)
  const out = grouped(forward)
  const level = new Map(ids.map((id) => [id, 0]))
  const ready = ids.filter((id) => waits.get(id) === 0)
  // A list that is added to goes on with what was added.
  for (const id of ready) {
    for (const { to } of out.get(id) ?? []) {
      level.set(to, Math.max(level.get(to), level.get(id) + 1))
      waits.set(to, waits.get(to) - 1)
      if (waits.get(to) === 0) ready.push(to)
    }
  }
  return level
}

const grouped = (edges) => {
  const groups = new Map()
  for (const edge of edges) {
    const group = groups.get(edge.from)
    if (group) group.push(edge)
    else groups.set(edge.from, [edge])
  }
  return groups
}

/** The middle of what a place belongs to, above or below it; its own where there is nothing. */
const middle = (place, down) => {
  const near = down ? place.above : place.below
  return near.length === 0 ? place.x : near.reduce((sum, { x }) => sum + x, 0) / near.length
}

const order = (rows, down, gap) => {
  for (const row of down ? rows : [...rows].reverse()) {
    const wanted = new Map(row.map((place) => [place, middle(place, down)]))
    row.sort((a, b) => wanted.get(a) - wanted.get(b))
    spread(row, gap)
  }
}

/** Side by side, around the middle. */
const spread = (row, gap) => {
  const width = row.reduce((sum, { wide }) => sum + wide + gap, -gap)
  let left = -width / 2
  for (const place of row) {
    place.x = left + place.wide / 2
    left += place.wide + gap
  }
}

/** Each as near to the middle of what it belongs to as those beside it let it; as a row, none is moved to one side. */
const align = (rows, down, gap) => {
  for (const row of down ? rows : [...rows].reverse()) {
    const wanted = row.map((place) => middle(place, down))
    let left = Number.NEGATIVE_INFINITY
    for (const [i, place] of row.entries()) {
      place.x = Math.max(wanted[i], left + place.wide / 2)
      left = place.x + place.wide / 2 + gap
    }
    const shift = row.reduce((sum, { x }, i) => sum + x - wanted[i], 0) / row.length
    for (const place of row) place.x -= shift
  }
}
