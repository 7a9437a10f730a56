// The title of the page: where one is, and how much asks for the reader while they look elsewhere.
import { texts } from './texts.js'

export const createAttention = () => {
  let place = 'Bellhop'
  let unseen = 0

  const show = () => {
    document.title = texts.title(place, unseen)
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return
    unseen = 0
    show()
  })

  return {
    enter: (name) => {
      place = name
      show()
    },
    call: () => {
      if (!document.hidden) return
      unseen += 1
      show()
    },
  }
}
