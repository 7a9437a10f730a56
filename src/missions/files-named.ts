import { posix } from 'node:path'

/** A path in ticks that can only be a file: folders, and a name with an ending. */
const IN_TICKS = /`(?:\.\/)?((?:[\w@+-][\w@.+-]{0,99}\/){1,20}[\w@.+-]{1,100}\.[A-Za-z0-9]{1,10})`/g

/** Where a link leads. */
const LINK = /\]\(([^()\s]{1,300})\)/g

/** The files that a line names, by their paths in the workspace: in ticks from its root on, in links from the file that has them. */
export const filesNamed = (line: string, path: string): string[] => {
  const ticked = [...line.matchAll(IN_TICKS)].map(([, name = '']) => name)
  const linked = [...line.matchAll(LINK)].flatMap(([, to = '']) => linkedFrom(to, path))
  return [...new Set([...ticked, ...linked])].map((name) => posix.normalize(name)).filter(isInside)
}

/** The file that a link leads to; none where it leads out to the web, to a part of the same file, or to a folder. */
const linkedFrom = (to: string, path: string): string[] => {
  const [file = ''] = to.split(/[#?]/)
  const isFile = file !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(file) && !file.endsWith('/')
  return isFile ? [posix.join(posix.dirname(path), file)] : []
}

const isInside = (path: string): boolean => path !== '.' && path !== '..' && !path.startsWith('../')
