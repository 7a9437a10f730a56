import { count } from '../../src/lib/count.ts'
import type { HistorySeen } from './load-history.ts'
import type { MixSeen } from './load-mix.ts'
import type { Spread } from './load-numbers.ts'
import type { AcceptSeen, IdleSeen, RecoverySeen, ScaleSeen } from './load-parts.ts'
import { plotted, shown } from './load-plot.ts'
import type { StepsSeen } from './load-steps.ts'

/** All that a run came to. */
export type LoadSeen = {
  machine: { cores: number; processor: string; memoryGb: number; node: string; redis: string; sqlite: string }
  day: string
  quick: boolean
  steps: StepsSeen
  accept: AcceptSeen
  mix: MixSeen
  scale: ScaleSeen[]
  recovery: RecoverySeen
  idle: IdleSeen
  history: HistorySeen[]
}

export type Document = { text: string; images: Record<string, string> }

const IMAGE = 'performance'

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** The document of a run, and its pictures by their names. */
export const documentOf = (seen: LoadSeen): Document => {
  const { machine, day, quick, steps, accept, mix, scale, recovery, idle, history } = seen
  const idleOwn = sum(idle.processes.map(({ own }) => own))
  const text = [
    '# Performance',
    '',
    'Made by `npm run bench -- load --out docs/performance.md`, and not by hand. Read the ratios: absolute figures say more of the machine',
    'than of the code, and the programs that put the load on share its cores. Where the machine is one of several on a host, the host may',
    'keep a part of the cores’ time to itself: that is said, as it shows in the figures beside it, and most in the worst ones.',
    '',
    `Seen on ${day}: ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, Node ${machine.node}, Redis ${machine.redis}, SQLite ${machine.sqlite}.`,
    ...(quick ? ['', '**A quick run**: seconds where a whole one takes minutes.'] : []),
    '',
    '## Targets',
    '',
    ...table(
      ['', 'target', 'seen', ''],
      [
        ['durable steps a second, one worker', '2,000', shown(steps.perSecond), met(steps.perSecond >= 2000)],
        [
          'the same, of bare batched inserts of the same rows',
          '0.5',
          (steps.perSecond / steps.bare).toFixed(2),
          met(steps.perSecond / steps.bare >= 0.5),
        ],
        [
          `message accepted, p99, at ${accept.asked} a second`,
          '50 ms',
          `${shown(accept.accept.p99)} ms at ${shown(accept.perSecond)} a second`,
          met(accept.accept.p99 < 50 && accept.perSecond > accept.asked * 0.98),
        ],
        [
          'a session goes on after its worker was killed',
          '5 s',
          `${shown(recovery.seconds.max)} s`,
          met(recovery.seconds.max < 5),
        ],
        ['memory of an idle `up` beside Redis', '250 MB', `${shown(idleOwn)} MB`, met(idleOwn < 250)],
        ['errors in the mix', '0', `${mix.errors.length}`, met(mix.errors.length === 0)],
      ],
    ),
    '',
    '## Durable steps',
    '',
    `${shown(steps.steps)} reads of 30 agents at once in one process: the gate, an intent that is on the disk before the file is read, and an`,
    'outcome after it, each chained.',
    '',
    ...table(
      ['', 'a second', 'ratio'],
      [
        ['steps', shown(steps.perSecond), '1'],
        [
          'bare inserts of the same rows, in batches of 256, two for each step',
          shown(steps.bare),
          (steps.perSecond / steps.bare).toFixed(2),
        ],
        ['bare jobs of BullMQ, one for each step', shown(steps.queue), (steps.perSecond / steps.queue).toFixed(2)],
      ],
    ),
    '',
    `A step takes ${steps.cpuMs.toFixed(2)} ms of CPU time, and ${steps.redis.toFixed(1)} commands of Redis. The host took ${percent(steps.stolen)} of the cores’ time meanwhile.`,
    '',
    '## Messages at a pace',
    '',
    `${accept.asked} lines a second for ${shown(accept.accept.count / accept.perSecond)} s, whether or not those before were taken; ${count(accept.errors, 'error')}.`,
    '',
    ...table(
      ['ms', 'count', 'p50', 'p90', 'p99', 'max'],
      [
        spread('a message, until it has its receipt', accept.accept),
        spread('the disk by itself, to flush a page of a file', accept.flush),
      ],
    ),
    '',
    `A message takes ${accept.cpuMs.toFixed(2)} ms of CPU time. The host took ${percent(accept.stolen)} of the cores’ time meanwhile.`,
    '',
    '## A sustained mix',
    '',
    `50 rooms, 200 people and 30 agents for ${shown(mix.seconds)} s: talk, work that reads and changes files, approvals, looks at how things stand,`,
    `and 40 who follow rooms. ${shown(mix.work.messages)} messages, ${shown(mix.work.turns)} turns, ${shown(mix.work.steps)} steps, ${shown(mix.work.entries)} entries; followers heard ${shown(mix.heard)} posts; ${mix.errors.length} errors.`,
    '',
    ...table(
      ['ms', 'count', 'p50', 'p90', 'p99', 'max'],
      [
        spread('a message, until it has its receipt', mix.accept),
        spread('a look: now, sessions, evidence', mix.looks),
        spread('a turn in the queue, until it begins', mix.work.queue),
        spread('a turn, from its acceptance to its end', mix.work.turn),
        spread('a step, from intent to outcome', mix.work.step),
        spread('the disk by itself, to flush a page of a file', mix.flush),
      ],
    ),
    '',
    `CPU time of gateway and worker: ${shown(mix.cpuMs.message)} ms for each message with all that follows from it, ${mix.cpuMs.share.toFixed(2)} of a core.`,
    `Of the time of all cores ${percent(mix.cores.idle)} was free, and ${percent(mix.cores.stolen)} was taken by the machine’s host, at the worst ${percent(mix.cores.worst)} for a quarter of a second.`,
    `Of ${count(mix.slow.count, 'message')} that took longer than 100 ms, ${mix.slow.crowded} were under way while no core was free, ${mix.slow.flushed} while the disk took longer than`,
    `50 ms for such a flush, and ${mix.slow.neither} at other times.`,
    `Over the second half memory grew by ${shown(mix.grows.memory)} MB an hour, and handles by ${shown(mix.grows.handles)} an hour (least squares).`,
    `The least that was held in each quarter, when garbage had just been collected: ${mix.least.map((megabytes) => `${shown(megabytes)} MB`).join(', ')}.`,
    '',
    `![Two lines over the minutes of the mix: memory, and open handles](images/${IMAGE}-mix.svg)`,
    '',
    '## Workers',
    '',
    'Every one of 30 agents always has work: reads of five files at a time. Counted once there were 300 turns for each worker.',
    '',
    ...table(
      ['workers', 'turns a second', 'steps a second', 'CPU ms a step', 'failed'],
      scale.map((one) => [`${one.workers}`, shown(one.turns), shown(one.steps), shown(one.cpuMs), `${one.failed}`]),
    ),
    '',
    `![Steps a second, by the number of workers: one, two and four](images/${IMAGE}-workers.svg)`,
    '',
    '## History',
    '',
    'What the store takes for each (ms, p50) with so many closed sessions in it. What is flat stays as it is, however old an instance becomes.',
    '',
    ...table(
      ['', ...history.map(({ sessions }) => shown(sessions)), 'grows'],
      Object.keys(history[0]?.costs ?? {}).map((name) => {
        const costs = history.map(({ costs: all }) => all[name] ?? 0)
        return [name, ...costs.map(shown), `${((costs.at(-1) ?? 0) / (costs[0] || 1)).toFixed(1)}x`]
      }),
    ),
    '',
    `![What each operation takes in ms, by the number of sessions in the store](images/${IMAGE}-history.svg)`,
    '',
    '## Nobody there',
    '',
    ...table(
      ['', 'MB of its own', 'MB with its share', 'handles', 'of a core'],
      [
        ...idle.processes.map(({ name, own, shared, handles, cpuShare }) => [
          name,
          shown(own),
          shown(shared),
          `${handles}`,
          cpuShare.toFixed(3),
        ]),
        [
          'together',
          shown(idleOwn),
          shown(sum(idle.processes.map(({ shared }) => shared))),
          `${sum(idle.processes.map(({ handles }) => handles))}`,
          sum(idle.processes.map(({ cpuShare }) => cpuShare)).toFixed(3),
        ],
      ],
    ),
    '',
    `Redis carries out ${shown(idle.commands)} commands a second meanwhile: queues that look for workers that died, heartbeats of agents, the sweep.`,
    '',
    'A worker was killed in the midst of a turn, and another went on with it after '.concat(
      `${shown(recovery.seconds.p50)} s (p50) and ${shown(recovery.seconds.max)} s at most, of ${recovery.seconds.count} times.`,
    ),
    '',
    'What breaks first when there is much more of everything: [scale.md](scale.md).',
    '',
  ].join('\n')
  return { text, images: imagesOf(seen) }
}

