// What was said before all that is here: asked for page by page, when the reader gets to the top. Only so much of it is kept
// on the page: where something is left out before what follows live, there is a gap, which says so and can be filled.
import { NO_CONTROLS } from './controls.js'
import { make, makeButton } from './elements.js'
import { createExchanges } from './exchanges.js'
import { texts } from './texts.js'
import { createTranscript } from './transcript.js'

const PAGE = 100
const MOST_PAGES = 12
/** So close to the top, the page before it is asked for. */
const NEAR = 400

export const createHistory = ({ ask, scroller, button, past, mentions, live, onEnd }) => {
  /** Oldest first, each with the positions of its first and its last post. */
  let pages = []
  let room = ''
  let asking = false
  let over = false
  /** After a failure, it is asked again when somebody presses. */
  let failed = false

  const more = makeButton(texts.history.show, () => fill())
  const gap = make(
    'div',
    'gap',
    make('span', '', texts.history.between),
    more,
    makeButton(texts.history.toTheEnd, onEnd),
  )
  gap.hidden = true
  past.after(gap)

  const request = async (from, limit = PAGE) => {
    if (asking || room === '') return null
    asking = true
    button.disabled = true
    more.disabled = true
    const { status, body } = await ask(`/api/posts?room=${encodeURIComponent(room)}&limit=${limit}&${from}`)
    button.disabled = false
    more.disabled = false
    asking = false
    failed = status !== 200
    return failed ? null : body
  }

  const load = async () => {
    const before = pages[0]?.first ?? live.first()
    if (over || before === null) return
    const found = await request(`before=${before}`)
    if (!found) return
    if (found.posts.length > 0) addBefore(pageOf(found.posts))
    over = !found.older
    button.hidden = over
  }

  /** What is added above is added above: what the reader looks at stays where it is. */
  const addBefore = (page) => {
    if (pages.length >= MOST_PAGES) leaveOut(pages.pop())
    const below = scroller.scrollHeight - scroller.scrollTop
    past.prepend(page.element)
    page.exchanges.adopt(pages[0]?.exchanges ?? live.exchanges)
    pages.unshift(page)
    scroller.scrollTop = scroller.scrollHeight - below
  }

  const leaveOut = (page) => {
    page.element.remove()
    live.exchanges.forget()
    gap.hidden = false
  }

  const fill = async () => {
    const end = live.first() ?? Number.POSITIVE_INFINITY
    // One more than is shown: it tells whether the gap is closed by them.
    const found = await request(`after=${pages.at(-1).last}`, PAGE + 1)
    if (!found) return
    const between = found.posts.filter(({ position }) => position < end)
    const posts = between.slice(0, PAGE)
    const above = gap.offsetTop - scroller.scrollTop
    if (posts.length > 0) addAfter(pageOf(posts))
    const filled = between.length <= PAGE && (!found.newer || between.length < found.posts.length)
    if (filled) close(end)
    // The reader goes on where the gap was.
    if (posts.length > 0) scroller.scrollTop = pages.at(-1).element.offsetTop - above
  }

  /** Filled up to a position: unless what was left out above held something of what is live, which lies in between now. */
  const close = (end) => {
    if (live.first() > end) return
    gap.hidden = true
    pages.at(-1).exchanges.adopt(live.exchanges)
  }

  const addAfter = (page) => {
    past.append(page.element)
    pages.at(-1)?.exchanges.adopt(page.exchanges)
    pages.push(page)
    if (pages.length <= MOST_PAGES) return
    pages.shift().element.remove()
    live.exchanges.forget()
    over = false
    button.hidden = false
  }

  const pageOf = (posts, onShown = () => {}) => {
    const element = make('div', '')
    const exchanges = createExchanges(element, { controls: NO_CONTROLS, mentions })
    const page = createTranscript({
      transcript: element,
      exchanges,
      approvals: NO_APPROVALS,
      onNotice: () => {},
      onShown,
    })
    for (const post of posts) if (!live.has(post.position)) page.show(post)
    return { element, exchanges, first: posts[0].position, last: posts.at(-1).position }
  }

  button.addEventListener('click', load)
  scroller.addEventListener('scroll', () => scroller.scrollTop < NEAR && pages.length > 0 && !failed && load(), {
    passive: true,
  })

  return {
    enter: (entered) => {
      room = entered
    },
    /** Whether there is anything to go back to is known once something is here. */
    offer: () => {
      if (!over && live.first() !== null) button.hidden = false
    },
    /** A page around a place that is far back; whether there is one. */
    openAt: async ({ room: entered, position, see }) => {
      room = entered
      const found = await request(`before=${position + PAGE / 2}`)
      if (!found || found.posts.length === 0) return false
      const page = pageOf(found.posts, see)
      pages = [page]
      past.replaceChildren(page.element)
      over = !found.older
      gap.hidden = false
      return true
    },
    /** What is no longer shown at the beginning of what is live lies in between. */
    trimmed: () => {
      if (pages.length > 0) gap.hidden = false
    },
  }
}

/** What was before is only told: what still waits of it has its buttons on Now. */
const NO_APPROVALS = {
  ask: ({ author, text }) => make('p', 'notice', `${author.id} ${text.split('\n')[0]}`),
  decide: () => null,
  endStep: () => {},
  endTurn: () => {},
}
