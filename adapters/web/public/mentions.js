// Whom a line names: where it is the reader, it is marked.
import { make } from './elements.js'

export const createMentions = () => {
  let name = /$^/

  return {
    enter: (you) => {
      const quoted = you.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      name = new RegExp(`((?<![\\w@])@${quoted}(?![\\w-]))`, 'iu')
    },
    isIn: (text) => name.test(text),
    /** A text in which every mention of the reader is marked. */
    marked: (text) => text.split(name).map((part, index) => (index % 2 === 1 ? make('mark', 'mention', part) : part)),
  }
}
