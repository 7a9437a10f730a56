import { execFileSync } from 'node:child_process'
import { type Client, createClient } from '../../src/client/client.ts'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import { startOpenai } from '../../src/rig/openai.ts'
import type { Move, Script, StubModel } from '../../src/rig/script.ts'
import type { Entry, EventName } from '../../src/shapes/evidence.ts'
import { findClis } from './clis.ts'
import { startTestHouse, type TestHouse } from './gateway.ts'
import { eventually } from './poll.ts'
import { must } from './store.ts'

type Options = {
  /** Further lines for each agent, and for the config. */
  claude?: string
  codex?: string
  config?: string
  /** Whether the workspace is a repository with a commit. */
  repository?: boolean
}

/** How a turn ended, and all that is in the evidence of it. */
export type Came = { turn: string; outcome: string; answer: string; entries: Entry[] }

export type ProgramHouse = Awaited<ReturnType<typeof startProgramHouse>>

const SILENT: Script = () => ({ do: 'say', text: 'nothing was written for this' })

/** A house whose agents are the real programs; only the models behind them are scripts. */
export const startProgramHouse = async ({ claude = '', codex = '', config = '', repository = false }: Options = {}) => {
  const programs = await findClis()
  const models = { claude: await startAnthropic(SILENT), codex: await startOpenai(SILENT) }
  const agent = (name: 'claude' | 'codex', peripheral: string, more: string) => `
  - id: ${name}-1
    type: ${name}
    runner: ${name}
    program: ${programs[name]}
    peripheral: ${peripheral}
    model: ${name === 'claude' ? 'claude-rig' : 'gpt-5.5'}
    provider: { url: "${models[name].url}" }
    key: RIG_KEY
    ${more}`
  const house = await startTestHouse({
    inWorkspace: repository ? commitAll : () => {},
    variables: { RIG_KEY: 'sk-rig' },
    config: `
runners: { retryMs: 10 }
agents:${agent('claude', 'explore', claude)}${agent('codex', 'edit', codex)}
  - { id: tickle-1, type: tickle, runner: rehearsal, peripheral: explore, peripherals: [explore, test, reflect, chat] }
${config}`,
  })
  const client = createClient({ url: house.url, token: house.tokens.admin })
  return {
    house,
    client,
    models,
    ...speakingIn(house, client),
    /** A new session for one of them in the lobby, with a model that has been asked nothing and is done at once. */
    anew: async (name: keyof typeof models): Promise<void> => {
      models[name].play(() => done)
      await client.command('reset', { agent: `${name}-1` }, { room: 'lobby' })
      models[name].asked.length = 0
    },
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]()
      await Promise.all(Object.values(models).map((model: StubModel) => model.close()))
    },
  }
}

const commitAll = (workspace: string): void => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('add', '--all')
  git('-c', 'user.name=ada', '-c', 'user.email=ada@example.org', 'commit', '--message=teapot')
}

const speakingIn = ({ store }: TestHouse, client: Client) => {
  const say = async (text: string, room = 'lobby'): Promise<string> => {
    const receipt = must(await client.say({ room, text }))
    return receipt.assignments[0]?.turn ?? ''
  }
  const ended = async (turn: string): Promise<Came> => {
    const entry = await eventually(`the end of ${turn}`, () => store.get(`${turn}.ended`), 40_000)
    if (entry.body.event !== 'turn-ended') throw new Error('no end')
    const { outcome, answer } = entry.body
    const entries = (await store.chain(entry.session)).filter(({ id }) => id === turn || id.startsWith(`${turn}.`))
    return { turn, outcome, answer, entries }
  }
  return {
    /** Says something, and does not wait for what comes of it. */
    say,
    ended,
    /** Says something, and waits until the turn is over. */
    ask: async (text: string, room?: string): Promise<Came> => ended(await say(text, room)),
    /** Resolves when a turn has an entry of that event. */
    until: (turn: string, event: EventName): Promise<Entry> =>
      eventually(`${event} of ${turn}`, async () => {
        const session = (await store.turn(turn))?.session
        const chain = session ? await store.chain(session) : []
        return chain.findLast(({ id, body }) => id.startsWith(turn) && body?.event === event)
      }),
  }
}

export const done: Move = { do: 'say', text: 'done' }
export const call = (tool: string, args: Record<string, unknown>): Move => ({ do: 'call', calls: [{ tool, args }] })

/** The events of a turn, in order. */
export const eventsOf = ({ entries }: Came): string[] => entries.map(({ body }) => body.event)

/** What was noted of a turn. */
export const notesOf = ({ entries }: Came): string[] =>
  entries.flatMap(({ body }) => (body.event === 'turn-noted' ? [`${body.about}: ${body.text}`] : []))
