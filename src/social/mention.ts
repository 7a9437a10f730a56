import { nearest } from '../lib/nearest.ts'
import { agentCalled } from '../shapes/agent.ts'

type Agent = { id: string; type: string }

/**
 * Whom a line is for, and the line without the address. `misspelt` is a name at its start that is nearly an agent's;
 * `elsewhere` says that the line begins with a name that is not: it is for a person.
 */
export type Addressed = { named: string[]; request: string; misspelt: string | null; elsewhere: boolean }

const AT_START = /^\s*(?:@([A-Za-z][A-Za-z0-9-]*)[:,]?|([A-Za-z][A-Za-z0-9-]*)[:,])(?=\s|$)/

/** Reads `@claude …`, `claude: …`, `@claude @codex …` and `@all …` at the start of a line, and `@claude` within it. */
export const addressed = (text: string, agents: readonly Agent[]): Addressed => {
  const named = new Set<string>()
  let rest = text
  let start = nameAtStart(rest, agents)
  while (start.ids.length > 0) {
    for (const id of start.ids) named.add(id)
    rest = rest.slice(start.length)
    start = nameAtStart(rest, agents)
  }
  for (const [, name = ''] of rest.matchAll(/(?<![\p{L}\p{M}\p{N}_@])@([A-Za-z][A-Za-z0-9-]*)/gu)) {
    // Everybody is meant where a line begins with it, and not where somebody tells of it.
    for (const id of name.toLowerCase() === 'all' ? [] : agentsNamed(name, agents)) named.add(id)
  }
  return { named: [...named], request: rest.trim(), misspelt: start.misspelt, elsewhere: start.elsewhere }
}

const nameAtStart = (text: string, agents: readonly Agent[]) => {
  const match = AT_START.exec(text)
  const name = (match?.[1] ?? match?.[2] ?? '').toLowerCase()
  // "All, I am off" is said to people: everybody at once takes the sign.
  const ids = name === 'all' && match?.[1] === undefined ? [] : agentsNamed(name, agents)
  const elsewhere = ids.length === 0 && match?.[1] !== undefined
  const near = elsewhere && nearest(name, namesOf(agents)) !== null
  return { ids, length: match?.[0].length ?? 0, misspelt: near ? name : null, elsewhere }
}

export const namesOf = (agents: readonly Agent[]): string[] => agents.flatMap(({ id, type }) => [id, type])

/** An id names one agent, a type the first of its kind, `all` everybody. */
const agentsNamed = (written: string, agents: readonly Agent[]): string[] => {
  const name = written.toLowerCase()
  if (name === 'all') return agents.map(({ id }) => id)
  const agent = agentCalled(name, agents)
  return agent ? [agent.id] : []
}
