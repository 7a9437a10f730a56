// Scrolling: follow the end only while the reader is there, and point out what is out of sight.
import { texts } from './texts.js'

/** So close to the end counts as the end. */
const NEAR = 40

export const createScrolling = ({ scroller, newer, trim, onJump }) => {
  let pinned = true
  let unread = false
  /** What the reader should see, and what to say of it, until it was in sight. */
  let awaited = null
  /** What a link led to: it stays in sight while more is loaded, until the reader goes elsewhere. */
  let held = null
  let top = 0
  let settling = false

  /** Once per frame, however much was added in it. */
  const settle = () => {
    if (settling) return
    settling = true
    requestAnimationFrame(() => {
      settling = false
      trim()
      if (held) held.scrollIntoView({ block: 'center' })
      else if (pinned) toTheEnd()
      top = scroller.scrollTop
      pointOut()
    })
  }

  const toTheEnd = () => {
    scroller.scrollTop = scroller.scrollHeight
    unread = false
  }

  /** One button: down to what is new, or up to what belongs to a line further up. */
  const pointOut = () => {
    const edge = scroller.getBoundingClientRect().top
    const inSight = awaited?.element.getBoundingClientRect().bottom > edge
    if (inSight || !awaited?.element.isConnected) awaited = null
    newer.hidden = !(awaited || unread)
    newer.textContent = awaited ? texts.scrolling.up(awaited.text) : texts.scrolling.newer
  }

  const letGo = () => {
    held = null
  }
  for (const move of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    scroller.addEventListener(move, letGo, { passive: true })

  scroller.addEventListener('scroll', () => {
    if (held) return
    const end = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < NEAR
    // Only a move upwards is the reader's: the end also runs away by itself when something is added.
    if (end) pinned = true
    else if (scroller.scrollTop < top) pinned = false
    if (end) unread = false
    top = scroller.scrollTop
    // What was added since is not where it will be: that is seen to when it is settled.
    if (!settling) pointOut()
  })

  newer.addEventListener('click', () => {
    letGo()
    pinned = awaited === null
    if (pinned) settle()
    else awaited.element.scrollIntoView({ block: 'center' })
    awaited = null
    onJump()
  })

  new ResizeObserver(settle).observe(scroller)

  return {
    settle,
    added: () => {
      unread = true
      settle()
    },
    pointTo: (element, text) => {
      awaited = { element, text }
    },
    /** A reader who speaks wants to see what comes of it. */
    follow: () => {
      letGo()
      pinned = true
    },
    hold: (element) => {
      held = element
      pinned = false
      settle()
    },
  }
}
