// The reply tree of an entry: what it answers, back to the beginning, and everything that answers that.
import { make } from '/elements.js'
import { ask } from '/house.js'
import { summaryOf, titleOf, toneOf } from './says.js'
import { texts } from './texts.js'

/** Folded up until it is asked for: most look at an entry for itself. */
export const createReplies = (entry, linkTo) => {
  const details = make('details', 'replies', make('summary', '', texts.entry.tree))
  let asked = false
  details.addEventListener('toggle', async () => {
    if (!details.open || asked) return
    asked = true
    const waiting = details.appendChild(make('p', 'dim', texts.entry.looking))
    const { status, body } = await ask(`/api/tree?${new URLSearchParams({ entry: entry.id })}`)
    if (status === 200) return waiting.replaceWith(...treeOf(body, entry.id, linkTo))
    asked = false
    waiting.textContent = body ? texts.refused(body) : texts.unreachable
  })
  return details
}

const treeOf = ({ status, entries, cut }, here, linkTo) => {
  const root = make('ul', 'reply-tree')
  // The list that entries of each depth go into.
  const lists = [root]
  for (const { depth, entry } of entries) {
    const item = itemOf(entry, here, linkTo)
    const list = lists[Math.min(depth, lists.length - 1)]
    list.append(item)
    lists.length = lists.indexOf(list) + 1
    lists.push(nested(item))
  }
  for (const empty of root.querySelectorAll('ul:empty')) empty.remove()
  const notes = [make('p', 'dim', texts.entry.treeStatus(status, entries.length))]
  if (cut) notes.push(make('p', 'dim', texts.entry.treeCut))
  return [...notes, root]
}

const nested = (item) => item.appendChild(make('ul', ''))

const itemOf = (entry, here, linkTo) => {
  const link = make('a', '', make('b', '', titleOf(entry)), ' ', make('span', 'dim', summaryOf(entry)))
  link.href = linkTo(entry)
  link.dataset.tone = toneOf(entry)
  if (entry.id === here) link.setAttribute('aria-current', 'true')
  return make('li', '', link)
}
