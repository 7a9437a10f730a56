// What was said before all that is here: asked for page by page, when the reader gets to the top.

import { make } from './elements.js'
import { createExchanges } from './exchanges.js'
import { createTranscript } from './transcript.js'

const PAGE = 100
/** So close to the top, the page before it is asked for. */
const NEAR = 200

export const createHistory = ({ ask, scroller, button, exchanges, approvals, controls, first }) => {
  let room = ''
  let oldest = null
  let asking = false
  let over = false

  const show = (older) => {
    over = !older
    button.hidden = over
  }

  const load = async () => {
    const before = oldest ?? first()
    if (asking || over || room === '' || before === null) return
    asking = true
    button.disabled = true
    const { status, body } = await ask(`/api/posts?room=${encodeURIComponent(room)}&before=${before}&limit=${PAGE}`)
    button.disabled = false
    asking = false
    if (status !== 200) return
    if (body.posts.length > 0) place(body.posts)
    show(body.older)
  }

  /** What is added above is added above: what the reader looks at stays where it is. */
  const place = (posts) => {
    oldest = posts[0].position
    const page = make('div', '')
    const own = createTranscript({
      transcript: page,
      exchanges: createExchanges(page, controls),
      approvals,
      onNotice: () => {},
      onShown: () => {},
    })
    for (const post of posts) own.show(post)
    const below = scroller.scrollHeight - scroller.scrollTop
    exchanges.prepend([...page.children])
    scroller.scrollTop = scroller.scrollHeight - below
  }

  button.addEventListener('click', load)
  scroller.addEventListener('scroll', () => scroller.scrollTop < NEAR && oldest !== null && load(), { passive: true })

  return {
    enter: (entered) => {
      room = entered
    },
    /** Whether there is anything to go back to is known once something is here. */
    offer: () => {
      if (!over && first() !== null) button.hidden = false
    },
  }
}
