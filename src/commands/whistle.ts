import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import { plain } from '../lib/plain.ts'
import { Act } from '../shapes/bell.ts'
import type { ExecLine } from '../shapes/http.ts'
import { refusal } from '../shapes/refusal.ts'
import { BY_SIGNAL, listen, outcomeOf, refusedBy, untilSignal, worstOf, write } from './exec.ts'
import { print } from './print.ts'
import { instanceFor, millisecondsFrom, type Shell } from './shell.ts'

type Flags = {
  seconds: string
  room: string
  act?: string
  ref?: string
  peripheral?: string
  stream?: boolean
  json?: boolean
}
type Outcome = Extract<ExecLine, { kind: 'outcome' }>

/** What the program exits with: the answer is there; it failed or was refused; only the wait is over. */
const EXITS: Record<Outcome['outcome'], number> = { done: 0, failed: 1, refused: 1, interrupted: 1, timeout: 3 }

/** `bellhop whistle`: asks an agent and waits for its answer. When the seconds are over, only the wait is. */
export const whistleCommand = (named: Command, { withFlags, settingsFrom }: Shell): void => {
  withFlags(named)
    .description(
      'ask an agent and wait for its answer: exit 0 with it, 1 where it failed or was refused, 3 where only the wait is over',
    )
    .argument('<agent>', 'who is asked, by id or type')
    .argument('<text...>', 'what is asked; it may begin with what it is, such as query:')
    .option('--seconds <seconds>', 'how long to wait; the work goes on after that', '60')
    .option('--act <act>', `what it is, where the text does not say so: ${Act.options.join(', ')}`)
    .option('--ref <bell>', 'the bell it is about')
    .option('--peripheral <id>', 'behind which wall; otherwise the agent’s own')
    .option('--room <room>', 'in which room', 'lobby')
    .option('--stream', 'one JSON value a line: the receipt, the items as they come, the outcome')
    .option('--json', 'as one JSON value, with the job')
    .action(async (agent: string, words: string[], flags: Flags) => {
      const timeout = AbortSignal.timeout(millisecondsFrom('--seconds', flags.seconds))
      const client = await instanceFor(settingsFrom(flags))
      const { job, outcome } = await whistle(client, { agent, text: words.join(' ') }, flags, timeout)
      tell(job, outcome, flags)
      process.exitCode = outcome.exit
    })
}

type Asked = { agent: string; text: string }
type Came = { job: string | null; outcome: Outcome }

const whistle = async (client: Client, asked: Asked, flags: Flags, timeout: AbortSignal): Promise<Came> => {
  const act = Act.safeParse(flags.act)
  if (flags.act !== undefined && !act.success)
    return came(null, refusedBy(refusal('command-invalid', `there is no act ${flags.act}`)))
  const { ref, peripheral } = flags
  // The wait is here, where it can be followed: the instance answers at once.
  const input = {
    ...asked,
    seconds: 0,
    ...(act.data === undefined ? {} : { act: act.data }),
    ...(ref === undefined ? {} : { ref }),
    ...(peripheral === undefined ? {} : { peripheral }),
  }
  const done = await client.command('whistle', input, { room: flags.room })
  if (!done.ok) return came(null, refusedBy(done.refusal))
  const { receipt } = done.value
  if (flags.stream) write({ kind: 'receipt', receipt })
  const shows = { json: flags.stream ?? false, approve: 'wait' as const }
  const stopped = untilSignal()
  const heard = await listen(client, receipt, shows, { timeout, stopped })
  const outcome = heard.whole ? outcomeOf(worstOf(heard.answers), heard.text) : outcomeOf('timeout', heard.text)
  const ended = came(receipt.assignments[0]?.turn ?? null, outcome)
  return heard.whole || !stopped.aborted ? ended : { ...ended, outcome: { ...ended.outcome, exit: BY_SIGNAL } }
}

const came = (job: string | null, outcome: Outcome): Came => ({
  job,
  outcome: { ...outcome, exit: EXITS[outcome.outcome] },
})

const tell = (job: string | null, outcome: Outcome, { stream, json }: Flags): void => {
  const { kind: _, ...rest } = outcome
  if (stream) write(outcome)
  else if (json) print(JSON.stringify({ job, ...rest }))
  else if (outcome.outcome === 'refused') process.stderr.write(`bellhop: ${plain(outcome.answer)}\n`)
  else if (outcome.answer !== '') print(plain(outcome.answer))
  if (outcome.outcome === 'timeout' && job !== null)
    process.stderr.write(`bellhop: the wait is over, and the work goes on: ${job}\n`)
}
