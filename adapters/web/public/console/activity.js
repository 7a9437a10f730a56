// What was done day by day, and what it took: three plots that share their days. How many days is in the address.
import { make } from '/elements.js'
import { ask } from '/house.js'
import { createPlot } from './plot.js'
import { addressOf, linkOf, section } from './sections.js'
import { texts } from './texts.js'

const RANGES = [7, 30, 90]
const USUAL = 30

const sum = (days, key) => days.reduce((total, day) => total + day[key], 0)

/** Of all missions, or of one; `params` is what else the address has. */
export const createActivity = ({ mission = null, days: wanted, params = {} }) => {
  const days = RANGES.includes(wanted) ? wanted : USUAL
  const { totals } = texts.missions
  const turns = createPlot({
    title: texts.missions.turns,
    series: [
      { name: texts.missions.turns, color: '--idle', of: (day) => day.turns },
      { name: texts.missions.failed, color: '--bad', of: (day) => day.failed },
    ],
    says: (day) => totals.turns(day.turns, day.failed),
    total: (all) => totals.turns(sum(all, 'turns'), sum(all, 'failed')),
  })
  const steps = createPlot({
    title: texts.missions.steps,
    series: [{ name: texts.missions.steps, color: '--good', of: (day) => day.steps }],
    says: (day) => totals.steps(day.steps),
    total: (all) => totals.steps(sum(all, 'steps')),
  })
  const cost = createPlot({
    title: texts.missions.cost,
    series: [{ name: texts.missions.cost, color: '--accent', of: (day) => day.usd, say: totals.usd }],
    says: costText,
    total: (all) => costText({ usd: sum(all, 'usd'), tokens: sum(all, 'tokens'), unpriced: sum(all, 'unpriced') }),
  })
  const plots = [turns, steps, cost]
  const element = section(
    'activity',
    texts.missions.activity,
    rangeOf(days, params),
    make('div', 'plots', ...plots.map((plot) => plot.element)),
  )

  const look = async () => {
    const { status, body } = await ask(addressOf('/api/activity', { days, mission }))
    // A mission that is not there is said where it would be.
    if (status === 404) return null
    if (status !== 200) return { status, body }
    await Promise.all(plots.map((plot) => plot.show(body.days)))
    return null
  }

  return { element, look }
}

const costText = ({ usd, tokens, unpriced }) => {
  const { totals } = texts.missions
  return [totals.usd(usd), totals.tokens(tokens), unpriced > 0 && texts.missions.unpriced(unpriced)]
    .filter(Boolean)
    .join(', ')
}

const rangeOf = (days, params) => {
  const links = RANGES.map((range) => {
    const link = linkOf(addressOf('/missions', { ...params, days: range }), texts.missions.days(range))
    if (range === days) link.setAttribute('aria-current', 'true')
    return make('li', '', link)
  })
  const nav = make('nav', 'ranges', make('ul', '', ...links))
  nav.setAttribute('aria-label', texts.missions.range)
  return nav
}
