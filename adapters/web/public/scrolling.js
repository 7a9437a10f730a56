// Scrolling: follow the end only while the reader is there, and point out what is out of sight.

/** So close to the end counts as the end. */
const NEAR = 40

export const createScrolling = ({ scroller, newer, trim, onJump }) => {
  let pinned = true
  let unread = false
  /** An answer just given, and who gave it, until it was in sight. */
  let answered = null
  let top = 0
  let settling = false

  /** Once per frame, however much was added in it. */
  const settle = () => {
    if (settling) return
    settling = true
    requestAnimationFrame(() => {
      settling = false
      trim()
      if (pinned) toTheEnd()
      top = scroller.scrollTop
      pointOut()
    })
  }

  const toTheEnd = () => {
    scroller.scrollTop = scroller.scrollHeight
    unread = false
  }

  /** One button: down to what is new, or up to an answer that went to a line further up. */
  const pointOut = () => {
    const edge = scroller.getBoundingClientRect().top
    const inSight = answered?.element.getBoundingClientRect().bottom > edge
    if (inSight || !answered?.element.isConnected) answered = null
    newer.hidden = !(answered || unread)
    newer.textContent = answered ? `↑ ${answered.name} answered` : 'New messages ↓'
  }

  scroller.addEventListener('scroll', () => {
    const end = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < NEAR
    // Only a move upwards is the reader's: the end also runs away by itself when something is added.
    if (end) pinned = true
    else if (scroller.scrollTop < top) pinned = false
    if (end) unread = false
    top = scroller.scrollTop
    pointOut()
  })

  newer.addEventListener('click', () => {
    pinned = answered === null
    if (pinned) settle()
    else answered.element.scrollIntoView({ block: 'center' })
    answered = null
    onJump()
  })

  new ResizeObserver(settle).observe(scroller)

  return {
    settle,
    added: () => {
      unread = true
      settle()
    },
    pointTo: (element, name) => {
      answered = { element, name }
    },
    /** A reader who speaks wants to see what comes of it. */
    follow: () => {
      pinned = true
    },
  }
}
