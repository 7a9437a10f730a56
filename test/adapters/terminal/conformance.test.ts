import { PassThrough } from 'node:stream'
import { capabilities, createTerminal } from '../../../adapters/terminal/index.ts'
import { createScriptedHouse } from '../../chat-conformance/house.ts'
import { conformance, type Stage } from '../../chat-conformance/suite.ts'
import { screenOf } from './screen.ts'

const THREAD = `t-${'0123456789'.repeat(2)}abcdef`
const WIDTH = 100

conformance('a terminal', () => open(true))
conformance('a terminal that is none: line by line', () => open(false))

/** A person at a terminal, or a program at both ends of a pipe. */
const open = async (tty: boolean): Promise<Stage> => {
  const house = createScriptedHouse()
  const input = Object.assign(new PassThrough(), { isTTY: tty })
  const output = Object.assign(new PassThrough(), { isTTY: tty, columns: WIDTH })
  let written = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  const terminal = createTerminal({
    port: house.port,
    room: house.room,
    you: { name: 'ada', role: 'operator', face: 'terminal', via: null },
    input,
    output,
    commands: house.commands.map(({ name }) => name),
    agents: (await house.agents()).map(({ id }) => id),
    after: 0,
    colour: false,
  })
  const over = new AbortController()
  const running = terminal.run(over.signal)
  const says = async (text: string) => void input.write(`${text}${tty ? '\r' : '\n'}`)
  return {
    capabilities,
    house,
    person: { name: 'ada', says, sees: async () => (tty ? screenOf(written, WIDTH) : written.split('\n')) },
    thread: {
      room: THREAD,
      says: async (text) => {
        for (const line of [`/enter ${THREAD}`, text, '/leave']) await says(line)
      },
    },
    breaks: async () => house.leaves(),
    heals: async () => house.returns(),
    close: async () => {
      over.abort()
      await running
      await house.close()
    },
  }
}
