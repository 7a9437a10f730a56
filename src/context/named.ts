type Agent = { id: string; type: string }

/** As many agents as one request can hand something over from. */
const MOST = 3

/** A word that may be a name, and no part of a path or of a file's name. */
const WORD = /(?<![\p{L}\p{N}_./\\-])[A-Za-z][A-Za-z0-9-]*(?![\p{L}\p{N}_/\\-])(?!\.[\p{L}\p{N}])/gu

/** The other agents that a request speaks of, by id or by type; a type is everybody of its kind. */
export const namedIn = (request: string, agents: readonly Agent[], self: string): string[] => {
  const others = agents.filter(({ id }) => id !== self)
  const words = [...request.matchAll(WORD)].map(([word]) => word.toLowerCase())
  const named = words.flatMap((word) => {
    const one = others.find(({ id }) => id === word)
    return one ? [one] : others.filter(({ type }) => type === word)
  })
  return [...new Set(named.map(({ id }) => id))].slice(0, MOST)
}

/** As many files as are looked for in a request. */
const MOST_PATHS = 10

/** The files that a request may speak of: what has a slash in it, or an ending. */
export const pathsIn = (request: string): string[] =>
  request
    .split(/[^\w./~-]+/)
    .map((word) => word.replace(/^\.\/|[./]+$/g, ''))
    .filter((word) => /^[^/]/.test(word) && (word.includes('/') || /\.[A-Za-z]\w{0,9}$/.test(word)))
    .slice(0, MOST_PATHS)