const imagesOf = ({ mix, scale, history }: LoadSeen): Record<string, string> => ({
  [`${IMAGE}-mix.svg`]: plotted({
    title: 'Memory and handles of gateway and worker in the mix',
    x: 'seconds',
    y: 'MB, handles',
    series: [
      { name: 'memory, MB', points: mix.samples.map(({ second, memory }) => [second, memory]) },
      { name: 'handles', points: mix.samples.map(({ second, handles }) => [second, handles]) },
    ],
  }),
  [`${IMAGE}-workers.svg`]: plotted({
    title: 'Steps a second',
    x: 'workers',
    y: 'steps a second',
    series: [{ name: 'steps a second', points: scale.map(({ workers, steps }) => [workers, steps]) }],
  }),
  [`${IMAGE}-history.svg`]: plotted({
    title: 'Cost by closed sessions of history',
    x: 'closed sessions',
    y: 'ms (p50)',
    log: true,
    series: PLOTTED.map((name) => ({
      name,
      points: history.map(({ sessions, costs }) => [sessions, costs[name] ?? 0]),
    })),
  }),
})

const PLOTTED = [
  'accept a message',
  'a step: intent and outcome',
  'sweep: sessions with work left',
  'sessions: the last 50',
]

const met = (is: boolean): string => (is ? 'met' : '**missed**')

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

const spread = (name: string, { count, p50, p90, p99, max }: Spread): string[] => [
  name,
  `${count}`,
  ...[p50, p90, p99, max].map(shown),
]

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map((_, i) => (i === 0 ? '---' : '--:')).join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
]
