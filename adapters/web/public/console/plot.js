// Bars over days, drawn by uPlot, which is loaded when there is something to draw. What is drawn is in a table, too.
import { make } from '/elements.js'
import { texts } from './texts.js'

const HEIGHT = 150

let library = null

const load = () => {
  library ??= import('/vendor/uplot.js').then(({ default: uPlot }) => uPlot)
  return library
}

/** `series: [{ name, color, of(day), says(value) }]`, the later ones in front; `says(day)` is said of one day. */
export const createPlot = ({ title, series, says, total }) => {
  const heading = make('h3', '', title)
  const sum = make('p', 'plot-sum')
  const at = make('p', 'plot-at dim')
  const drawing = make('div', 'plot-drawing')
  drawing.setAttribute('role', 'img')
  drawing.setAttribute('aria-label', title)
  const table = make('table', 'plain')
  const details = make('details', 'as-list', make('summary', '', texts.plot.asTable), table)
  const element = make('figure', 'card plot', make('figcaption', '', heading, sum), drawing, at, details)
  const drawn = { plot: null, days: [] }

  const show = async (days) => {
    if (JSON.stringify(days) === JSON.stringify(drawn.days)) return
    drawn.days = days
    sum.textContent = total(days)
    drawing.setAttribute('aria-label', `${title}: ${total(days)}`)
    table.replaceChildren(...rowsOf(series, days))
    await paint()
  }

  const paint = async () => {
    const uPlot = await load().catch(() => null)
    drawn.plot?.destroy()
    drawn.plot = null
    if (uPlot === null) return at.replaceChildren(texts.plot.unloaded)
    const data = [
      drawn.days.map(({ day }) => Date.parse(day) / 1000),
      ...series.map(({ of }) => drawn.days.map((day) => of(day))),
    ]
    const hover = (index) => {
      const day = drawn.days[index]
      at.textContent = day ? texts.missions.on(day.day, says(day)) : ' '
    }
    hover(null)
    drawn.plot = new uPlot(optionsOf(uPlot, { series, width: drawing.clientWidth, hover }), data, drawing)
  }

  new ResizeObserver(() => {
    const width = drawing.clientWidth
    if (drawn.plot && width > 0 && drawn.plot.width !== width) drawn.plot.setSize({ width, height: HEIGHT })
  }).observe(drawing)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)

  return { element, show }
}

const optionsOf = (uPlot, { series, width, hover }) => {
  const axis = { stroke: colorOf('--dim'), grid: { stroke: colorOf('--line'), width: 0.5 }, ticks: { show: false } }
  const bars = uPlot.paths.bars({ size: [0.7, 28], radius: 0.15 })
  return {
    width: Math.max(width, 60),
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, sync: { key: 'days' } },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    scales: { x: { range: (_plot, from, to) => [from - 43_200, to + 43_200] }, y: { range: rangeOf } },
    axes: [
      { ...axis, size: 26, space: 48, incrs: INCREMENTS, values: dayNames, grid: { show: false } },
      { ...axis, size: 44, space: 34, values: (_plot, values) => values.map(short) },
    ],
    series: [
      {},
      ...series.map(({ name, color }) => ({
        label: name,
        fill: colorOf(color),
        stroke: colorOf(color),
        width: 0,
        paths: bars,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => hover(cursor.idx)] },
  }
}

const DAY = 86_400
const INCREMENTS = [1, 2, 7, 14, 30, 60].map((days) => days * DAY)

const rangeOf = (_plot, _from, to) => [0, to > 0 ? to * 1.1 : 1]

const MONTHS = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayNames = (_plot, values) => values.map((at) => MONTHS.format(new Date(at * 1000)))

const NUMBERS = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })
const short = (value) => NUMBERS.format(value)

/** A colour of the page as a canvas takes it: what depends on light and dark is settled by an element. */
const colorOf = (name) => {
  const probe = make('span', '')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const rowsOf = (series, days) => {
  const head = make('tr', '', headOf(texts.plot.day), ...series.map(({ name }) => headOf(name)))
  const some = days.filter((day) => series.some(({ of }) => of(day) > 0))
  const rows = some.map((day) => {
    const name = make('th', '', day.day)
    name.scope = 'row'
    return make('tr', '', name, ...series.map(({ of, say = String }) => make('td', '', say(of(day)))))
  })
  const none = make('td', 'nothing', texts.plot.nothing)
  none.colSpan = series.length + 1
  return [make('thead', '', head), make('tbody', '', ...(rows.length > 0 ? rows : [make('tr', '', none)]))]
}

const headOf = (name) => {
  const cell = make('th', '', name)
  cell.scope = 'col'
  return cell
}
