// What several pages of the console are made of.
import { make } from '/elements.js'
import { plain } from '/plain.js'

export const section = (id, title, ...children) => {
  const heading = make('h2', '', title)
  heading.id = `${id}-title`
  const element = make('section', id, heading, ...children)
  element.setAttribute('aria-labelledby', heading.id)
  return element
}

export const linkOf = (href, ...children) => {
  const link = make('a', '', ...children)
  link.href = href
  return link
}

/** How something stands, as a small label; by its word it has its colour, too. */
export const pill = (status, text = status) => {
  const element = make('span', 'pill', text)
  element.dataset.status = status
  return element
}

/** Names and what belongs to each, as a list of pairs; those with nothing are left out. */
export const factsOf = (pairs) =>
  make(
    'dl',
    'facts',
    ...pairs
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => make('div', '', make('dt', '', name), make('dd', '', ...[value].flat()))),
  )

/** Words with something between them: elements, or texts as code. */
export const codes = (texts) => texts.flatMap((text, i) => [i === 0 ? '' : ' ', make('code', '', plain(text))])

export const addressOf = (path, params) => {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== null && value !== undefined))
  return query.size === 0 ? path : `${path}?${query}`
}
