/** What a metric is: how it counts, what it says, and what it is told apart by. No label is ever free text. */
type Row = {
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  /** The upper bounds of a histogram, in seconds. */
  buckets?: readonly number[]
  /** Whether it is said of the whole instance, by whichever gateway is asked, and not of one process. */
  house?: true
}

/** From what a step that reads a file takes, to what a program may take. */
const WORK = [0.005, 0.025, 0.1, 0.5, 2, 10, 60, 300]
const TURNS = [0.1, 0.5, 2, 10, 30, 120, 600, 3600]
const STALLS = [0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10]
const QUICK = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2]

/** Every metric of Bellhop, once: the docs, the dashboard and the alert rules are held against it. */
const table = {
  bellhop_build_info: {
    kind: 'gauge',
    help: 'Always 1: which version the process is, and what it runs on',
    labels: ['part', 'version', 'node'],
  },
  bellhop_ready: { kind: 'gauge', help: '1 while the process can take work, as /readyz says', labels: [] },
  bellhop_redis_up: { kind: 'gauge', help: '1 while Redis answers the process', labels: [] },
  bellhop_stall_seconds: {
    kind: 'histogram',
    help: 'The longest that the process stood still in each 2 seconds, beside the 0.1 s by which that is measured',
    labels: [],
    buckets: STALLS,
  },

  // the door
  bellhop_messages_total: {
    kind: 'counter',
    help: 'Messages that the pipeline answered: with a receipt of what kind, or with a refusal',
    labels: ['outcome'],
  },
  bellhop_message_seconds: {
    kind: 'histogram',
    help: 'How long a message took from the door to its receipt or refusal',
    labels: ['outcome'],
    buckets: QUICK,
  },
  bellhop_refusals_total: {
    kind: 'counter',
    help: 'Messages and calls that were refused at a door or in the pipeline, by stage and code',
    labels: ['stage', 'code'],
  },
  bellhop_http_seconds: {
    kind: 'histogram',
    help: 'How long HTTP requests took, by door and by the hundreds of their status; streams are not counted',
    labels: ['door', 'status'],
    buckets: QUICK,
  },

  // the queue
  bellhop_queue_depth: {
    kind: 'gauge',
    help: 'Wakes of sessions that wait or are being worked on, by lane',
    labels: ['lane'],
    house: true,
  },
  bellhop_queue_oldest_seconds: {
    kind: 'gauge',
    help: 'How long the oldest wake waits that nobody has taken up, by lane; 0 where none does',
    labels: ['lane'],
    house: true,
  },
  bellhop_turns_open: {
    kind: 'gauge',
    help: 'Turns that have not ended, by the state of the evidence',
    labels: ['status'],
    house: true,
  },
  bellhop_places: {
    kind: 'gauge',
    help: 'How many sessions a worker can drain side by side, by lane',
    labels: ['lane'],
  },
  bellhop_places_used: { kind: 'gauge', help: 'How many of them are being drained, by lane', labels: ['lane'] },
  bellhop_wakes_stalled_total: {
    kind: 'counter',
    help: 'Wakes taken over from a worker that had died or stood still, by lane',
    labels: ['lane'],
  },
  bellhop_drains_failed_total: { kind: 'counter', help: 'Drains of a session that threw, by lane', labels: ['lane'] },
  bellhop_sweep_sessions: {
    kind: 'gauge',
    help: 'Sessions with work left that the last sweep woke',
    labels: [],
  },

  // turns and steps
  bellhop_turn_wait_seconds: {
    kind: 'histogram',
    help: 'How long a turn waited from being accepted to its begin, by peripheral',
    labels: ['peripheral'],
    buckets: TURNS,
  },
  bellhop_turn_seconds: {
    kind: 'histogram',
    help: 'How long a turn took from its begin to its end, by peripheral and outcome',
    labels: ['peripheral', 'outcome'],
    buckets: TURNS,
  },
  bellhop_step_seconds: {
    kind: 'histogram',
    help: 'How long a step took from its intent to its outcome, both written, by tool, peripheral and outcome',
    labels: ['tool', 'peripheral', 'outcome'],
    buckets: WORK,
  },
  bellhop_gate_decisions_total: {
    kind: 'counter',
    help: 'What the gate decided of calls: passed, asked a person, or refused with a code; by peripheral',
    labels: ['peripheral', 'decision', 'code'],
  },
  bellhop_approvals_waiting: {
    kind: 'gauge',
    help: 'Calls that wait for a person',
    labels: [],
    house: true,
  },
  bellhop_tokens_total: {
    kind: 'counter',
    help: 'Tokens that models took: input, cached, written and output',
    labels: ['agent', 'model', 'kind'],
  },
  bellhop_cost_usd_total: {
    kind: 'counter',
    help: 'What models cost in US dollars, where the config has their price',
    labels: ['agent', 'model'],
  },

  // the evidence
  bellhop_evidence_entries_total: { kind: 'counter', help: 'Entries that this process wrote', labels: [] },
  bellhop_evidence_append_seconds: {
    kind: 'histogram',
    help: 'How long a commit took; its count is the number of batches',
    labels: [],
    buckets: QUICK,
  },
  bellhop_evidence_refusals_total: {
    kind: 'counter',
    help: 'Appends that were refused, by code: fenced is a late write of a worker that was taken over from',
    labels: ['code'],
  },
  bellhop_store_bytes: { kind: 'gauge', help: 'What the evidence takes on its disk', labels: [], house: true },
  bellhop_store_entries: { kind: 'gauge', help: 'Entries there are', labels: [], house: true },

  // agents and networks
  bellhop_agent_state: {
    kind: 'gauge',
    help: '1 for the state that an agent of the config is in; one that comes in by a door is said while it is ready',
    labels: ['agent', 'state'],
    house: true,
  },
  bellhop_leases_lost_total: { kind: 'counter', help: 'Leases of agents that ran out', labels: ['agent'] },
  bellhop_network_up: {
    kind: 'gauge',
    help: '1 while this process is connected to a network',
    labels: ['network'],
  },
  bellhop_network_changes_total: {
    kind: 'counter',
    help: 'How often it came to a state with a network: connected, lost, refused',
    labels: ['network', 'state'],
  },
  bellhop_deliveries_total: {
    kind: 'counter',
    help: 'Tries to say something on a network: sent, later, unsure, never or gone',
    labels: ['network', 'outcome'],
  },
  bellhop_delivery_lag_seconds: {
    kind: 'histogram',
    help: 'How long after it was written a post was said, or given up',
    labels: ['network'],
    buckets: [0.1, 0.5, 1, 2, 5, 15, 60, 600],
  },
} as const satisfies Record<string, Row>

type Table = typeof table
export type MetricName = keyof Table
export type Labels<N extends MetricName> = Record<Table[N]['labels'][number], string>
export type OfKind<K extends Row['kind']> = { [N in MetricName]: Table[N]['kind'] extends K ? N : never }[MetricName]

export const rows: Readonly<Record<MetricName, Row>> = table
