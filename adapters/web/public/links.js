// Ways to other places: every room and every thread has an address.
import { make } from './elements.js'

export const linkTo = (room, ...children) => {
  const link = make('a', '', ...children)
  link.href = `/?room=${encodeURIComponent(room)}`
  return link
}

const THREAD = /\b(t-[0-9a-z]{26})\b/

/** A text in which every thread that it names is a way there. */
export const withThreads = (text) =>
  text.split(THREAD).map((part, index) => (index % 2 === 1 ? linkTo(part, part) : part))

/** The thread that a text names first. */
export const threadIn = (text) => THREAD.exec(text)?.[1] ?? null
