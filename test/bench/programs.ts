import { findClis } from '../support/clis.ts'
import { startBare } from './programs-bare.ts'
import { type House, startHouse } from './programs-house.ts'
import { idleAgent } from './programs-idle.ts'
import { bareSide, houseSide, many, tellProcesses, tellThreads } from './programs-many.ts'
import { type Model, type ProgramName, startModel } from './programs-model.ts'
import { warmTurn } from './programs-warm.ts'

const LONG = process.argv.includes('--long')
const TURNS = LONG ? 30 : 20
const IDLE_TURNS = LONG ? 9 : 5
const THREADS = 20
const AGENTS = 8

const NAMES = ['codex', 'claude'] as const

/**
 * What Bellhop adds to agents that are programs: the same program, the same flags and the same model, bare and by Bellhop, in
 * the same run. Nobody thinks: the model is a script.
 */
export const programsBench = async (): Promise<void> => {
  const programs = await findClis().catch((error: Error) => error.message)
  if (typeof programs === 'string') return console.log(`Agents that are programs: not measured, ${programs}\n`)
  await using claude = await startModel('claude')
  await using codex = await startModel('codex')
  const models = { claude, codex }
  await inOneHouse(programs, models)
  console.log(await idleAgent(IDLE_TURNS, programs.claude, claude))
}

type Programs = Record<ProgramName, string>
type Models = Record<ProgramName, Model>

const inOneHouse = async (programs: Programs, models: Models): Promise<void> => {
  const counts = { claude: AGENTS, codex: 1 }
  const agents = NAMES.map((name) => ({ name, program: programs[name], model: models[name], count: counts[name] }))
  await using house = await startHouse({ agents })
  for (const name of NAMES) console.log(await compare(name, programs[name], models[name], house))
}

/** One conversation of each side, then many: first bare, and when that is gone by Bellhop. */
const compare = async (name: ProgramName, program: string, model: Model, house: House): Promise<string> => {
  const count = name === 'codex' ? THREADS : AGENTS
  const first = await house.inLobby(`${name}-1`)
  const alone = async () => {
    await using bare = await startBare(name, program, model)
    const speak = await bare.begin()
    const warm = await warmTurn(name, TURNS, model, { bare: speak, house: first })
    return { warm, figures: await many(count, bareSide(bare, speak)) }
  }
  const { warm, figures } = await alone()
  const both = { bare: figures, house: await many(count, houseSide(house, first, name, program)) }
  return `${warm}\n${name === 'codex' ? tellThreads(count, both) : tellProcesses(count, both)}`
}
