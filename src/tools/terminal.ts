import { z } from 'zod'
import { count } from '../lib/count.ts'
import type { Ran } from '../sandbox/job.ts'
import { ok } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { shown, spoken } from './shown.ts'
import { type Bench, defineTool, failed } from './tool.ts'

export const TerminalName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a name such as "server"')

const args = z
  .strictObject({
    do: z.enum(['read', 'write', 'stop', 'list']),
    name: TerminalName.optional(),
    text: z.string().min(1).max(32_768).optional(),
    /** How many seconds to wait for something to be said. */
    wait: z.number().min(0).max(30).optional(),
  })
  .refine((given) => given.do === 'list' || given.name !== undefined, 'expected the name of a terminal')
  .refine((given) => (given.do === 'write') === (given.text !== undefined), 'expected a text to write, and only then')
  .refine((given) => given.do === 'read' || given.wait === undefined, 'expected to wait only for reading')
type Args = z.infer<typeof args>

export const terminal = defineTool({
  args,
  help: 'terminal {do: read|write|stop|list, name?, text?, wait?}: what a program that `run` started in a terminal said since the last time; lines for it, with their line breaks; its end',
  reach: () => ok({}),
  run: async (args, bench) => (await verbs[args.do](args, bench)) ?? noTerminal(args, bench),
})

/** What one can do with a terminal; null where there is none of that name. */
const verbs: Record<Args['do'], (args: Args, bench: Bench) => Promise<StepOutcome | null>> = {
  read: async ({ name = '', wait = 0 }, bench) => {
    const said = await bench.terminals.read(name, wait * 1000)
    return said && heard(said, bench)
  },
  write: async ({ name = '', text = '' }, { terminals }) =>
    (await terminals.write(name, text)) ? fine(`wrote ${count(Buffer.byteLength(text), 'byte')} to ${name}`) : null,
  stop: async ({ name = '' }, { terminals }) => ((await terminals.stop(name)) ? fine(`stopped ${name}`) : null),
  list: async (_args, { terminals }) => fine(terminals.names().join('\n') || '[there are no terminals]'),
}

/** How much of what it said is shown from the beginning, where it is too much. */
const HEAD_SHARE = 0.25

type Said = { output: string; ended: Ran['ended'] | null; exit: number | null }

const heard = async (said: Said, bench: Bench): Promise<StepOutcome> => {
  const { output, ...rest } = await shown(spoken(said.output), bench, HEAD_SHARE)
  const state = stateOf(said, output)
  return { kind: 'ok', paths: [], ...rest, output: [output, state].filter((line) => line !== '').join('\n') }
}

const stateOf = ({ ended, exit }: Said, output: string): string => {
  if (ended === null) return output === '' ? '[it said nothing new]' : ''
  return ended === 'exit' ? `[it ended with ${exit}]` : `[it was ended: ${ended}]`
}

const fine = (output: string): StepOutcome => ({ kind: 'ok', output, paths: [], cut: null })

const noTerminal = ({ name = '' }: Args, { terminals }: Bench): StepOutcome => {
  const names = terminals.names()
  if (names.includes(name)) return failed(`${name} has ended; read what it said last`)
  return failed(
    `there is no terminal ${name}; ${names.length > 0 ? `there are ${names.join(', ')}` : 'there are none'}`,
  )
}
