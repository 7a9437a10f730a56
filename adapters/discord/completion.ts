import type { APIApplicationCommandOptionChoice } from 'discord.js'
import type { NetworkPort, Question } from '../../src/chat/port.ts'
import type { Command, CommandOption } from '../../src/shapes/command.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { MORE_COMMANDS, shownOf } from './command-forms.ts'
import { clean, short } from './tame.ts'

type Port = Pick<NetworkPort, 'commands' | 'agents' | 'ask'>
type Asked = { command: string; option: string; typed: string; room: string; sender: Sender }
type Choice = APIApplicationCommandOptionChoice<string>

/** One thing that can be named, and what there is to say of it. */
type Named = { value: string; about: string }

const MOST = 25
const TEXT = 100
const IN_TIME_MS = 2000

/** Suggests what can be named, as far as it is typed. It has three seconds, so after two it has none; and it never fails. */
export const createCompletion = ({ commands, agents, ask }: Port) => {
  const looked = async (question: Question): Promise<Record<string, Record<string, unknown>[]>> => {
    const answer = await ask(question)
    return answer.ok ? (answer.value as Record<string, Record<string, unknown>[]>) : {}
  }

  const known = (names: NonNullable<CommandOption['names']>, { room, sender }: Asked): Promise<Named[]> => {
    const rows = async (name: string, list: string, key: string, about: readonly string[]): Promise<Named[]> =>
      ((await looked({ name, room, sender }))[list] ?? []).map((row) => ({
        value: String(row[key] ?? ''),
        about: about.flatMap((field) => (row[field] ? [String(row[field])] : [])).join(', '),
      }))
    const named = (some: readonly Command[]): Named[] =>
      some.map(({ name, summary }) => ({ value: name, about: summary }))
    const lists: Record<NonNullable<CommandOption['names']>, () => Promise<Named[]>> = {
      agent: async () => (await agents()).map(({ id, type }) => ({ value: id, about: type })),
      room: () => rows('rooms', 'rooms', 'id', ['mode']),
      thread: () => rows('threads', 'threads', 'id', ['agent', 'name']),
      turn: () => rows('status', 'turns', 'turn', ['agent', 'state']),
      approval: () => rows('approvals', 'approvals', 'approval', ['agent', 'opens']),
      session: () => rows('sessions', 'sessions', 'id', ['agent', 'room']),
      peripheral: async () => named(commands.filter(({ works }) => works)),
      command: async () => named(commands),
      proof: () => rows('proofs', 'proofs', 'id', ['title', 'mode']),
    }
    return lists[names]()
  }

  const listOf = async (asked: Asked): Promise<Named[]> => {
    if (asked.command === MORE_COMMANDS) {
      const shown = shownOf(commands)
      return commands
        .filter((one) => !shown.includes(one))
        .map(({ name, summary }) => ({ value: name, about: summary }))
    }
    const option = commands
      .find(({ name }) => name === asked.command)
      ?.options.find(({ name }) => name === asked.option)
    if (!option) return []
    return option.names === null ? option.choices.map((value) => ({ value, about: '' })) : known(option.names, asked)
  }

  return async (asked: Asked): Promise<Choice[]> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Named[]>((done) => {
      timer = setTimeout(() => done([]), IN_TIME_MS)
    })
    const list = await Promise.race([listOf(asked).catch(() => []), late])
    clearTimeout(timer)
    return choicesOf(list, asked.typed.trim().toLowerCase())
  }
}

/** Those that begin with what is typed come before those that have it somewhere. */
const choicesOf = (list: readonly Named[], typed: string): Choice[] => {
  const fits = list.filter(({ value }) => value !== '' && value.length <= TEXT)
  const begin = fits.filter(({ value }) => value.toLowerCase().startsWith(typed))
  const within = fits.filter((one) => !begin.includes(one) && `${one.value} ${one.about}`.toLowerCase().includes(typed))
  return [...begin, ...within].slice(0, MOST).map(({ value, about }) => ({
    name: short(clean(about === '' ? value : `${value}: ${about}`), TEXT),
    value,
  }))
}
