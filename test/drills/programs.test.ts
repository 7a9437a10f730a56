import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import { startOpenai } from '../../src/rig/openai.ts'
import type { Script, StubModel } from '../../src/rig/script.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { findClis } from '../support/clis.ts'
import { pidsOf } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

/** Calls for the step that it was asked for last, once; and says, bit by bit, that it is done when it is asked for more. */
const scripted = (): Script => {
  const called = new Set<string>()
  return ({ texts }) => {
    const step = texts.flatMap((text) => [...text.matchAll(/tally\.py (\S+) (\S+)/g)]).at(-1)
    const [, name = '', seconds = '0'] = step ?? []
    if (name === '' || called.has(name))
      return { do: 'say', text: `${name} is done, as it was asked`, pieces: 5, everyMs: 60 }
    called.add(name)
    return { do: 'call', calls: [{ tool: 'run', args: { argv: ['python3', 'tally.py', name, seconds] } }] }
  }
}

let models: { claude: StubModel; codex: StubModel }
let clis: { claude: string; codex: string }
beforeAll(async () => {
  clis = await findClis()
  models = { claude: await startAnthropic(scripted()), codex: await startOpenai(scripted()) }
}, INSTALL_MS)
afterAll(() => Promise.all(Object.values(models).map((model) => model.close())))

const agentOf = (name: 'claude' | 'codex') => ({
  id: `${name}-1`,
  type: name,
  runner: name,
  program: clis[name],
  peripheral: 'edit',
  model: name === 'claude' ? 'claude-rig' : 'gpt-5.5',
  provider: { url: models[name].url },
  key: 'RIG_KEY',
})

test(
  'programs of agents that are killed in the middle of an answer or of a call are started again, and no step is run twice',
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({
      chance,
      agents: [agentOf('claude'), agentOf('codex')],
      config: { runners: { retryMs: 10 } },
      env: (part) => (part === 'worker' ? { RIG_KEY: 'sk-rig', HOME: '/nonexistent' } : {}),
    })
    /** Turns that have lost their program once: one that loses it again and again is given up, and says so. */
    const hurt = new Set<string>()
    const program: Fault = async () => {
      const [agent, pids] = await eventually('a program to be at work', async () => {
        const { turns } = must(await house.client.ask('status'))
        const running = turns.filter(({ state }) => state === 'running')
        const one = running.find(({ turn }) => !hurt.has(turn))
        const found = one && (await pidsOf(house.data, clis[one.agent === 'claude-1' ? 'claude' : 'codex']))
        if (!found?.length) return null
        for (const { turn } of running) hurt.add(turn)
        return [one?.agent, found] as const
      })
      try {
        process.kill(chance.pick(pids), 'SIGKILL')
      } catch (error) {
        // It has ended by itself in between.
        expect([agent, (error as NodeJS.ErrnoException).code]).toEqual([agent, 'ESRCH'])
      }
    }
    const faults = Array.from({ length: times(2, 100) }, () => program)
    const talk = { senders: 2, lines: 3, steps: 1, stepMs: 300, byWord: true }
    const { reckoning } = await drillHouse(house, { drill: 'kill -9, programs of agents', chance, faults, ...talk })
    expect(reckoning).toEqual(nothingWrong(reckoning))
  },
  LONG ? 3_600_000 : 240_000,
)
