// Facets: what the evidence that was found is made of. Each value is a link to that alone, and the way back.
import { make } from '/elements.js'
import { plain } from '/plain.js'
import { texts } from './texts.js'

const says = texts.evidence
/** In the order people look for them; those that are seldom asked for are folded up. */
const ORDER = [
  'event',
  'agent',
  'room',
  'tool',
  'outcome',
  'peripheral',
  'mission',
  'pattern',
  'author',
  'claim',
  'type',
  'path',
  'session',
]
const OPEN = new Set(['event', 'agent', 'room', 'tool', 'outcome'])

export const createFacets = (search) => {
  const lists = make('div', 'facet-lists')
  const chips = make('ul', 'chips')
  chips.setAttribute('aria-label', says.narrowed)
  const sections = new Map()

  const show = (facets) => {
    const known = new Map(facets.map((facet) => [facet.by, facet]))
    for (const by of ORDER) {
      const facet = known.get(by)
      const section = sections.get(by) ?? made(by)
      const empty = !facet || facet.values.length === 0
      section.element.hidden = empty
      if (!empty) fill(section.list, facet)
    }
    showChips()
  }

  const made = (by) => {
    const list = make('ul', '')
    const element = make('details', 'facet', make('summary', '', says.facets[by]), list)
    element.open = OPEN.has(by)
    list.setAttribute('aria-label', says.facet(says.facets[by]))
    sections.set(by, { element, list })
    lists.append(element)
    return sections.get(by)
  }

  const fill = (list, { by, values, more }) => {
    const rows = values.map(({ value, count }) => make('li', '', link(by, value, count)))
    if (more > 0) rows.push(make('li', 'dim', says.facetMore(more)))
    list.replaceChildren(...rows)
  }

  const link = (by, value, count) => {
    const chosen = search.get(by) === value
    const element = make(
      'a',
      '',
      make('span', 'value', plain(value)),
      make('span', 'count', count.toLocaleString('en')),
    )
    leadTo(element, { [by]: chosen ? null : value })
    if (chosen) element.setAttribute('aria-current', 'true')
    return element
  }

  /** A link like any other; followed here, the page stays. */
  const leadTo = (element, changes) => {
    element.href = search.addressWith(changes)
    element.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      search.go(changes)
    })
    return element
  }

  const showChips = () => {
    const narrowed = search.narrowed()
    const made = narrowed.map(([by, value]) => {
      const name = says.facets[by] ?? by
      const chip = make('a', 'chip', `${name}: `, make('b', '', plain(value)), make('span', 'cross', ' ×'))
      chip.setAttribute('aria-label', says.drop(name, plain(value)))
      return make('li', '', leadTo(chip, { [by]: null }))
    })
    if (narrowed.length > 1) {
      const all = leadTo(make('a', 'chip', says.clear), Object.fromEntries(narrowed.map(([by]) => [by, null])))
      made.push(make('li', '', all))
    }
    chips.replaceChildren(...made)
    chips.hidden = made.length === 0
  }

  return { lists, chips, show, showChips }
}
