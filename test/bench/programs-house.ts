import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Post } from '../../src/shapes/post.ts'
import { scratch } from '../support/folder.ts'
import { startUp } from '../support/instance.ts'
import { must } from '../support/store.ts'
import { ANSWER, MODELS, type Model, type ProgramName, README, type Speak } from './programs-model.ts'

/** Which agents there are, by their programs and the models behind those; and what else the config says. */
type Wanted = {
  agents: { name: ProgramName; program: string; model: Pick<Model, 'url'>; count?: number }[]
  config?: string
}

/** A whole instance, as a person starts it, whose agents are real programs. */
export const startHouse = async ({ agents, config = '' }: Wanted) => {
  const folder = scratch()
  folder.write('work/README.md', README)
  const lines = agents.flatMap(({ name, program, model, count = 1 }) =>
    Array.from({ length: count }, (_, i) => agentLine(`${name}-${i + 1}`, name, program, model.url)),
  )
  const instance = await startUp({
    workspace: join(folder.path, 'work'),
    data: join(folder.path, 'data'),
    args: ['--config', folder.write('bench.yaml', `${CONFIG}agents:\n${lines.join('')}${config}`)],
    env: { RIG_KEY: 'sk-rig' },
  })
  const { client, data } = instance
  const over = new AbortController()
  const following: Promise<void>[] = []

  /** Speaks to an agent in a room, and follows that as a face does. */
  const speakIn = async (room: string, agent: string): Promise<Speak> => {
    let heard: (answer: Post) => void = () => {}
    await new Promise<void>((open) => {
      const post = (one: Post): void => {
        if (one.kind === 'answer' && one.author.id === agent) heard(one)
      }
      following.push(client.follow(room, 0, { post, open }, over.signal))
    })
    return async (text) => {
      const answered = new Promise<Post>((resolve) => {
        heard = resolve
      })
      must(await client.say({ room, text: `@${agent} ${text}` }))
      const answer = await answered
      if (answer.text !== ANSWER) throw new Error(`${agent} answered: ${answer.text}`)
    }
  }

  /** Begins a thread with an agent. */
  const begin = async (agent: string): Promise<Speak> => {
    const { output } = must(await client.command('new', { agent, name: '' }, { room: LOBBY }))
    return speakIn(output?.thread.id ?? '', agent)
  }

  return {
    /** Speaks to an agent where everybody is. */
    inLobby: (agent: string): Promise<Speak> => speakIn(LOBBY, agent),
    begin,
    pids: (program: string) => processesOf(program, data),
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await Promise.all(following)
      await instance[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

export type House = Awaited<ReturnType<typeof startHouse>>

const LOBBY = 'lobby'
const CONFIG = `rooms: [{ id: ${LOBBY}, faces: [web, terminal, cli, api], mode: execute, listener: null }]\n`

const agentLine = (id: string, name: ProgramName, program: string, url: string): string =>
  `  - { id: ${id}, type: ${name}, runner: ${name}, peripheral: explore, program: ${program}, model: ${MODELS[name]}, provider: { url: "${url}" }, key: RIG_KEY }\n`

/** The processes of a program that were started for an instance. Its cage has the same arguments, and is not counted. */
const processesOf = async (program: string, data: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const ours = await Promise.all(
    pids.map(async (pid) => {
      // One that has just ended is none of them.
      const file = await readlink(`/proc/${pid}/exe`).catch(() => '')
      return file === program && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(data)
    }),
  )
  return pids.filter((_, i) => ours[i])
}
