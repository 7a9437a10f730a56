// What the word before the cursor could become: a command at the start of a line and what it takes, and whoever is here.

const MOST = 50

/** `known` is what was last heard: commands, agents, people, rooms, threads and approvals. */
export const offersFor = (before, known) => {
  const [word] = /\S*$/.exec(before)
  const start = before.length - word.length
  const command = start === 0 ? null : commandOf(before, known.commands)
  const all = command ? argumentsOf(command, before.slice(0, start), word, known) : namesFor(word, start, known)
  // A mention may stand anywhere, also in what a command takes.
  const found = all.length === 0 && word.startsWith('@') ? mentionsOf(known) : all
  return found
    .filter(({ text }) => text.toLowerCase().startsWith(word.toLowerCase()))
    .slice(0, MOST)
    .map((one) => ({ usage: '', ...one, start, word }))
}

const namesFor = (word, start, known) => {
  if (word.startsWith('@')) return mentionsOf(known)
  if (!word.startsWith('/') || start !== 0) return []
  return known.commands.map(({ name, summary, usage }) => ({ text: `/${name}`, summary, usage }))
}

const mentionsOf = ({ agents, people }) => [
  ...agents.map(({ id, readiness }) => ({ text: `@${id}`, summary: readiness })),
  ...[...people].map((name) => ({ text: `@${name}`, summary: '' })),
]

const commandOf = (before, commands) => {
  const [, name] = /^[/!](\S+)\s/.exec(before) ?? []
  return commands.find((one) => one.name === name || one.aliases?.includes(name)) ?? null
}

/** The words of what a command takes: by its place, or by its name and `=`. */
const argumentsOf = ({ options = [] }, before, word, known) => {
  const [, key] = /^([a-z-]+)=/.exec(word) ?? []
  if (key) {
    const named = options.find(({ name }) => name === key)
    return named ? valuesOf(named, known).map((one) => ({ ...one, text: `${key}=${one.text}` })) : []
  }
  const given = before.trim().split(/\s+/).slice(1)
  const option = options[given.filter((one) => !one.includes('=')).length]
  return option ? valuesOf(option, known) : []
}

const valuesOf = ({ choices, names, summary }, known) =>
  choices.length > 0 ? choices.map((text) => ({ text, summary })) : (NAMES[names]?.(known) ?? [])

const NAMES = {
  agent: ({ agents }) => agents.map(({ id, readiness }) => ({ text: id, summary: readiness })),
  room: ({ rooms }) => rooms.map(({ id, mode }) => ({ text: id, summary: mode })),
  thread: ({ threads }) => threads.map(({ id, name }) => ({ text: id, summary: name })),
  approval: ({ approvals }) => [...approvals].map(([text, summary]) => ({ text, summary })),
  peripheral: ({ agents }) => {
    const all = new Set(agents.flatMap(({ peripherals }) => peripherals))
    return [...all].map((text) => ({ text, summary: '' }))
  },
  command: ({ commands }) => commands.map(({ name, summary }) => ({ text: name, summary })),
}
