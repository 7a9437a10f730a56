// Made by `bellhop schema --ts`; not to be changed by hand.

export type AcceptAnswer = {
  receipt: Receipt
  output?: {
    tool: string
    hash: string
    before: boolean
  } | undefined
}

export type AcceptInput = {
  tool: string
  hash?: string | undefined
}

export type AcceptedBody = {
  event: "accepted"
  agent: string
  room: string
  peripheral: string
  request: string
  role?: Role | undefined
  by?: string | undefined
  within?: Array<string> | undefined
  hops?: number | undefined
  bell?: {
    bell: string
    from: string
    way: "bell" | "whistle"
    act: "query" | "answer" | "assert" | "challenge" | "agree" | "define" | "retract" | "suggest" | "request"
    ref: string | null
  } | undefined
}

export type AckAnswer = {
  receipt: Receipt
  output?: {
    page: string
    agent: string
  } | undefined
}

export type AckInput = {
  /** its five letters */
  page: string
}

export type ActAnswer = {
  step: string
  report: StepReport
}

export type ActInput = {
  tool: string
  args: Record<string, unknown>
  /** the name of the step: the same again is answered again, and not done again */
  step?: string | undefined
}

export type ActivityAnswer = {
  mission: string | null
  days: Array<{
    day: string
    turns: number
    failed: number
    steps: number
    tokens: number
    usd: number
    unpriced: number
  }>
}

export type ActivityInput = {
  /** of this mission alone, such as M-retry; of its last 500 turns */
  mission?: string | undefined
  /** for so many days (UTC), up to 90 */
  days?: number | undefined
}

export type AgentSaidBody = {
  event: "agent-said"
  turn: string
  text: string
}

export type Aimed = {
  /** which room */
  room?: string | undefined
  /** the same id twice is the same line: it is answered again, not done again */
  id?: string | undefined
  /** the name to speak as, for the admin */
  as?: string | null | undefined
}

export type Alive = {
  alive: true
  version: string
}

export type AmendAnswer = {
  receipt: Receipt
  output?: {
    turn: string
    agent: string
  } | undefined
}

export type AmendInput = {
  turn: string
  text: string
}

export type AnsweredBody = {
  event: "answered"
  operation: string
  answer: string
}

export type ApproachFailedBody = {
  event: "approach-failed"
  undertaking: string
  turn: string
  step: string
  failed: {
    n: number
    item: string
    approach: string
    why: string
  }
}

export type ApprovalAskedBody = {
  event: "approval-asked"
  turn: string
  step: string
  approval: string
  call: ToolCall
  why: string
  opens: string
  until: string
}

export type ApprovalDecidedBody = {
  event: "approval-decided"
  step: string
  approval: string
  decision: "approved" | "denied" | "lapsed"
  role: Role | null
  note: string
}

export type ApprovalRemindedBody = {
  event: "approval-reminded"
  turn: string
  step: string
  approval: string
  agent: string
  opens: string
  until: string
}

export type ApprovalsAnswer = {
  approvals: Array<{
    approval: string
    agent: string
    room: string
    turn: string
    step: string
    why: string
    opens: string
    until: string
    approvers: Array<string>
  }>
}

export type ApprovalsInput = Record<string, never>

export type ApproveAnswer = {
  receipt: Receipt
  output?: {
    approval: string
    decision: "approved" | "denied"
    agent: string
    opens: string
  } | undefined
}

export type ApproveInput = {
  /** which, by its five letters; /approvals shows them */
  approval?: string | undefined
  note?: string | undefined
}

export type ArchiveAnswer = {
  receipt: Receipt
  output?: {
    thread: {
      id: string
      agent: string
      name: string
      room: string
      from: {
        thread: string
        turn: string | null
      } | null
      archived: boolean
      by: string
      at: string
    }
  } | undefined
}

export type ArchiveInput = {
  /** which; where none is named, the one it is said in */
  thread?: string | undefined
}

export type AskedBody = {
  event: "asked"
  text: string
}

export type AssignedBody = {
  event: "assigned"
  assignments: Array<Assignment>
}

export type Assignment = {
  turn: string
  session: string
  agent: string
  peripheral: string
}

export type Author = {
  kind: "person" | "agent" | "house"
  id: string
  face: string
  via: string | null
}

export type BellAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type BellAnsweredBody = {
  event: "bell-answered"
  bell: string
  job: string
  outcome: TurnOutcome
  told: "room" | "resumed" | "rung" | "kept"
  why: string
}

export type BellInput = {
  /** who is rung for, by id or type */
  agent: string
  /** what is said; it may begin with what it is, such as query: */
  text: string
  /** what it is, where the text does not say so; a request otherwise */
  act?: "query" | "answer" | "assert" | "challenge" | "agree" | "define" | "retract" | "suggest" | "request" | undefined
  /** the bell it is about; an answer needs one */
  ref?: string | undefined
  /** behind which wall; otherwise the agent’s own */
  peripheral?: string | undefined
}

export type BellRungBody = {
  event: "bell-rung"
  bell: string
  from: string
  to: string
  way: "bell" | "whistle"
  act: "query" | "answer" | "assert" | "challenge" | "agree" | "define" | "retract" | "suggest" | "request"
  text: string
  ref: string | null
  job: string
  crosses: string | null
}

export type BellsAnswer = {
  /** without an answer, the oldest first */
  open: Array<{
    bell: string
    job: string
    from: string
    to: string
    way: "bell" | "whistle"
    act: "query" | "answer" | "assert" | "challenge" | "agree" | "define" | "retract" | "suggest" | "request"
    text: string
    room: string
    ref: string | null
    crosses: string | null
    at: string
    answer: {
      outcome: TurnOutcome
      told: "room" | "resumed" | "rung" | "kept"
      why: string
      at: string
    } | null
  }>
  /** answered last, the newest first */
  lately: Array<{
    bell: string
    job: string
    from: string
    to: string
    way: "bell" | "whistle"
    act: "query" | "answer" | "assert" | "challenge" | "agree" | "define" | "retract" | "suggest" | "request"
    text: string
    room: string
    ref: string | null
    crosses: string | null
    at: string
    answer: {
      outcome: TurnOutcome
      told: "room" | "resumed" | "rung" | "kept"
      why: string
      at: string
    } | null
  }>
  now: string
}

export type BellsInput = {
  /** those from this agent and for it */
  agent?: string | undefined
}

export type BindAnswer = {
  receipt: Receipt
  output?: {
    /** which; /threads shows them */
    thread: string
    /** a network of the config */
    network: string
    /** by the network’s own name for it, such as "#team" */
    channel: string
  } | undefined
}

export type BindInput = {
  /** which; /threads shows them */
  thread: string
  /** a network of the config */
  network: string
  /** by the network’s own name for it, such as "#team" */
  channel: string
}

export type BreakdownAnswer = {
  count: number
  facets: Array<{
    by: "session" | "subject" | "type" | "claim" | "event" | "author" | "room" | "agent" | "mission" | "pattern" | "peripheral" | "tool" | "outcome" | "path"
    values: Array<{
      value: string
      count: number
    }>
    more: number
  }>
}

export type BreakdownInput = {
  /** of this session */
  session?: string | undefined
  /** about this, such as room/lobby */
  subject?: string | undefined
  /** one of forum-post, coordination, gate-traversal, mode-transition, presence-event, conjecture, correction, reflection */
  type?: "forum-post" | "coordination" | "gate-traversal" | "mode-transition" | "presence-event" | "conjecture" | "correction" | "reflection" | undefined
  /** one of goal, step, evidence, conclusion, observation, correction, question, conjecture */
  claim?: "goal" | "step" | "evidence" | "conclusion" | "observation" | "correction" | "question" | "conjecture" | undefined
  /** what happened, such as step-ended */
  event?: "message" | "answered" | "heard" | "dropped" | "assigned" | "refused" | "mode-changed" | "profile-set" | "room-set" | "watch-set" | "thread-bound" | "merged" | "file-brought" | "mission-focused" | "todo-added" | "todo-done" | "portfolio-reviewed" | "undertaking-opened" | "undertaking-taken" | "statement-set" | "item-set" | "item-classified" | "cycle-begun" | "cycle-moved" | "approach-failed" | "cycle-ended" | "proof-mode-moved" | "licence-given" | "licence-ended" | "undertaking-saved" | "pattern-selected" | "pattern-outcome" | "pattern-pivoted" | "pattern-punctuated" | "pattern-added" | "pattern-retired" | "pattern-declined" | "thread-started" | "thread-archived" | "bulletin" | "debriefed" | "asked" | "supposed" | "concluded" | "corrected" | "session-opened" | "session-closed" | "accepted" | "bell-rung" | "bell-answered" | "parked" | "queue-paused" | "turn-amended" | "turn-started" | "peripheral-started" | "snapshot-taken" | "approval-asked" | "approval-decided" | "stop-asked" | "steered" | "step-refused" | "step-intended" | "step-ended" | "peripheral-stopped" | "turn-ended" | "instructed" | "turn-briefed" | "conversation-opened" | "agent-said" | "turn-noted" | "usage-noted" | "reviewed" | "verified" | "restoring" | "restored" | "digested" | "compacted" | "wall-declared" | "token-minted" | "token-revoked" | "pair-offered" | "paired" | "signed-in" | "unpaired" | "delivery-noted" | "network-noted" | "tool-seen" | "tool-pinned" | "presence" | "tickle-cycled" | "paged" | "page-acknowledged" | "page-escalated" | "approval-reminded" | "work-added" | "work-given" | "work-judged" | "work-returned" | "work-ended" | "world-begun" | "world-moved" | "world-won" | undefined
  /** by this person or agent */
  author?: string | undefined
  /** with all of these tags, commas between */
  tag?: Array<string> | undefined
  /** with at least one of these tags */
  any?: Array<string> | undefined
  /** in this room */
  room?: string | undefined
  /** in a session of this agent */
  agent?: string | undefined
  /** for this mission */
  mission?: string | undefined
  /** about this pattern */
  pattern?: string | undefined
  /** behind this wall */
  peripheral?: string | undefined
  /** a step with this tool */
  tool?: string | undefined
  /** that ended so: ok, failed, interrupted, refused, done, cancelled */
  outcome?: "ok" | "failed" | "interrupted" | "refused" | "done" | "cancelled" | undefined
  /** a step that touched this file, or one in this folder */
  path?: string | undefined
  /** all these words occur; retr* is the beginning of one */
  text?: string | undefined
  /** held for possible */
  conjecture?: boolean | string | undefined
  /** what is let go after a while: without, with or only */
  ephemeral?: "without" | "with" | "only" | undefined
  /** not before this time, day or age (2h, 7d) */
  since?: string | undefined
  /** before this time, day or age */
  before?: string | undefined
}

export type BulletinAnswer = {
  situation: {
    room: string
    at: string
    agents: Array<{
      id: string
      readiness: "registered" | "ready" | "lapsed" | "absent" | "broken"
      doing: string | null
      waiting: number
      gone: boolean
    }>
    work: {
      running: number
      queued: number
      waiting: number
      stuck: number
    }
    approvals: Array<{
      approval: string
      agent: string
      opens: string
      asked: string
      until: string
      late: boolean
    }>
    budgets: Array<{
      agent: string
      of: "room" | "day"
      unit: "tokens" | "usd"
      state: "near" | "spent"
      says: string
    }>
    missions: {
      open: Array<{
        id: string
        title: string
        status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
      }>
      done: Array<string>
    }
    ended: {
      since: string | null
      done: number
      failed: number
      cancelled: number
    }
    more: {
      agents: number
      approvals: number
      budgets: number
      missions: number
    }
  }
  text: string
}

export type BulletinBody = {
  event: "bulletin"
  kind: "scheduled" | "change" | "digest"
  slot: string | null
  told: Array<{
    about: "approval" | "agent" | "mission" | "budget"
    text: string
  }>
  held: Array<{
    about: "approval" | "agent" | "mission" | "budget"
    text: string
  }>
  text: string
  situation: {
    room: string
    at: string
    agents: Array<{
      id: string
      readiness: "registered" | "ready" | "lapsed" | "absent" | "broken"
      doing: string | null
      waiting: number
      gone: boolean
    }>
    work: {
      running: number
      queued: number
      waiting: number
      stuck: number
    }
    approvals: Array<{
      approval: string
      agent: string
      opens: string
      asked: string
      until: string
      late: boolean
    }>
    budgets: Array<{
      agent: string
      of: "room" | "day"
      unit: "tokens" | "usd"
      state: "near" | "spent"
      says: string
    }>
    missions: {
      open: Array<{
        id: string
        title: string
        status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
      }>
      done: Array<string>
    }
    ended: {
      since: string | null
      done: number
      failed: number
      cancelled: number
    }
    more: {
      agents: number
      approvals: number
      budgets: number
      missions: number
    }
  }
}

export type BulletinInput = Record<string, never>

export type Check = {
  rule: string
  entries: number
  broken: number
  judged: boolean
}

export type CheckoutsAnswer = {
  checkouts: Array<{
    agent: string
    folder: string | null
    commit: string | null
    behind: number | null
    files: Array<FileChange>
    closed: Array<string>
    note: string | null
  }>
}

export type CheckoutsInput = Record<string, never>

export type ClaimAnswer = {
  receipt: Receipt
  output?: {
    entry: string
    kind: "question" | "conjecture" | "conclusion" | "correction"
  } | undefined
}

export type ClaimInput = {
  kind: "question" | "conjecture" | "conclusion" | "correction"
  text: string
  /** the entry it is about: a conclusion or a correction settles it */
  about?: string | undefined
  /** the entry it goes on from in another direction */
  fork?: string | undefined
  /** the pattern it is about */
  pattern?: string | undefined
}

export type ClientFrame = {
  type: "hello"
  id: string
  protocol: string
  agent?: string | undefined
  token?: string | undefined
  peripherals?: Array<string> | undefined
  capabilities?: Record<string, boolean> | undefined
} | {
  type: "ready"
  id: string
  answer: string
  probes?: Array<Probe> | undefined
} | {
  type: "message"
  id: string
  to?: string | undefined
  text: string
} | {
  type: "peripheral_start"
  id: string
  peripheral_id?: string | null | undefined
  request?: string | undefined
} | {
  type: "tool_action"
  id: string
  tool: string
  args?: Record<string, unknown> | undefined
} | {
  type: "hop"
  id: string
  to: string
} | {
  type: "peripheral_stop"
  id: string
  reason?: string | undefined
} | {
  type: "invoke_result"
  id: string
  invoke_id: string
  result?: string | undefined
  error?: string | undefined
} | {
  type: "status"
  id: string
  status: "idle" | "busy"
  activity?: string | undefined
} | {
  type: "subscribe"
  id: string
  filters?: Record<string, unknown> | undefined
  after?: number | undefined
} | {
  type: "unsubscribe"
  id: string
  subscription: string
} | {
  type: "ping"
  id: string
} | {
  type: "tools"
  id: string
}

export type CompactAnswer = {
  receipt: Receipt
  output?: {
    dry: boolean
    bodies: number
    bytes: number
    left: Array<{
      session: string
      why: string
    }>
  } | undefined
}

export type CompactInput = {
  /** only count them */
  dry?: boolean | string | undefined
}

export type CompactedBody = {
  event: "compacted"
  policy: string
  bodies: number
  bytes: number
  entries: string
}

export type ConcludedBody = {
  event: "concluded"
  text: string
}

export type Config = {
  http: {
    host: string
    port: number
    hosts: Array<string>
    public: string | null
    proxies: Array<string>
  }
  networks: Record<string, {
    kind: "irc"
    host: string
    port?: number | undefined
    tls?: boolean | undefined
    ca?: string | undefined
    certificate?: string | undefined
    password?: string | undefined
    nick?: string | undefined
    nicks?: "one" | "each" | undefined
    realname?: string | undefined
    account?: string | undefined
    secret?: string | undefined
    sasl?: "auto" | "plain" | "external" | "never" | undefined
    agents?: Record<string, {
      nick?: string | undefined
      account?: string | undefined
      secret?: string | undefined
    }> | undefined
    keys?: Record<string, string> | undefined
    lines?: number | undefined
    flood?: {
      burst: number
      perSecond: number
    } | undefined
    channels: Record<string, string>
    role?: Role | null | undefined
    bots?: Array<string> | undefined
  } | {
    kind: "discord"
    token: string
    content?: boolean | undefined
    groups?: Record<string, Role> | undefined
    api?: string | undefined
    channels: Record<string, string>
    role?: Role | null | undefined
    bots?: Array<string> | undefined
  }>
  people: Record<string, {
    role?: Role | undefined
    roles?: Record<string, Role> | undefined
    accounts?: Array<string> | undefined
  }>
  loops: {
    hops: number
    named: number
  }
  bells: {
    pair: number
    minutes: number
  }
  limits: {
    person: {
      burst: number
      perMinute: number
    }
    room: {
      burst: number
      perMinute: number
    }
    token: {
      burst: number
      perMinute: number
    }
  }
  queues: {
    perSession: number
    perRoom: number
    total: number
  }
  rooms: Array<{
    id: string
    faces: Array<"web" | "terminal" | "cli" | "api" | "agent" | "irc" | "discord">
    mode?: RoomMode | undefined
    workspace?: string | undefined
    listener: string | null
    gated?: boolean | undefined
    approvers?: Array<string> | undefined
    bulletins?: {
      every?: string | null | undefined
      at?: Array<string> | undefined
      quiet?: {
        from: string
        to: string
      } | null | undefined
      zone?: string | undefined
      gatherSeconds?: number | undefined
      budgetNear?: number | undefined
    } | undefined
  }>
  agents: Array<{
    id: string
    type: "claude" | "codex" | "tickle"
    runner?: "auto" | "claude" | "codex" | "rehearsal" | undefined
    peripheral: string
    peripherals?: Array<string> | undefined
    program?: string | undefined
    version?: string | undefined
    model?: string | undefined
    fallback?: string | undefined
    provider?: {
      url: string
    } | undefined
    key?: string | undefined
    budget?: {
      turn?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
      room?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
      day?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
    } | undefined
    instructions?: string | undefined
    deadlineMinutes?: number | undefined
    quietSeconds?: number | undefined
    worktree?: boolean | undefined
  }>
  profiles: Record<string, {
    summary: string
    models?: Record<string, string> | undefined
    sandbox?: "read-only" | "workspace-write" | undefined
    approval?: "as-declared" | "always" | undefined
    budget?: {
      turn?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
      room?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
      day?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
    } | undefined
  }>
  profile: string | null
  prices: {
    asOf: string
    models: Record<string, {
      input: number
      cached: number
      written?: number | undefined
      output: number
      window?: number | undefined
    }>
  }
  runners: {
    idleMinutes: number
    processes: number
    cage: "auto" | "never"
    retryMs: number
  }
  lease: {
    ms: number
    heartbeatMs: number
  }
  worker: {
    turns: number
    steps: number
    processes: number
  }
  evidence: {
    sign: boolean
    keep: {
      ephemeralDays: number | null
      bodyDays: number | null
      largeDays: number | null
    }
  }
  checks: Record<string, Array<string>>
  deploys: Record<string, Array<string>>
  servers: Record<string, {
    argv: Array<string>
    sandbox?: "read-only" | "workspace-write" | undefined
    network?: boolean | undefined
    env?: Record<string, string> | undefined
  }>
  status: {
    stalledMinutes: number
  }
  missions: {
    folders: Array<string>
  }
  patterns: {
    folders: Array<string>
    unusedDays: number
  }
  bulletins: {
    every: string | null
    at: Array<string>
    quiet: {
      from: string
      to: string
    } | null
    zone: string
    gatherSeconds: number
    budgetNear: number
  }
  approvals: {
    minutes: number
  }
  tickle: {
    on: boolean
    stuckMinutes: number
    ackMinutes: number
    cooldownMinutes: number
    goneMinutes: number
    rounds: number
    workers: Array<"claude" | "codex" | "tickle">
    reviewers: Array<"claude" | "codex" | "tickle">
    repository: string | null
  }
  world: {
    server: string | null
  }
  holds: {
    minutes: number
  }
  sandbox: {
    readable: Array<string>
  }
  doors: {
    clientMs: number
    sessions: number
    sessionsPerToken: number
    requestsAtOnce: number
    requestsPerSecond: number
    uploadsPerRoom: number
  }
  log: {
    level: "debug" | "info" | "warn" | "error"
    to: "file" | "stdout" | "stderr"
    megabytes: number
    files: number
  }
  sweepMs: number
  drainMs: number
}

export type ConversationOpenedBody = {
  event: "conversation-opened"
  turn: string
  runner: "claude" | "codex" | "rehearsal"
  version: string
  model: string | null
  conversation: string
  why: "new" | "resumed" | "forked" | "compacted" | "lost"
}

export type CorrectedBody = {
  event: "corrected"
  text: string
}

export type CountAnswer = {
  count: number
}

export type CountInput = {
  /** of this session */
  session?: string | undefined
  /** about this, such as room/lobby */
  subject?: string | undefined
  /** one of forum-post, coordination, gate-traversal, mode-transition, presence-event, conjecture, correction, reflection */
  type?: "forum-post" | "coordination" | "gate-traversal" | "mode-transition" | "presence-event" | "conjecture" | "correction" | "reflection" | undefined
  /** one of goal, step, evidence, conclusion, observation, correction, question, conjecture */
  claim?: "goal" | "step" | "evidence" | "conclusion" | "observation" | "correction" | "question" | "conjecture" | undefined
  /** what happened, such as step-ended */
  event?: "message" | "answered" | "heard" | "dropped" | "assigned" | "refused" | "mode-changed" | "profile-set" | "room-set" | "watch-set" | "thread-bound" | "merged" | "file-brought" | "mission-focused" | "todo-added" | "todo-done" | "portfolio-reviewed" | "undertaking-opened" | "undertaking-taken" | "statement-set" | "item-set" | "item-classified" | "cycle-begun" | "cycle-moved" | "approach-failed" | "cycle-ended" | "proof-mode-moved" | "licence-given" | "licence-ended" | "undertaking-saved" | "pattern-selected" | "pattern-outcome" | "pattern-pivoted" | "pattern-punctuated" | "pattern-added" | "pattern-retired" | "pattern-declined" | "thread-started" | "thread-archived" | "bulletin" | "debriefed" | "asked" | "supposed" | "concluded" | "corrected" | "session-opened" | "session-closed" | "accepted" | "bell-rung" | "bell-answered" | "parked" | "queue-paused" | "turn-amended" | "turn-started" | "peripheral-started" | "snapshot-taken" | "approval-asked" | "approval-decided" | "stop-asked" | "steered" | "step-refused" | "step-intended" | "step-ended" | "peripheral-stopped" | "turn-ended" | "instructed" | "turn-briefed" | "conversation-opened" | "agent-said" | "turn-noted" | "usage-noted" | "reviewed" | "verified" | "restoring" | "restored" | "digested" | "compacted" | "wall-declared" | "token-minted" | "token-revoked" | "pair-offered" | "paired" | "signed-in" | "unpaired" | "delivery-noted" | "network-noted" | "tool-seen" | "tool-pinned" | "presence" | "tickle-cycled" | "paged" | "page-acknowledged" | "page-escalated" | "approval-reminded" | "work-added" | "work-given" | "work-judged" | "work-returned" | "work-ended" | "world-begun" | "world-moved" | "world-won" | undefined
  /** by this person or agent */
  author?: string | undefined
  /** with all of these tags, commas between */
  tag?: Array<string> | undefined
  /** with at least one of these tags */
  any?: Array<string> | undefined
  /** in this room */
  room?: string | undefined
  /** in a session of this agent */
  agent?: string | undefined
  /** for this mission */
  mission?: string | undefined
  /** about this pattern */
  pattern?: string | undefined
  /** behind this wall */
  peripheral?: string | undefined
  /** a step with this tool */
  tool?: string | undefined
  /** that ended so: ok, failed, interrupted, refused, done, cancelled */
  outcome?: "ok" | "failed" | "interrupted" | "refused" | "done" | "cancelled" | undefined
  /** a step that touched this file, or one in this folder */
  path?: string | undefined
  /** all these words occur; retr* is the beginning of one */
  text?: string | undefined
  /** held for possible */
  conjecture?: boolean | string | undefined
  /** what is let go after a while: without, with or only */
  ephemeral?: "without" | "with" | "only" | undefined
  /** not before this time, day or age (2h, 7d) */
  since?: string | undefined
  /** before this time, day or age */
  before?: string | undefined
}

export type CycleBegunBody = {
  event: "cycle-begun"
  undertaking: string
  turn: string
  step: string
  n: number
  item: string
  mode: "SPEC" | "FALSIFY" | "CONSTRUCT" | "VERIFY" | "MAP" | null
}

export type CycleEndedBody = {
  event: "cycle-ended"
  undertaking: string
  turn: string
  step: string
  n: number
  outcome: "completed" | "given-up"
  why: string
  gates: Array<{
    gate: "scope" | "evidence" | "status" | "acyclic" | "dangling" | "saved" | "fidelity" | "document"
    ok: boolean
    why: string
  }>
  paths: Array<{
    item: string
    statement: string
    status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    basis: "assertion" | "argument" | "numbers" | "counterexample" | "artifact" | "run" | null
    artifacts: Array<{
      path: string
      state: string
    }>
    runs: Array<string>
    from: Array<{
      item: string
      status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    }>
  }>
}

export type CycleMovedBody = {
  event: "cycle-moved"
  undertaking: string
  turn: string
  step: string
  n: number
  from: "setup" | "observe" | "propose" | "execute" | "validate" | "classify" | "integrate" | "commit" | "gate-review"
  to: "setup" | "observe" | "propose" | "execute" | "validate" | "classify" | "integrate" | "commit" | "gate-review"
  outputs: Record<string, string | Array<string>>
  artifacts?: Array<{
    path: string
    state: string
  }> | undefined
  why?: string | undefined
}

export type DebriefAnswer = {
  agent: string
  room: string
  open: boolean
  debrief: {
    session: string
    tried: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    worked: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    didNot: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    surprises: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    suggestions: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
  }
}

export type DebriefInput = {
  /** a session, or an agent: its latest one here; the latest of all where none is named */
  session?: string | undefined
}

export type DebriefedBody = {
  event: "debriefed"
  debrief: {
    session: string
    tried: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    worked: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    didNot: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    surprises: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
    suggestions: {
      shown: Array<{
        says: string
        from: Array<string>
      }>
      more: number
    }
  }
}

export type DeliveryNotedBody = {
  event: "delivery-noted"
  network: string
  channel: string
  room: string
  about: "failed" | "again" | "through"
  post: string | null
  position: number
  text: string
}

export type DenyAnswer = {
  receipt: Receipt
  output?: {
    approval: string
    decision: "approved" | "denied"
    agent: string
    opens: string
  } | undefined
}

export type DenyInput = {
  /** which, by its five letters; /approvals shows them */
  approval?: string | undefined
  note?: string | undefined
}

export type DiffAnswer = {
  agent: string
  what: string
  files: Array<FileChange>
  notes: Array<string>
  diff: string
}

export type DiffInput = {
  agent?: string | undefined
  /** another turn, or merge, than the last that changed something; or all */
  turn?: string | undefined
  /** only what this step changed */
  step?: string | undefined
}

export type Digest = {
  session: string
  agent: string | null
  room: string | null
  closed: string | null
  through: number
  goals: {
    first: Array<string>
    left: number
    last: Array<string>
  }
  constraints: {
    peripherals: {
      shown: Array<{
        peripheral: string
        tools: {
          shown: Array<string>
          left: number
        }
      }>
      left: number
    }
    refusals: {
      shown: Array<{
        code: string
        count: number
        last: string
      }>
      left: number
    }
  }
  progress: {
    turns: {
      accepted: number
      done: number
      failed: number
      cancelled?: number | undefined
    }
    steps: {
      ok: number
      failed: number
      interrupted: number
      refused: number
    }
    tools: {
      shown: Array<{
        tool: string
        count: number
      }>
      left: number
    }
  }
  decisions: {
    first: Array<string>
    left: number
    last: Array<string>
  }
  next: {
    shown: Array<{
      entry: string
      kind: "turn" | "approval" | "question" | "conjecture"
      what: string
    }>
    left: number
  }
  files: {
    read: {
      count: number
      folded: string
      left: number
    }
    changed: {
      count: number
      folded: string
      left: number
    }
  }
}

export type DigestAnswer = {
  digest: Digest
  text: string
}

export type DigestInput = {
  session: string
}

export type DigestedBody = {
  event: "digested"
  digest: Digest
  files: {
    read: string
    changed: string
  }
}

export type Draft = {
  id: string
  session: string
  subject: {
    type: "room" | "session" | "agent" | "house" | "undertaking"
    id: string
  }
  author: Author
  body: EvidenceBody
  tags: Array<string>
  inReplyTo: string | null
  forkOf?: string | null | undefined
  pattern?: string | null | undefined
  conjecture?: boolean | undefined
  ephemeral?: boolean | undefined
}

export type DroppedBody = {
  event: "dropped"
  refusal: Refusal
}

export type Entry = {
  id: string
  position: number
  version: number
  session: string
  seq: number
  subject: {
    type: "room" | "session" | "agent" | "house" | "undertaking"
    id: string
  }
  type: "forum-post" | "coordination" | "gate-traversal" | "mode-transition" | "presence-event" | "conjecture" | "correction" | "reflection"
  claim: "goal" | "step" | "evidence" | "conclusion" | "observation" | "correction" | "question" | "conjecture"
  author: Author
  at: string
  tags: Array<string>
  inReplyTo: string | null
  forkOf: string | null
  pattern: string | null
  conjecture: boolean
  ephemeral: boolean
  body: EvidenceBody
  bodyHash: string
  prevHash: string
  hash: string
}

export type EvidenceAnswer = {
  entries: Array<Entry>
  next: number | null
  through: number
}

export type EvidenceBody = MessageBody | AnsweredBody | HeardBody | DroppedBody | AssignedBody | RefusedBody | ModeChangedBody | ProfileSetBody | RoomSetBody | WatchSetBody | ThreadBoundBody | MergedBody | FileBroughtBody | MissionFocusedBody | TodoAddedBody | TodoDoneBody | PortfolioReviewedBody | UndertakingOpenedBody | UndertakingTakenBody | StatementSetBody | ItemSetBody | ItemClassifiedBody | CycleBegunBody | CycleMovedBody | ApproachFailedBody | CycleEndedBody | ProofModeMovedBody | LicenceGivenBody | LicenceEndedBody | UndertakingSavedBody | PatternSelectedBody | PatternOutcomeBody | PatternPivotedBody | PatternPunctuatedBody | PatternAddedBody | PatternRetiredBody | PatternDeclinedBody | ThreadStartedBody | ThreadArchivedBody | BulletinBody | DebriefedBody | AskedBody | SupposedBody | ConcludedBody | CorrectedBody | SessionOpenedBody | SessionClosedBody | AcceptedBody | BellRungBody | BellAnsweredBody | ParkedBody | QueuePausedBody | TurnAmendedBody | TurnStartedBody | PeripheralStartedBody | SnapshotTakenBody | ApprovalAskedBody | ApprovalDecidedBody | StopAskedBody | SteeredBody | StepRefusedBody | StepIntendedBody | StepEndedBody | PeripheralStoppedBody | TurnEndedBody | InstructedBody | TurnBriefedBody | ConversationOpenedBody | AgentSaidBody | TurnNotedBody | UsageNotedBody | ReviewedBody | VerifiedBody | RestoringBody | RestoredBody | DigestedBody | CompactedBody | WallDeclaredBody | TokenMintedBody | TokenRevokedBody | PairOfferedBody | PairedBody | SignedInBody | UnpairedBody | DeliveryNotedBody | NetworkNotedBody | ToolSeenBody | ToolPinnedBody | PresenceBody | TickleCycledBody | PagedBody | PageAcknowledgedBody | PageEscalatedBody | ApprovalRemindedBody | WorkAddedBody | WorkGivenBody | WorkJudgedBody | WorkReturnedBody | WorkEndedBody | WorldBegunBody | WorldMovedBody | WorldWonBody

export type EvidenceInput = {
  /** of this session */
  session?: string | undefined
  /** about this, such as room/lobby */
  subject?: string | undefined
  /** one of forum-post, coordination, gate-traversal, mode-transition, presence-event, conjecture, correction, reflection */
  type?: "forum-post" | "coordination" | "gate-traversal" | "mode-transition" | "presence-event" | "conjecture" | "correction" | "reflection" | undefined
  /** one of goal, step, evidence, conclusion, observation, correction, question, conjecture */
  claim?: "goal" | "step" | "evidence" | "conclusion" | "observation" | "correction" | "question" | "conjecture" | undefined
  /** what happened, such as step-ended */
  event?: "message" | "answered" | "heard" | "dropped" | "assigned" | "refused" | "mode-changed" | "profile-set" | "room-set" | "watch-set" | "thread-bound" | "merged" | "file-brought" | "mission-focused" | "todo-added" | "todo-done" | "portfolio-reviewed" | "undertaking-opened" | "undertaking-taken" | "statement-set" | "item-set" | "item-classified" | "cycle-begun" | "cycle-moved" | "approach-failed" | "cycle-ended" | "proof-mode-moved" | "licence-given" | "licence-ended" | "undertaking-saved" | "pattern-selected" | "pattern-outcome" | "pattern-pivoted" | "pattern-punctuated" | "pattern-added" | "pattern-retired" | "pattern-declined" | "thread-started" | "thread-archived" | "bulletin" | "debriefed" | "asked" | "supposed" | "concluded" | "corrected" | "session-opened" | "session-closed" | "accepted" | "bell-rung" | "bell-answered" | "parked" | "queue-paused" | "turn-amended" | "turn-started" | "peripheral-started" | "snapshot-taken" | "approval-asked" | "approval-decided" | "stop-asked" | "steered" | "step-refused" | "step-intended" | "step-ended" | "peripheral-stopped" | "turn-ended" | "instructed" | "turn-briefed" | "conversation-opened" | "agent-said" | "turn-noted" | "usage-noted" | "reviewed" | "verified" | "restoring" | "restored" | "digested" | "compacted" | "wall-declared" | "token-minted" | "token-revoked" | "pair-offered" | "paired" | "signed-in" | "unpaired" | "delivery-noted" | "network-noted" | "tool-seen" | "tool-pinned" | "presence" | "tickle-cycled" | "paged" | "page-acknowledged" | "page-escalated" | "approval-reminded" | "work-added" | "work-given" | "work-judged" | "work-returned" | "work-ended" | "world-begun" | "world-moved" | "world-won" | undefined
  /** by this person or agent */
  author?: string | undefined
  /** with all of these tags, commas between */
  tag?: Array<string> | undefined
  /** with at least one of these tags */
  any?: Array<string> | undefined
  /** in this room */
  room?: string | undefined
  /** in a session of this agent */
  agent?: string | undefined
  /** for this mission */
  mission?: string | undefined
  /** about this pattern */
  pattern?: string | undefined
  /** behind this wall */
  peripheral?: string | undefined
  /** a step with this tool */
  tool?: string | undefined
  /** that ended so: ok, failed, interrupted, refused, done, cancelled */
  outcome?: "ok" | "failed" | "interrupted" | "refused" | "done" | "cancelled" | undefined
  /** a step that touched this file, or one in this folder */
  path?: string | undefined
  /** all these words occur; retr* is the beginning of one */
  text?: string | undefined
  /** held for possible */
  conjecture?: boolean | string | undefined
  /** what is let go after a while: without, with or only */
  ephemeral?: "without" | "with" | "only" | undefined
  /** not before this time, day or age (2h, 7d) */
  since?: string | undefined
  /** before this time, day or age */
  before?: string | undefined
  /** from where the page before ended */
  cursor?: number | string | undefined
  /** newest or oldest first */
  order?: "newest" | "oldest" | undefined
  /** how many, up to 1000 */
  limit?: number | string | undefined
}

export type EvidenceQuery = {
  /** of this session */
  session?: string | undefined
  /** about this, such as room/lobby */
  subject?: string | undefined
  /** one of forum-post, coordination, gate-traversal, mode-transition, presence-event, conjecture, correction, reflection */
  type?: "forum-post" | "coordination" | "gate-traversal" | "mode-transition" | "presence-event" | "conjecture" | "correction" | "reflection" | undefined
  /** one of goal, step, evidence, conclusion, observation, correction, question, conjecture */
  claim?: "goal" | "step" | "evidence" | "conclusion" | "observation" | "correction" | "question" | "conjecture" | undefined
  /** what happened, such as step-ended */
  event?: "message" | "answered" | "heard" | "dropped" | "assigned" | "refused" | "mode-changed" | "profile-set" | "room-set" | "watch-set" | "thread-bound" | "merged" | "file-brought" | "mission-focused" | "todo-added" | "todo-done" | "portfolio-reviewed" | "undertaking-opened" | "undertaking-taken" | "statement-set" | "item-set" | "item-classified" | "cycle-begun" | "cycle-moved" | "approach-failed" | "cycle-ended" | "proof-mode-moved" | "licence-given" | "licence-ended" | "undertaking-saved" | "pattern-selected" | "pattern-outcome" | "pattern-pivoted" | "pattern-punctuated" | "pattern-added" | "pattern-retired" | "pattern-declined" | "thread-started" | "thread-archived" | "bulletin" | "debriefed" | "asked" | "supposed" | "concluded" | "corrected" | "session-opened" | "session-closed" | "accepted" | "bell-rung" | "bell-answered" | "parked" | "queue-paused" | "turn-amended" | "turn-started" | "peripheral-started" | "snapshot-taken" | "approval-asked" | "approval-decided" | "stop-asked" | "steered" | "step-refused" | "step-intended" | "step-ended" | "peripheral-stopped" | "turn-ended" | "instructed" | "turn-briefed" | "conversation-opened" | "agent-said" | "turn-noted" | "usage-noted" | "reviewed" | "verified" | "restoring" | "restored" | "digested" | "compacted" | "wall-declared" | "token-minted" | "token-revoked" | "pair-offered" | "paired" | "signed-in" | "unpaired" | "delivery-noted" | "network-noted" | "tool-seen" | "tool-pinned" | "presence" | "tickle-cycled" | "paged" | "page-acknowledged" | "page-escalated" | "approval-reminded" | "work-added" | "work-given" | "work-judged" | "work-returned" | "work-ended" | "world-begun" | "world-moved" | "world-won" | undefined
  /** by this person or agent */
  author?: string | undefined
  /** with all of these tags, commas between */
  tag?: Array<string> | undefined
  /** with at least one of these tags */
  any?: Array<string> | undefined
  /** in this room */
  room?: string | undefined
  /** in a session of this agent */
  agent?: string | undefined
  /** for this mission */
  mission?: string | undefined
  /** about this pattern */
  pattern?: string | undefined
  /** behind this wall */
  peripheral?: string | undefined
  /** a step with this tool */
  tool?: string | undefined
  /** that ended so: ok, failed, interrupted, refused, done, cancelled */
  outcome?: "ok" | "failed" | "interrupted" | "refused" | "done" | "cancelled" | undefined
  /** a step that touched this file, or one in this folder */
  path?: string | undefined
  /** all these words occur; retr* is the beginning of one */
  text?: string | undefined
  /** held for possible */
  conjecture?: boolean | string | undefined
  /** what is let go after a while: without, with or only */
  ephemeral?: "without" | "with" | "only" | undefined
  /** not before this time, day or age (2h, 7d) */
  since?: string | undefined
  /** before this time, day or age */
  before?: string | undefined
  /** from where the page before ended */
  cursor?: number | string | undefined
  /** newest or oldest first */
  order?: "newest" | "oldest" | undefined
  /** how many, up to 1000 */
  limit?: number | string | undefined
}

export type ExecLine = {
  kind: "receipt"
  receipt: Receipt
} | {
  kind: "started"
  item: Item
} | {
  kind: "delta"
  id: string
  turn: string | null
  type: string
  text: string
} | {
  kind: "completed"
  item: Item
} | {
  kind: "outcome"
  outcome: "done" | "failed" | "refused" | "timeout" | "interrupted"
  answer: string
  exit: number
}

export type FacetsAnswer = {
  by: "session" | "subject" | "type" | "claim" | "event" | "author" | "room" | "agent" | "mission" | "pattern" | "peripheral" | "tool" | "outcome" | "path"
  values: Array<{
    value: string
    count: number
  }>
  more: number
}

export type FacetsInput = {
  by: "session" | "subject" | "type" | "claim" | "event" | "author" | "room" | "agent" | "mission" | "pattern" | "peripheral" | "tool" | "outcome" | "path"
  /** of this session */
  session?: string | undefined
  /** about this, such as room/lobby */
  subject?: string | undefined
  /** one of forum-post, coordination, gate-traversal, mode-transition, presence-event, conjecture, correction, reflection */
  type?: "forum-post" | "coordination" | "gate-traversal" | "mode-transition" | "presence-event" | "conjecture" | "correction" | "reflection" | undefined
  /** one of goal, step, evidence, conclusion, observation, correction, question, conjecture */
  claim?: "goal" | "step" | "evidence" | "conclusion" | "observation" | "correction" | "question" | "conjecture" | undefined
  /** what happened, such as step-ended */
  event?: "message" | "answered" | "heard" | "dropped" | "assigned" | "refused" | "mode-changed" | "profile-set" | "room-set" | "watch-set" | "thread-bound" | "merged" | "file-brought" | "mission-focused" | "todo-added" | "todo-done" | "portfolio-reviewed" | "undertaking-opened" | "undertaking-taken" | "statement-set" | "item-set" | "item-classified" | "cycle-begun" | "cycle-moved" | "approach-failed" | "cycle-ended" | "proof-mode-moved" | "licence-given" | "licence-ended" | "undertaking-saved" | "pattern-selected" | "pattern-outcome" | "pattern-pivoted" | "pattern-punctuated" | "pattern-added" | "pattern-retired" | "pattern-declined" | "thread-started" | "thread-archived" | "bulletin" | "debriefed" | "asked" | "supposed" | "concluded" | "corrected" | "session-opened" | "session-closed" | "accepted" | "bell-rung" | "bell-answered" | "parked" | "queue-paused" | "turn-amended" | "turn-started" | "peripheral-started" | "snapshot-taken" | "approval-asked" | "approval-decided" | "stop-asked" | "steered" | "step-refused" | "step-intended" | "step-ended" | "peripheral-stopped" | "turn-ended" | "instructed" | "turn-briefed" | "conversation-opened" | "agent-said" | "turn-noted" | "usage-noted" | "reviewed" | "verified" | "restoring" | "restored" | "digested" | "compacted" | "wall-declared" | "token-minted" | "token-revoked" | "pair-offered" | "paired" | "signed-in" | "unpaired" | "delivery-noted" | "network-noted" | "tool-seen" | "tool-pinned" | "presence" | "tickle-cycled" | "paged" | "page-acknowledged" | "page-escalated" | "approval-reminded" | "work-added" | "work-given" | "work-judged" | "work-returned" | "work-ended" | "world-begun" | "world-moved" | "world-won" | undefined
  /** by this person or agent */
  author?: string | undefined
  /** with all of these tags, commas between */
  tag?: Array<string> | undefined
  /** with at least one of these tags */
  any?: Array<string> | undefined
  /** in this room */
  room?: string | undefined
  /** in a session of this agent */
  agent?: string | undefined
  /** for this mission */
  mission?: string | undefined
  /** about this pattern */
  pattern?: string | undefined
  /** behind this wall */
  peripheral?: string | undefined
  /** a step with this tool */
  tool?: string | undefined
  /** that ended so: ok, failed, interrupted, refused, done, cancelled */
  outcome?: "ok" | "failed" | "interrupted" | "refused" | "done" | "cancelled" | undefined
  /** a step that touched this file, or one in this folder */
  path?: string | undefined
  /** all these words occur; retr* is the beginning of one */
  text?: string | undefined
  /** held for possible */
  conjecture?: boolean | string | undefined
  /** what is let go after a while: without, with or only */
  ephemeral?: "without" | "with" | "only" | undefined
  /** not before this time, day or age (2h, 7d) */
  since?: string | undefined
  /** before this time, day or age */
  before?: string | undefined
}

export type FileBroughtBody = {
  event: "file-brought"
  name: string
  path: string
  bytes: number
  hash: string
}

export type FileChange = {
  path: string
  before: string | null
  after: string | null
  added: number | null
  removed: number | null
}

export type FollowInput = {
  /** which room */
  room?: string | undefined
  /** the position of the last post that was seen */
  after?: number | undefined
  /** the id of that post: where another is there now, the evidence was replaced */
  seen?: string | undefined
  /** how many of the last posts to begin with */
  tail?: number | undefined
}

export type ForkAnswer = {
  receipt: Receipt
  output?: {
    thread: {
      id: string
      agent: string
      name: string
      room: string
      from: {
        thread: string
        turn: string | null
      } | null
      archived: boolean
      by: string
      at: string
    }
  } | undefined
}

export type ForkInput = {
  thread: string
  /** the last turn it knows of */
  turn?: string | undefined
  name?: string | undefined
}

export type ForksAnswer = {
  entries: Array<Entry>
}

export type ForksInput = {
  entry: string
}

export type Fruit = {
  steps: number
  found: Array<string>
  changed?: Array<FileChange> | undefined
  checks?: Array<{
    name: string
    ok: boolean
    said: string
  }> | undefined
  tests?: {
    result: "none" | "pass" | "fail" | "flaky"
    runs: number
    passed: number
    failed: number
    skipped: number
    failures: Array<string>
    tree: string | null
  } | undefined
  deploy?: {
    commits: Array<string>
    pushed: Array<string>
    ran: Array<string>
  } | undefined
  review?: string | null | undefined
  world?: {
    moves: number
    won: Array<string>
    score: number
    idle: number
  } | undefined
  cycles?: number | undefined
  blocked?: boolean | undefined
}

export type GateAnswer = {
  receipt: Receipt
  output?: {
    room: string
    listener: string | null
  } | undefined
}

export type GateInput = Record<string, never>

export type Grant = {
  kind: "person"
  name: string
  role: Role
  account?: string | undefined
} | {
  kind: "agent"
  agent: string
  type: string
  room: string
  peripheral: string
  peripherals: Array<string>
  role: "viewer" | "operator"
  session: string | null
}

export type Head = {
  position: number
  root: string
  at: string
  key: string
  signature: string
}

export type HeadAnswer = {
  head: string
  position: number
  root: string
}

export type HeadInput = Record<string, never>

export type Health = {
  ready: boolean
  version: string
  up: Record<string, string>
  reasons: Array<string>
}

export type HeardBody = {
  event: "heard"
}

export type HelpAnswer = {
  operations: Array<{
    name: string
    aliases: Array<string>
    summary: string
    usage: string
    example: string
    role: Role
    reads: boolean
    works: boolean
    options: Array<{
      name: string
      summary: string
      required: boolean
      kind: "text" | "integer" | "number" | "flag"
      choices: Array<string>
      names: "agent" | "room" | "thread" | "turn" | "approval" | "session" | "peripheral" | "command" | "proof" | null
    }>
    topic: "work" | "watching" | "deciding" | "rooms" | "evidence" | "people"
  }>
  whole: boolean
}

export type HelpInput = {
  /** which; all of them where none is named */
  command?: string | undefined
}

export type HoldsAnswer = {
  holds: Array<{
    path: string
    agent: string
    session: string
    until: string
  }>
}

export type HoldsInput = Record<string, never>

export type HopAnswer = {
  step: string
  report: StepReport | null
  waits?: string | undefined
}

export type HopInput = {
  /** which peripheral */
  to: string
  /** the name of the step: the same again is answered again, and not done again */
  step?: string | undefined
}

export type HopsAnswer = {
  hops: Array<{
    step: string
    turn: string
    session: string
    agent: string
    from: string
    to: string
    when: string | null
    at: string
  }>
}

export type HopsInput = {
  /** of this session */
  session?: string | undefined
  /** how many, up to 200 */
  limit?: number | undefined
}

export type InstructedBody = {
  event: "instructed"
  text: string
}

export type Item = {
  id: string
  turn: string | null
  type: "userMessage"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  author: Author
  text: string
  steer: boolean
} | {
  id: string
  turn: string | null
  type: "agentMessage"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  agent: string
  text: string
  outcome: TurnOutcome | null
} | {
  id: string
  turn: string | null
  type: "commandExecution"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  tool: string
  args: Record<string, unknown>
  output: string
  cut: string | null
  message: string | null
  refusal: Refusal | null
  command: string
  argv: Array<string>
  exitCode: number | null
  report: TestReport | null
} | {
  id: string
  turn: string | null
  type: "fileChange"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  tool: string
  args: Record<string, unknown>
  output: string
  cut: string | null
  message: string | null
  refusal: Refusal | null
  changes: Array<{
    path: string
    kind: "add" | "update" | "delete"
    added: number | null
    removed: number | null
  }>
  more: number
} | {
  id: string
  turn: string | null
  type: "webFetch"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  tool: string
  args: Record<string, unknown>
  output: string
  cut: string | null
  message: string | null
  refusal: Refusal | null
  url: string
} | {
  id: string
  turn: string | null
  type: "mcpToolCall"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  tool: string
  args: Record<string, unknown>
  output: string
  cut: string | null
  message: string | null
  refusal: Refusal | null
  server: string
} | {
  id: string
  turn: string | null
  type: "hop"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  tool: string
  args: Record<string, unknown>
  output: string
  cut: string | null
  message: string | null
  refusal: Refusal | null
  from: string | null
  to: string
} | {
  id: string
  turn: string | null
  type: "toolStep"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  tool: string
  args: Record<string, unknown>
  output: string
  cut: string | null
  message: string | null
  refusal: Refusal | null
  paths: Array<string>
} | {
  id: string
  turn: string | null
  type: "approval"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  step: string
  approval: string
  call: ToolCall | null
  why: string
  opens: string
  until: string | null
  decision: "approved" | "denied" | "lapsed" | null
  by: string | null
  note: string
} | {
  id: string
  turn: string | null
  type: "refusal"
  status: "inProgress" | "completed" | "failed" | "declined" | "interrupted"
  refusal: Refusal
}

export type ItemClassifiedBody = {
  event: "item-classified"
  undertaking: string
  turn: string
  step: string
  n: number
  classified: {
    status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    basis: "assertion" | "argument" | "numbers" | "counterexample" | "artifact" | "run" | null
    why: string
    item: string
  }
}

export type ItemEvent = {
  kind: "started"
  item: Item
} | {
  kind: "delta"
  id: string
  turn: string | null
  type: string
  text: string
} | {
  kind: "completed"
  item: Item
}

export type ItemSetBody = {
  event: "item-set"
  undertaking: string
  turn: string
  step: string
  item: {
    id: string
    text: string
    dependsOn: Array<string>
    status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    basis: "assertion" | "argument" | "numbers" | "counterexample" | "artifact" | "run" | null
    artifacts: Array<{
      path: string
      state: string
    }>
    runs: Array<string>
    why: string
  }
  shaken: Array<string>
  from?: "file" | undefined
}

export type ItemsInput = {
  /** the items of this turn, up to its end */
  turn?: string | undefined
  /** the items of this room */
  room?: string | undefined
  /** the id of the last event that was seen */
  after?: string | undefined
}

export type LeaveAnswer = {
  turn: string | null
  peripheral: string | null
  fruit: Fruit | null
}

export type LeaveInput = {
  /** what came of it */
  answer?: string | undefined
  /** how it ends */
  outcome?: "done" | "failed" | undefined
}

export type LicenceEndedBody = {
  event: "licence-ended"
  undertaking: string
  turn: string
  step: string
  item: string
  why: string
}

export type LicenceGivenBody = {
  event: "licence-given"
  undertaking: string
  turn: string
  step: string
  licence: {
    item: string
    bottleneck: string
    lever: string
    witness: string
    stop: string
    until: string
  }
}

export type McAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type McInput = {
  /** status, review, missions, coverage, next, sessions, diff, watch */
  action?: "status" | "review" | "missions" | "coverage" | "next" | "sessions" | "diff" | "watch" | undefined
  /** for coverage a mission, for watch on, off or default */
  rest?: string | undefined
}

export type MergeAnswer = {
  receipt: Receipt
  output?: {
    agent: string
    dry: boolean
    from: string | null
    done: boolean
    files: Array<FileChange>
    conflicts: Array<{
      path: string
      why: string
    }>
    failed: Array<{
      path: string
      why: string
    }>
    note: string | null
  } | undefined
}

export type MergeInput = {
  agent: string
  /** only show what would be brought over */
  dry?: boolean | string | undefined
}

export type MergedBody = {
  event: "merged"
  agent: string
  from: string
  into: string | null
  files: Array<string>
  conflicts: Array<string>
}

export type MessageBody = {
  event: "message"
  text: string
}

export type MintAnswer = {
  receipt: Receipt
  output?: TokenRow | undefined
}

export type MintInput = {
  /** the SHA-256 of the token: `bellhop token mint` thinks one up and sends only this */
  hash: string
  /** what it is for, in a few words */
  label?: string | undefined
  /** for an agent of this name */
  agent?: string | undefined
  /** of this kind; its name where nothing is said */
  type?: string | undefined
  /** in this room; the first one where nothing is said */
  room?: string | undefined
  /** where it starts; explore where nothing is said */
  peripheral?: string | undefined
  /** all that it may inhabit, commas between; only where it starts where nothing is said */
  peripherals?: string | undefined
  /** for this one session */
  session?: string | undefined
  /** for a person of this name */
  person?: string | undefined
  /** in this role: viewer only reads; operator where nothing is said */
  role?: Role | undefined
  /** only to read; for nobody in particular where no person is named */
  readonly?: boolean | string | undefined
  /** how many days it is good for; 0 for ever */
  days?: number | undefined
}

export type MissionAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type MissionFocusedBody = {
  event: "mission-focused"
  mission: string | null
  by: string
}

export type MissionInput = {
  /** show, focus, clear, new */
  action?: "show" | "focus" | "clear" | "new" | undefined
  /** the mission, such as M-retry; for new also what it is about */
  rest?: string | undefined
}

export type ModeAnswer = {
  receipt: Receipt
  output?: {
    room: string
    mode: RoomMode
  } | undefined
}

export type ModeChangedBody = {
  event: "mode-changed"
  from: RoomMode
  to: RoomMode
}

export type ModeInput = {
  to?: RoomMode | undefined
}

export type MoreAnswer = {
  post: string
  text: string
  next: number | null
  total: number
}

export type MoreInput = {
  /** the text, by the name it was shown with */
  post: string
  /** from which character on */
  from?: number | undefined
  /** how many characters at most */
  length?: number | undefined
}

export type NetworkNotedBody = {
  event: "network-noted"
  network: string
  state: "connected" | "lost" | "refused"
  detail: string
}

export type NetworksAnswer = {
  networks: Array<{
    network: string
    kind: string
    state: "connecting" | "connected" | "lost" | "refused" | "down"
    detail: string
    since: string | null
    channels: Array<{
      channel: string
      room: string
    }>
  }>
}

export type NetworksInput = Record<string, never>

export type NewAnswer = {
  receipt: Receipt
  output?: {
    thread: {
      id: string
      agent: string
      name: string
      room: string
      from: {
        thread: string
        turn: string | null
      } | null
      archived: boolean
      by: string
      at: string
    }
  } | undefined
}

export type NewInput = {
  agent?: string | undefined
  name?: string | undefined
}

export type NextAnswer = {
  next: Array<{
    id: string
    status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
    score: number
    reasons: Array<{
      why: string
      counts: number
    }>
  }>
  more: number
}

export type NextInput = {
  /** how many, up to 500 */
  limit?: number | undefined
}

export type NowAnswer = {
  at: string
  through: number
  ready: boolean
  reasons: Array<string>
  processes: Array<{
    process: string
    part: string
    host: string
    pid: number
    version: string
    since: string
    ready: boolean
    reasons: Array<string>
    places: Array<{
      lane: string
      used: number
      of: number
    }>
    complaints: Array<{
      at: string
      message: string
    }>
  }>
  queue: Array<{
    lane: string
    depth: number
    oldest: number
  }>
  parts: Array<{
    name: string
    state: string
    detail: string
  }>
  agents: Array<{
    id: string
    type: string | null
    readiness: "registered" | "ready" | "lapsed" | "absent" | "broken"
    reason: string | null
    wall: {
      peripheral: string
      tools: Array<string>
    } | null
    turn: {
      turn: string
      session: string
      room: string
      agent: string
      peripheral: string | null
      by: string
      request: string
      state: "accepted" | "queued" | "running" | "waiting" | "parked" | "stalled" | "interrupted" | "done" | "failed" | "cancelled"
      detail: string
      ahead: number
      steps: {
        taken: number
        failed: number
        refused: number
      }
      approval: string | null
      accepted: string
      started: string | null
      ended: string | null
    } | null
    waiting: number
    next: Array<{
      turn: string
      room: string
      by: string
      request: string
      state: "accepted" | "queued" | "running" | "waiting" | "parked" | "stalled" | "interrupted" | "done" | "failed" | "cancelled"
      detail: string
    }>
    paused: boolean
    refused: {
      entry: string
      at: string
      who: string
      room: string | null
      session: string
      code: string
      message: string
    } | null
  }>
  rooms: Array<{
    id: string
    mode: RoomMode
    listener: string | null
    running: number
    waiting: number
  }>
  approvals: Array<{
    approval: string
    agent: string
    room: string
    turn: string
    opens: string
    why: string
    until: string
    yours: boolean
  }>
  budgets: Array<{
    agent: string
    room: string
    of: string
    unit: "tokens" | "usd"
    used: number
    limit: number
  }>
  refused: Array<{
    entry: string
    at: string
    who: string
    room: string | null
    session: string
    code: string
    message: string
  }>
}

export type NowInput = Record<string, never>

export type ObligationsAnswer = {
  mission: string
  title: string
  path: string | null
  begun: boolean
  obligations: Array<{
    id: string
    text: string
    dependsOn: Array<string>
    status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    basis: "assertion" | "argument" | "numbers" | "counterexample" | "artifact" | "run" | null
    artifacts: Array<{
      path: string
      state: string
    }>
    runs: Array<string>
    why: string
  }>
  cycle: {
    n: number
    item: string
    phase: "setup" | "observe" | "propose" | "execute" | "validate" | "classify" | "integrate" | "commit" | "gate-review"
    approach: string | null
  } | null
  cycles: Array<{
    n: number
    item: string
    outcome: "completed" | "given-up"
    why: string
    at: string
  }>
  failed: Array<{
    n: number
    item: string
    approach: string
    why: string
  }>
  audit: Array<{
    path: string
    line: number
    what: string
    right: string
    gate: "fidelity" | "document" | null
  }>
  graph: {
    nodes: Array<{
      id: string
      kind: "mission" | "phase" | "obligation" | "file" | "outside"
      text: string
      status: string | null
    }>
    edges: Array<{
      from: string
      to: string
      kind: "feeds" | "makes" | "names" | "holds"
    }>
  }
  wiring: string
}

export type ObligationsInput = {
  /** without one, what this room is focused on */
  mission?: string | undefined
}

export type PageAcknowledgedBody = {
  event: "page-acknowledged"
  page: string
  name: string
  agent: string
  turn: string
  escalated: boolean
}

export type PageEscalatedBody = {
  event: "page-escalated"
  page: string
  name: string
  agent: string
  turn: string
  why: string
}

export type PagedBody = {
  event: "paged"
  page: string
  name: string
  agent: string
  turn: string
  why: string
  until: string
}

export type PagesAnswer = {
  pages: Array<{
    page: string
    name: string
    agent: string
    turn: string
    room: string
    why: string
    at: string
    until: string
    escalated: boolean
  }>
}

export type PagesInput = Record<string, never>

export type PairAnswer = {
  receipt: Receipt
  output?: {
    person: string
    code: string | null
    until: string | null
    identity: string | null
  } | undefined
}

export type PairInput = {
  /** the code you were given where you are known already */
  code?: string | undefined
}

export type PairOfferedBody = {
  event: "pair-offered"
  person: string
  role: Role
  expires: string
}

export type PairedBody = {
  event: "paired"
  person: string
  role: Role
  identity: string
}

export type ParkedBody = {
  event: "parked"
  turn: string
  step: string
  jobs: Array<string>
  bell: string | null
  until: string
}

export type PatternAddedBody = {
  event: "pattern-added"
  turn: string
  step: string
  pattern: string
  path: string
  evidence: Array<string>
}

export type PatternAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type PatternDeclinedBody = {
  event: "pattern-declined"
  kind: "new" | "retire"
  pattern: string
  evidence: Array<string>
  why: string
  by: string
}

export type PatternInput = {
  /** find, show, record, proposals, accept, decline, retire, restore */
  action?: "find" | "show" | "record" | "proposals" | "accept" | "decline" | "retire" | "restore" | undefined
  /** words to find it by; else its name, and for a decision also why */
  rest?: string | undefined
}

export type PatternOutcomeBody = {
  event: "pattern-outcome"
  turn: string
  step: string
  pattern: string
  outcome: "worked" | "failed"
  why: string
  steps: Array<string>
}

export type PatternPivotedBody = {
  event: "pattern-pivoted"
  turn: string
  step: string
  from: string
  to: string | null
  why: string
  instead: string | null
}

export type PatternPunctuatedBody = {
  event: "pattern-punctuated"
  turn: string
  step: string
  worked: string
  didNot: string
  surprises: string
  next: string
  solution: string | null
}

export type PatternRetiredBody = {
  event: "pattern-retired"
  turn: string
  step: string
  pattern: string
  retired: boolean
  why: string
}

export type PatternSelectedBody = {
  event: "pattern-selected"
  turn: string
  step: string
  pattern: string
  why: string
  over: Array<{
    pattern: string
    why: string
  }>
}

export type PatternsAnswer = {
  patterns: Array<{
    id: string
    description: string
    home: "workspace" | "bellhop"
    path: string
    retired: boolean
    record: {
      selected: number
      worked: number
      failed: number
      left: number
      open: number
      last: string | null
      where: Array<{
        room: string
        selected: number
        worked: number
        failed: number
      }>
      elsewhere: number
    }
  }>
  proposals: Array<{
    kind: "new" | "retire"
    pattern: string
    why: string
    says: string
    sessions: Array<string>
    evidence: Array<string>
  }>
  complaints: Array<{
    path: string
    line: number
    what: string
    right: string
  }>
}

export type PatternsInput = {
  /** what it is to help with; all of them without */
  words?: string | undefined
}

export type PauseAnswer = {
  receipt: Receipt
  output?: {
    agent: string
    before: boolean
  } | undefined
}

export type PauseInput = {
  /** whose queue, by id or type */
  agent: string
  why?: string | undefined
}

export type PeopleAnswer = {
  people: Array<{
    name: string
    role: Role | null
    identities: Array<string>
  }>
}

export type PeopleInput = Record<string, never>

export type PeripheralFile = {
  id: string
  purpose: string
  tools: Array<"read" | "list" | "glob" | "grep" | "edit" | "multi-edit" | "apply-patch" | "write" | "run" | "terminal" | "web-fetch" | "evidence" | "reflect" | "advance" | "hop" | "mc-inventory" | "mc-coverage" | "mc-review" | "mc-diff" | "mc-next" | "mc-sessions" | "mc-bulletin" | "mc-focus" | "mc-watch" | "mc-todo" | "mc-new" | "pattern-search" | "pattern-read" | "pattern-record" | "pattern-select" | "pattern-outcome" | "pattern-pivot" | "pattern-punctuate" | "pattern-proposals" | "pattern-new" | "pattern-retire" | "pattern-decline" | "bell" | "whistle" | "park" | "cycle-get" | "cycle-list" | "cycle-begin" | "cycle-back" | "cycle-end" | "ledger-query" | "ledger-upsert" | "ledger-impact" | "approach-failed" | "classify" | "gate-check" | "proof-load" | "proof-statement" | "proof-mode" | "proof-licence" | "proof-save" | "mission-load" | "mission-audit" | "mission-wiring" | "mission-save" | "tickle-scan" | "tickle-page" | "tickle-cycle" | "world-reset" | "world-act" | "world-state" | string>
  scope?: {
    read?: Array<string> | undefined
    write?: Array<string> | undefined
    deny?: Array<string> | undefined
    hardLinks?: boolean | undefined
    evidence?: "none" | "session" | "room" | "all" | undefined
    web?: {
      hosts: Array<string>
      private?: boolean | undefined
    } | undefined
  } | undefined
  sandbox?: "read-only" | "workspace-write" | "full" | undefined
  approval?: {
    policy: "never" | "on-request" | "always"
    tools?: Array<"read" | "list" | "glob" | "grep" | "edit" | "multi-edit" | "apply-patch" | "write" | "run" | "terminal" | "web-fetch" | "evidence" | "reflect" | "advance" | "hop" | "mc-inventory" | "mc-coverage" | "mc-review" | "mc-diff" | "mc-next" | "mc-sessions" | "mc-bulletin" | "mc-focus" | "mc-watch" | "mc-todo" | "mc-new" | "pattern-search" | "pattern-read" | "pattern-record" | "pattern-select" | "pattern-outcome" | "pattern-pivot" | "pattern-punctuate" | "pattern-proposals" | "pattern-new" | "pattern-retire" | "pattern-decline" | "bell" | "whistle" | "park" | "cycle-get" | "cycle-list" | "cycle-begin" | "cycle-back" | "cycle-end" | "ledger-query" | "ledger-upsert" | "ledger-impact" | "approach-failed" | "classify" | "gate-check" | "proof-load" | "proof-statement" | "proof-mode" | "proof-licence" | "proof-save" | "mission-load" | "mission-audit" | "mission-wiring" | "mission-save" | "tickle-scan" | "tickle-page" | "tickle-cycle" | "world-reset" | "world-act" | "world-state" | string> | undefined
  } | undefined
  ceiling?: {
    sandbox: "read-only" | "workspace-write" | "full"
    network?: boolean | undefined
    write?: Array<string> | undefined
    commands?: Array<{
      argv: Array<string>
      for: "look" | "test" | "check" | "work" | "git" | "deploy"
      sandbox?: "read-only" | "workspace-write" | "full" | undefined
      network?: boolean | undefined
      approve?: boolean | undefined
      phases?: Array<string> | undefined
    }> | undefined
  } | null | undefined
  modes: Array<RoomMode>
  role: Role
  entry: Array<"user-request" | "tests-passed" | string>
  exit?: Array<{
    when: "always" | "found-target" | "changed" | "blocked" | "pass" | "fail" | "flaky" | "deployed" | "reviewed" | "won" | "stuck" | "cycle-completed"
    to: Array<string>
  }> | undefined
  context?: Array<"target-files" | "changed-files" | "test-result" | "commit" | "review"> | undefined
  phases?: Array<{
    id: string
    tools: Array<"read" | "list" | "glob" | "grep" | "edit" | "multi-edit" | "apply-patch" | "write" | "run" | "terminal" | "web-fetch" | "evidence" | "reflect" | "advance" | "hop" | "mc-inventory" | "mc-coverage" | "mc-review" | "mc-diff" | "mc-next" | "mc-sessions" | "mc-bulletin" | "mc-focus" | "mc-watch" | "mc-todo" | "mc-new" | "pattern-search" | "pattern-read" | "pattern-record" | "pattern-select" | "pattern-outcome" | "pattern-pivot" | "pattern-punctuate" | "pattern-proposals" | "pattern-new" | "pattern-retire" | "pattern-decline" | "bell" | "whistle" | "park" | "cycle-get" | "cycle-list" | "cycle-begin" | "cycle-back" | "cycle-end" | "ledger-query" | "ledger-upsert" | "ledger-impact" | "approach-failed" | "classify" | "gate-check" | "proof-load" | "proof-statement" | "proof-mode" | "proof-licence" | "proof-save" | "mission-load" | "mission-audit" | "mission-wiring" | "mission-save" | "tickle-scan" | "tickle-page" | "tickle-cycle" | "world-reset" | "world-act" | "world-state" | string>
    outputs?: Array<string> | undefined
    back?: Array<string> | undefined
  }> | undefined
  cycle?: "proof" | "mission" | undefined
  checks?: Array<string> | undefined
  limits: {
    stepsPerTurn: number
    stepsPerSession?: number | undefined
    secondsPerTurn?: number | undefined
    outputPerTurn?: number | undefined
    outputBytes: number
    outputLines: number
    seconds: number
    memoryMb?: number | undefined
    processes?: number | undefined
  }
  examples: {
    allowed: Array<{
      tool: string
      args: Record<string, unknown>
      why: string
      phase?: string | undefined
    }>
    refused: Array<{
      tool: string
      args: Record<string, unknown>
      why: string
      phase?: string | undefined
    }>
  }
  commands?: Array<{
    argv: Array<string>
    for: "look" | "test" | "check" | "work" | "git" | "deploy"
    sandbox?: "read-only" | "workspace-write" | "full" | undefined
    network?: boolean | undefined
    approve?: boolean | undefined
    phases?: Array<string> | undefined
  } | {
    for: "look" | "test" | "check" | "work" | "git" | "deploy"
    sandbox?: "read-only" | "workspace-write" | "full" | undefined
    network?: boolean | undefined
    approve?: boolean | undefined
    phases?: Array<string> | undefined
    config: "checks" | "deploys"
  }> | undefined
}

export type PeripheralStartedBody = {
  event: "peripheral-started"
  turn: string
  peripheral: string
  tools: Array<string>
  spec: string
  context?: Record<string, unknown> | undefined
  entry?: string | undefined
  hop?: string | undefined
}

export type PeripheralStoppedBody = {
  event: "peripheral-stopped"
  turn: string
  peripheral: string
  reason: string
  fruit: Fruit
  to?: string | undefined
  when?: string | undefined
}

export type PeripheralsAnswer = {
  peripherals: Array<{
    id: string
    purpose: string
    modes: Array<string>
    role: string
    sandbox: string
    tools: Array<{
      name: string
      help: string
    }>
    commands: Array<string>
    entry: Array<string>
    exit: Array<string>
  }>
  ways: Array<{
    from: string
    to: string
    when: "always" | "found-target" | "changed" | "blocked" | "pass" | "fail" | "flaky" | "deployed" | "reviewed" | "won" | "stuck" | "cycle-completed"
  }>
  whole: boolean
}

export type PeripheralsInput = {
  id?: string | undefined
}

export type PortfolioAnswer = {
  missions: Array<{
    id: string
    title: string
    path: string
    status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
    says: string | null
    line: number
    owner: string | null
    blockedBy: Array<string>
    phases: Array<{
      name: string
      boxes: {
        done: number
        total: number
      }
    }>
    boxes: {
      done: number
      total: number
    }
    complaints: Array<{
      path: string
      line: number
      what: string
      right: string
    }>
    coverage: {
      turns: number
      done: number
      failed: number
      steps: number
      files: number
      tests: "none" | "pass" | "fail" | "flaky"
      failures: number
      last: string | null
    }
    drift: Array<string>
    rooms: Array<string>
  }>
  complaints: Array<{
    path: string
    line: number
    what: string
    right: string
  }>
  counts: Array<{
    status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
    missions: number
  }>
  covered: number
  changes: Array<{
    from: string
    to: string | null
    rows: Array<{
      kind: "added" | "removed"
      id: string
      status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
    } | {
      kind: "changed"
      id: string
      from: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
      to: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
      boxes: {
        from: {
          done: number
          total: number
        }
        to: {
          done: number
          total: number
        }
      } | null
    }>
    was: number
    is: number
  }>
}

export type PortfolioInput = Record<string, never>

export type PortfolioReviewedBody = {
  event: "portfolio-reviewed"
  turn: string
  step: string
  snapshot: {
    missions: Array<{
      id: string
      status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
      boxes: {
        done: number
        total: number
      }
      turns: number
      drift: Array<string>
    }>
    complaints: number
  }
}

export type Post = {
  position: number
  id: string
  at: string
  room: string
  kind: "said" | "accepted" | "working" | "step" | "answer" | "aside" | "refusal" | "notice" | "approval"
  author: Author
  text: string
  session: string | null
  turn: string | null
  step: {
    id: string
    state: "running" | "ok" | "failed" | "interrupted" | "refused"
  } | null
  approval: {
    name: string
    state: "open" | "approved" | "denied" | "lapsed"
    until: string | null
  } | null
  bulletin?: {
    kind: "scheduled" | "change" | "digest"
    situation: {
      room: string
      at: string
      agents: Array<{
        id: string
        readiness: "registered" | "ready" | "lapsed" | "absent" | "broken"
        doing: string | null
        waiting: number
        gone: boolean
      }>
      work: {
        running: number
        queued: number
        waiting: number
        stuck: number
      }
      approvals: Array<{
        approval: string
        agent: string
        opens: string
        asked: string
        until: string
        late: boolean
      }>
      budgets: Array<{
        agent: string
        of: "room" | "day"
        unit: "tokens" | "usd"
        state: "near" | "spent"
        says: string
      }>
      missions: {
        open: Array<{
          id: string
          title: string
          status: "in-progress" | "ready" | "blocked" | "complete" | "deferred" | "unknown"
        }>
        done: Array<string>
      }
      ended: {
        since: string | null
        done: number
        failed: number
        cancelled: number
      }
      more: {
        agents: number
        approvals: number
        budgets: number
        missions: number
      }
    }
  } | undefined
}

export type PostsAnswer = {
  room: string
  posts: Array<Post>
  older: boolean
  newer: boolean
}

export type PostsInput = {
  /** which room */
  room: string
  /** the position that they are to be before; the end where none is given */
  before?: number | undefined
  /** the position that they are to be after, instead */
  after?: number | undefined
  /** how many, up to 200 */
  limit?: number | undefined
}

export type Presence = {
  id: string
  type: string | null
  readiness: "registered" | "ready" | "lapsed" | "absent" | "broken"
  peripherals: Array<string>
  reason: string | null
  activity?: string | undefined
}

export type PresenceBody = {
  event: "presence"
  agent: Presence
}

export type Probe = {
  name: string
  ok: boolean
  detail: string
}

export type ProblemDetails = {
  type: string
  title: string
  status: number
  detail: string
  code: RefusalCode
  remedy: string
  wait?: number | undefined
}

export type ProfileAnswer = {
  receipt: Receipt
  output?: {
    room: string
    profile: string | null
    own: boolean
    summary: string | null
  } | undefined
}

export type ProfileInput = {
  to?: string | undefined
}

export type ProfileSetBody = {
  event: "profile-set"
  from: string | null
  to: string | null
}

export type ProfilesAnswer = {
  room: string | null
  profile: string | null
  profiles: Array<{
    name: string
    holds: boolean
    summary: string
    models: Record<string, string>
    sandbox?: "read-only" | "workspace-write" | undefined
    approval: "as-declared" | "always"
    budget: {
      turn?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
      room?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
      day?: {
        tokens?: number | undefined
        usd?: number | undefined
      } | undefined
    }
  }>
}

export type ProfilesInput = {
  /** in this room or thread */
  room?: string | undefined
}

export type Progress = {
  room: string
  session: string
  step: string
  text: string
}

export type Proof = {
  session: string
  ok: boolean
  entries: number
  steps: number
  dropped: number
  head: string
  violations: Array<Violation>
  more: number
  checks: Array<Check>
}

export type ProofAnswer = {
  id: string
  title: string
  mode: "SPEC" | "FALSIFY" | "CONSTRUCT" | "VERIFY" | "MAP"
  phase: "setup" | "observe" | "propose" | "execute" | "validate" | "classify" | "integrate" | "commit" | "gate-review"
  counts: Record<string, number>
  at: {
    session: string
    agent: string
  } | null
  view: "whole" | "graph"
  statement: {
    version: number
    text: string
    hash: string
    why: string
  } | null
  statements: Array<{
    version: number
    text: string
    hash: string
    why: string
  }>
  items: Array<{
    id: string
    text: string
    dependsOn: Array<string>
    status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    basis: "assertion" | "argument" | "numbers" | "counterexample" | "artifact" | "run" | null
    artifacts: Array<{
      path: string
      state: string
    }>
    runs: Array<string>
    why: string
  }>
  graph: {
    nodes: Array<{
      id: string
      status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
    }>
    edges: Array<{
      from: string
      to: string
    }>
  }
  cycle: {
    n: number
    item: string
    approach: string | null
  } | null
  cycles: Array<{
    n: number
    item: string
    mode: "SPEC" | "FALSIFY" | "CONSTRUCT" | "VERIFY" | "MAP" | null
    outcome: "completed" | "given-up"
    why: string
    at: string
    gates: Array<{
      gate: "scope" | "evidence" | "status" | "acyclic" | "dangling" | "saved" | "fidelity" | "document"
      ok: boolean
      why: string
    }>
    paths: Array<{
      item: string
      statement: string
      status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
      basis: "assertion" | "argument" | "numbers" | "counterexample" | "artifact" | "run" | null
      artifacts: Array<{
        path: string
        state: string
      }>
      runs: Array<string>
      from: Array<{
        item: string
        status: "open" | "partial" | "proved" | "false" | "numerically-verified" | "done" | "blocked" | "abandoned"
      }>
    }>
  }>
  failed: Array<{
    n: number
    item: string
    approach: string
    why: string
  }>
  licence: {
    item: string
    bottleneck: string
    lever: string
    witness: string
    stop: string
    until: string
  } | null
}

export type ProofInput = {
  /** which, such as P-sum; /proofs shows them */
  problem: string
  /** whole, or graph: what depends on what, as Mermaid */
  view?: "whole" | "graph" | undefined
}

export type ProofModeMovedBody = {
  event: "proof-mode-moved"
  undertaking: string
  turn: string
  step: string
  from: "SPEC" | "FALSIFY" | "CONSTRUCT" | "VERIFY" | "MAP"
  to: "SPEC" | "FALSIFY" | "CONSTRUCT" | "VERIFY" | "MAP"
  why: string
}

export type ProofsAnswer = {
  proofs: Array<{
    id: string
    title: string
    mode: "SPEC" | "FALSIFY" | "CONSTRUCT" | "VERIFY" | "MAP"
    phase: "setup" | "observe" | "propose" | "execute" | "validate" | "classify" | "integrate" | "commit" | "gate-review"
    counts: Record<string, number>
    at: {
      session: string
      agent: string
    } | null
  }>
  next: number | null
}

export type ProofsInput = {
  /** how many, up to 100 */
  limit?: number | undefined
  /** from where the page before ended */
  cursor?: number | undefined
}

export type QuestionsAnswer = {
  open: Array<{
    kind: "question" | "conjecture"
    entry: Entry
  }>
}

export type QuestionsInput = {
  /** how many, up to 200 */
  limit?: number | undefined
}

export type QueueAnswer = {
  turns: Array<{
    turn: string
    agent: string
    room: string
    state: "accepted" | "running" | "waiting" | "removed"
    request: string
    by: string
    at: string
    seconds: number
    ahead: number
    number: number | null
  }>
}

export type QueueInput = {
  agent?: string | undefined
}

export type QueuePausedBody = {
  event: "queue-paused"
  agent: string
  paused: boolean
  why: string
}

export type RecallAnswer = {
  sessions: Array<{
    session: string
    agent: string
    room: string
    open: boolean
    about: string
    outcome: string | null
    began: string
    ended: string
    words: Array<string>
    hits: number
    best: {
      entry: string
      line: string
    } | null
  }>
  found: number
  next: number | null
}

export type RecallInput = {
  /** what it had to do with; retr* is the beginning of a word */
  words: string
  /** sessions of this agent */
  agent?: string | undefined
  /** sessions in this room or thread */
  room?: string | undefined
  /** what was written since this time, day or age (7d) */
  since?: string | undefined
  /** how many on a page, up to 20 */
  limit?: number | undefined
  /** which page */
  page?: number | undefined
}

export type Receipt = {
  message: string
  room: string
  mode: "coordination" | "action"
  assignments: Array<Assignment>
  answer: string | null
  whisper?: string | undefined
  dropped?: string | undefined
}

export type RecentAnswer = {
  entries: Array<Entry>
  next: number | null
  through: number
}

export type RecentInput = {
  /** in this room */
  room?: string | undefined
  /** in a session of this agent */
  agent?: string | undefined
  /** not before this time, day or age (2h, 7d) */
  since?: string | undefined
  /** how many, up to 1000 */
  limit?: number | string | undefined
}

export type Refusal = {
  code: RefusalCode
  message: string
  remedy: string
  wait?: number | undefined
}

export type RefusalCode = "host-refused" | "origin-refused" | "route-unknown" | "request-invalid" | "request-too-large" | "rate-exceeded" | "uploads-full" | "workspace-elsewhere" | "draining" | "face-unknown" | "room-unknown" | "thread-unknown" | "thread-archived" | "unauthenticated" | "role-too-low" | "impersonation-refused" | "grant-exceeded" | "agents-only" | "pair-unknown" | "own-echo" | "bot-ignored" | "hops-exceeded" | "network-unknown" | "command-unknown" | "command-invalid" | "mentions-exceeded" | "mode-forbids" | "transition-invalid" | "agent-unknown" | "agent-not-ready" | "peripheral-unknown" | "peripheral-not-inhabited" | "queue-full" | "bell-unknown" | "bell-crossed" | "bell-cooldown" | "store-full" | "store-failed" | "store-busy" | "id-conflict" | "target-missing" | "chain-diverges" | "chain-broken" | "fenced" | "query-invalid" | "position-unknown" | "entry-unknown" | "session-unknown" | "mission-unknown" | "pattern-unknown" | "pattern-refused" | "world-failed" | "game-unknown" | "proof-unknown" | "peripheral-active" | "call-cancelled" | "peripheral-inactive" | "tool-not-allowed" | "arguments-invalid" | "tool-changed" | "server-failed" | "phase-forbids" | "command-not-allowed" | "address-refused" | "path-held" | "approval-required" | "approval-denied" | "approval-lapsed" | "sandbox-missing" | "looping" | "turn-stopped" | "hop-refused" | "entry-refused" | "out-of-scope" | "budget-spent" | "gate-failed" | "approval-unknown" | "approval-closed" | "turn-unknown" | "session-busy" | "nothing-to-undo" | "undo-conflict" | "page-unknown" | "page-closed" | "page-refused" | "work-unknown" | "work-refused" | "source-missing" | "frame-invalid" | "frames-exceeded" | "connections-exceeded" | "reader-slow" | "not-welcome" | "invoke-unknown" | "token-unknown" | "agent-taken" | "credential-invalid" | "protocol-unsupported" | "capabilities-missing" | "challenge-stale" | "probe-failed" | "lease-lapsed"

export type RefusedBody = {
  event: "refused"
  stage: string
  refusal: Refusal
}

export type ReleaseAnswer = {
  receipt: Receipt
  output?: {
    path: string
    agent: string | null
  } | undefined
}

export type ReleaseInput = {
  path: string
}

export type RepliesAnswer = {
  entries: Array<Entry>
}

export type RepliesInput = {
  entry: string
}

export type ResetAnswer = {
  receipt: Receipt
  output?: {
    agent: string
    session: string | null
  } | undefined
}

export type ResetInput = {
  agent: string
}

export type RestoredBody = {
  event: "restored"
  what: string
  steps: Array<string>
  files: Array<FileChange>
  failed: string | null
}

export type RestoringBody = {
  event: "restoring"
  what: string
  steps: Array<string>
  files: Array<FileChange>
}

export type ResumeAnswer = {
  receipt: Receipt
  output?: {
    agent: string
    paused: boolean
  } | undefined
}

export type ResumeInput = {
  /** whose queue, by id or type */
  agent: string
}

export type ReviewedBody = {
  event: "reviewed"
  turn: string
  step: string
  facts: {
    turns: number
    steps: number
    refused: number
    failed: number
    changed: Array<string>
    tests: string
  }
  worked: string
  didNot: string
  next: string
}

export type RevokeAnswer = {
  receipt: Receipt
  output?: {
    token: string
    grant: string
  } | undefined
}

export type RevokeInput = {
  token: string
  why?: string | undefined
}

export type RewindAnswer = {
  receipt: Receipt
  output?: {
    agent: string
    what: string
    dry: boolean
    files: Array<FileChange>
    forced: Array<string>
    failed: Array<string>
    notes: Array<string>
  } | undefined
}

export type RewindInput = {
  step: string
  /** only show what would be put back */
  dry?: boolean | string | undefined
  /** also what was changed since */
  force?: boolean | string | undefined
}

export type Role = "viewer" | "operator" | "approver" | "admin"

export type RoomMode = "discuss" | "diagnose" | "execute"

export type RoomSetBody = {
  event: "room-set"
  setting: "listener" | "show" | "bulletins"
  to: string | null
}

export type RoomsAnswer = {
  rooms: Array<{
    id: string
    mode: RoomMode
    listener: string | null
  }>
}

export type RoomsInput = Record<string, never>

export type RpcAnswer = {
  jsonrpc?: "2.0" | undefined
  id: string | number
  result: unknown
} | {
  jsonrpc?: "2.0" | undefined
  id: string | number
  error: {
    message: string
  }
}

export type RpcApprovalAnswer = {
  decision: "accept" | "decline" | "cancel" | "approved" | "denied"
  note?: string | undefined
}

export type RpcApprovalParams = {
  threadId: string
  turnId: string
  itemId: string
  approval: string
  reason: string
  opens: string
  command: string | null
  call: {
    tool: string
    args: Record<string, unknown>
  }
  until: string
  availableDecisions: Array<string>
}

export type RpcConfigReadParams = Record<string, never>

export type RpcConfigReadResult = {
  config: Record<string, unknown>
}

export type RpcError = {
  code: number
  message: string
  data?: {
    code: RefusalCode
    remedy: string
    wait?: number | undefined
  } | undefined
}

export type RpcErrorNotice = {
  threadId: string
  requestId: string | number
  error: RpcError
}

export type RpcInitializeParams = {
  clientInfo: {
    name: string
    title?: string | null | undefined
    version?: string | undefined
  }
  protocolVersion?: number | undefined
  capabilities?: Record<string, unknown> | null | undefined
}

export type RpcInitializeResult = {
  protocolVersion: number
  serverInfo: {
    name: string
    version: string
  }
  userAgent: string
  person: {
    name: string
    role: string
  }
}

export type RpcItemAgentMessageDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcItemCommandExecutionOutputDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcItemCompletedNotice = {
  threadId: string
  turnId: string | null
  item: Item
}

export type RpcItemFileChangeOutputDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcItemHopOutputDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcItemMcpToolCallOutputDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcItemStartedNotice = {
  threadId: string
  turnId: string | null
  item: Item
}

export type RpcItemToolStepOutputDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcItemWebFetchOutputDeltaNotice = {
  threadId: string
  turnId: string | null
  itemId: string
  delta: string
}

export type RpcModelListParams = Record<string, never>

export type RpcModelListResult = {
  data: Array<{
    id: string
    model: string
    displayName: string
    isDefault: boolean
    readiness: "registered" | "ready" | "lapsed" | "absent" | "broken"
    peripheral: string
    peripherals: Array<string>
  }>
  nextCursor: string | null
}

export type RpcNotification = {
  jsonrpc?: "2.0" | undefined
  method: string
  params?: Record<string, unknown> | undefined
}

export type RpcRequest = {
  jsonrpc?: "2.0" | undefined
  id: string | number
  method: string
  params?: Record<string, unknown> | undefined
}

export type RpcServerRequestResolvedNotice = {
  threadId: string
  requestId: string | number
}

export type RpcStreamLostNotice = {
  missed: number
}

export type RpcThread = {
  id: string
  name: string
  agent: string
  room: string
  status: {
    type: "idle" | "active"
  }
  archived: boolean
  forkedFrom: {
    threadId: string
    turnId: string | null
  } | null
  createdBy: string
  createdAt: string
}

export type RpcThreadArchiveParams = {
  threadId: string
}

export type RpcThreadArchiveResult = Record<string, never>

export type RpcThreadArchivedNotice = {
  threadId: string
}

export type RpcThreadForkParams = {
  threadId: string
  lastTurnId?: string | undefined
  name?: string | undefined
}

export type RpcThreadForkResult = {
  thread: RpcThread
}

export type RpcThreadListParams = {
  archived?: boolean | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

export type RpcThreadListResult = {
  data: Array<RpcThread>
  nextCursor: string | null
}

export type RpcThreadReadParams = {
  threadId: string
  cursor?: string | undefined
  limit?: number | undefined
}

export type RpcThreadReadResult = {
  thread: RpcThread
  turns: Array<{
    id: string
    threadId: string
    agent: string
    peripheral: string
    status: "queued" | "inProgress" | "completed" | "failed" | "interrupted"
    outcome: TurnOutcome | null
    items: Array<Item>
    cut: boolean
  }>
  nextCursor: string | null
}

export type RpcThreadResumeParams = {
  threadId: string
  cursor?: string | undefined
  limit?: number | undefined
}

export type RpcThreadResumeResult = {
  thread: RpcThread
  turns: Array<{
    id: string
    threadId: string
    agent: string
    peripheral: string
    status: "queued" | "inProgress" | "completed" | "failed" | "interrupted"
    outcome: TurnOutcome | null
    items: Array<Item>
    cut: boolean
  }>
  nextCursor: string | null
}

export type RpcThreadStartParams = {
  agent?: string | undefined
  name?: string | undefined
  room?: string | undefined
}

export type RpcThreadStartResult = {
  thread: RpcThread
}

export type RpcThreadStartedNotice = {
  thread: RpcThread
}

export type RpcThreadUnarchiveParams = {
  threadId: string
}

export type RpcThreadUnarchiveResult = {
  thread: RpcThread
}

export type RpcThreadUnarchivedNotice = {
  threadId: string
}

export type RpcThreadUnsubscribeParams = {
  threadId: string
}

export type RpcThreadUnsubscribeResult = Record<string, never>

export type RpcTurn = {
  id: string
  threadId: string
  agent: string
  peripheral: string
  status: "queued" | "inProgress" | "completed" | "failed" | "interrupted"
  outcome: TurnOutcome | null
}

export type RpcTurnCompletedNotice = {
  threadId: string
  turn: RpcTurn
}

export type RpcTurnInterruptParams = {
  threadId: string
  turnId?: string | undefined
}

export type RpcTurnInterruptResult = Record<string, never>

export type RpcTurnStartParams = {
  threadId: string
  input: Array<{
    type: "text"
    text: string
  }>
  agent?: string | undefined
  peripheral?: string | undefined
  messageId?: string | undefined
}

export type RpcTurnStartResult = {
  turn: RpcTurn
}

export type RpcTurnStartedNotice = {
  threadId: string
  turn: RpcTurn
}

export type RpcTurnSteerParams = {
  threadId: string
  expectedTurnId?: string | undefined
  input: Array<{
    type: "text"
    text: string
  }>
}

export type RpcTurnSteerResult = {
  turnId: string
}

export type RunResult = {
  argv: Array<string>
  for: "look" | "test" | "check" | "work" | "git" | "deploy"
  exit: number | null
  ended: "exit" | "signal" | "time" | "memory" | "processes" | "output" | "cancelled"
  report: TestReport | null
  commit: string | null
  pushed: Array<string>
  tree?: string | undefined
}

export type SayAnswer = Receipt

export type SayInput = {
  /** which room */
  room?: string | undefined
  /** the line */
  text: string
  /** the same id twice is the same line: it is answered again, not done again */
  id?: string | undefined
  /** the name to speak as, for the admin */
  as?: string | null | undefined
}

export type SeatAnswer = {
  agent: string
  room: string
  session: string | null
  turn: string | null
  peripheral: string
  active: boolean
  tools: Array<string>
}

export type SeatInput = Record<string, never>

export type ServerFrame = {
  type: "challenge"
  id: string
  re: string
  protocol: string
  nonce: string
  peripherals: Array<string>
} | {
  type: "welcome"
  id: string
  re: string
  protocol: string
  agent: string
  room: string
  peripherals: Array<string>
  capabilities: Array<"invoke" | "evidence">
  lease: {
    ms: number
    ping_ms: number
  }
  resumed: boolean
  session_id: string | null
  turn_id: string | null
  peripheral_id: string | null
  tools: Array<string>
} | {
  type: "receipt"
  id: string
  re: string
  message: string
  room: string
  mode: "coordination" | "action"
  assignments: Array<Assignment>
  answer: string | null
  whisper?: string | undefined
  dropped?: string | undefined
} | {
  type: "peripheral_started"
  id: string
  re: string
  peripheral_id: string
  session_id: string
  turn_id: string
  tools: Array<string>
} | {
  type: "tool_result"
  id: string
  re: string
  tool: string
  step_id: string
  ok: boolean
  report: StepReport
} | {
  type: "hopped"
  id: string
  re: string
  peripheral_id: string
  tools: Array<string>
  context: Record<string, unknown>
} | {
  type: "peripheral_stopped"
  id: string
  re?: string | undefined
  turn_id: string | null
  peripheral_id: string | null
  reason: string
  fruit: Fruit | null
  already: boolean
} | {
  type: "invoke"
  id: string
  invoke_id: string
  prompt: string
  session_id: string
  peripheral_id: string
  tools: Array<string>
  again: boolean
} | {
  type: "invoke_ended"
  id: string
  re: string
  invoke_id: string
  outcome: TurnOutcome
  already: boolean
} | {
  type: "status_ack"
  id: string
  re: string
} | {
  type: "subscribed"
  id: string
  re: string
  after: number
} | {
  type: "evidence"
  id: string
  subscription: string
  entry: Entry
} | {
  type: "unsubscribed"
  id: string
  re: string
  subscription: string
} | {
  type: "pong"
  id: string
  re: string
} | {
  type: "tools"
  id: string
  re: string
  peripheral_id: string
  active: boolean
  tools: Array<{
    name: string
    help: string
    schema: Record<string, unknown>
  }>
} | {
  type: "error"
  id: string
  re: string | null
  code: RefusalCode
  message: string
  remedy: string
  wait?: number | undefined
  context: Record<string, unknown>
}

export type SessionClosedBody = {
  event: "session-closed"
  reason: string
}

export type SessionOpenedBody = {
  event: "session-opened"
  agent: string
  room: string
}

export type SessionsAnswer = {
  sessions: Array<{
    id: string
    room: string
    agent: string
    open: boolean
    peripheral: string | null
    began: string
    last: string
    entries: number
    turns: number
    turn: {
      status: "accepted" | "running" | "done" | "failed" | "cancelled"
      request: string
    } | null
  }>
  next: string | null
}

export type SessionsInput = {
  /** of this agent */
  agent?: string | undefined
  /** in this room */
  room?: string | undefined
  /** only those that are open, or only those that are not */
  open?: boolean | string | undefined
  /** from where the page before ended: its last session */
  before?: string | undefined
  limit?: number | undefined
}

export type SettingsAnswer = {
  receipt: Receipt
  output?: {
    room: string
    settings: Array<{
      setting: "listener" | "show" | "bulletins"
      value: string
      own: boolean
    }>
    watching: Array<string>
  } | undefined
}

export type SettingsInput = {
  /** which; all of them where none is named */
  setting?: "listener" | "show" | "bulletins" | undefined
  /** what it is to be; default is as the config says */
  value?: string | undefined
}

export type ShowAnswer = {
  entry: Entry
}

export type ShowInput = {
  entry: string
}

export type SignedInBody = {
  event: "signed-in"
  person: string
  role: Role
  name: string
}

export type SnapshotTakenBody = {
  event: "snapshot-taken"
  turn: string
  tree: string
}

export type SourcesAnswer = {
  tools: Array<{
    tool: string
    peripherals: Array<string>
    state: "accepted" | "changed" | "unseen"
    hash: string | null
    accepted: string | null
    description: string
    schema: string
  }>
  whole: boolean
}

export type SourcesInput = {
  tool?: string | undefined
}

export type StartAnswer = {
  agent: string
  room: string
  session: string | null
  turn: string | null
  peripheral: string
  active: boolean
  tools: Array<string>
}

export type StartInput = {
  peripheral?: string | undefined
  /** what for, in a few words */
  request?: string | undefined
}

export type StatementSetBody = {
  event: "statement-set"
  undertaking: string
  turn: string
  step: string
  version: number
  text: string
  hash: string
  why: string
  shaken: Array<string>
}

export type StatusAnswer = {
  turns: Array<{
    turn: string
    session: string
    room: string
    agent: string
    peripheral: string | null
    by: string
    request: string
    state: "accepted" | "queued" | "running" | "waiting" | "parked" | "stalled" | "interrupted" | "done" | "failed" | "cancelled"
    detail: string
    ahead: number
    steps: {
      taken: number
      failed: number
      refused: number
    }
    approval: string | null
    accepted: string
    started: string | null
    ended: string | null
  }>
}

export type StatusInput = Record<string, never>

export type SteerAnswer = {
  receipt: Receipt
  output?: {
    turn: string
    agent: string
  } | undefined
}

export type SteerInput = {
  text: string
  /** whose turn */
  agent?: string | undefined
  /** the turn that is meant: refused where another runs */
  turn?: string | undefined
}

export type SteeredBody = {
  event: "steered"
  turn: string
  text: string
  page?: string | undefined
}

export type StepAnswer = {
  receipt: Receipt
  output?: {
    step: string
    report: StepReport | null
    waits?: string | undefined
  } | undefined
}

export type StepEndedBody = {
  event: "step-ended"
  turn: string
  step: string
  tool: string
  outcome: StepOutcome
}

export type StepInput = {
  tool: string
  /** what the tool takes: key=value, or the words of a command */
  args?: string | Array<string> | Record<string, unknown> | undefined
}

export type StepIntendedBody = {
  event: "step-intended"
  turn: string
  step: string
  call: ToolCall
  reads?: Array<string> | undefined
  writes?: Array<string> | undefined
  approval?: string | undefined
  pin?: string | undefined
}

export type StepOutcome = {
  kind: "ok"
  output: string
  paths: Array<string>
  cut: string | null
  changed?: Array<string> | undefined
  files?: Array<FileChange> | undefined
  more?: {
    before: string
    after: string
    files: number
  } | undefined
  seen?: Array<{
    path: string
    state: string
  }> | undefined
  run?: RunResult | undefined
  spill?: string | undefined
  world?: {
    game: string
    n: number
    changed: boolean
    score: number
    won: boolean
  } | undefined
  phase?: string | undefined
  undertaking?: string | undefined
} | {
  kind: "failed"
  message: string
  output?: string | undefined
  cut?: string | null | undefined
  changed?: Array<string> | undefined
  files?: Array<FileChange> | undefined
  more?: {
    before: string
    after: string
    files: number
  } | undefined
  seen?: Array<{
    path: string
    state: string
  }> | undefined
  run?: RunResult | undefined
  spill?: string | undefined
  world?: {
    game: string
    n: number
    changed: boolean
    score: number
    won: boolean
  } | undefined
  hint?: string | undefined
} | {
  kind: "interrupted"
  message: string
}

export type StepRefusedBody = {
  event: "step-refused"
  turn: string
  step: string
  call: ToolCall
  refusal: Refusal
}

export type StepReport = StepOutcome | {
  kind: "refused"
  refusal: Refusal
}

export type StepsAnswer = {
  steps: Array<{
    step: string
    turn: string
    session: string
    agent: string
    call: ToolCall
    state: "running" | "refused" | "ok" | "failed" | "interrupted"
    refusal: Refusal | null
    outcome: StepOutcome | null
    began: string
    ended: string | null
  }>
}

export type StepsInput = {
  /** of this session */
  session?: string | undefined
  /** of this turn */
  turn?: string | undefined
  /** with this tool */
  tool?: string | undefined
  /** how many, up to 200 */
  limit?: number | undefined
}

export type StopAnswer = {
  receipt: Receipt
  output?: {
    stopped: Array<{
      turn: string
      agent: string
    }>
  } | undefined
}

export type StopAskedBody = {
  event: "stop-asked"
  turn: string
  why: string
  step?: string | undefined
  queued?: true | undefined
}

export type StopInput = {
  /** whose work; or one turn, by its id */
  agent?: string | undefined
  why?: string | undefined
  /** this turn alone */
  turn?: string | undefined
}

export type StoreVerdict = {
  ok: boolean
  position: number
  root: string
  signed: number | null
  violations: Array<{
    rule: string
    what: string
  }>
}

export type SupposedBody = {
  event: "supposed"
  text: string
}

export type TestReport = {
  runner: string
  passed: number
  failed: number
  skipped: number
  failures: Array<string>
}

export type ThreadArchivedBody = {
  event: "thread-archived"
  thread: string
  archived: boolean
}

export type ThreadBoundBody = {
  event: "thread-bound"
  thread: string
  network: string
  channel: string
}

export type ThreadStartedBody = {
  event: "thread-started"
  thread: string
  agent: string
  name: string
  room: string
  mode: RoomMode
  from: {
    thread: string
    turn: string | null
  } | null
}

export type ThreadsAnswer = {
  threads: Array<{
    id: string
    agent: string
    name: string
    room: string
    from: {
      thread: string
      turn: string | null
    } | null
    archived: boolean
    by: string
    at: string
  }>
  next: number | null
}

export type ThreadsInput = {
  /** those that are archived */
  archived?: boolean | string | undefined
  /** how many, up to 100 */
  limit?: number | undefined
  /** from where the page before ended */
  cursor?: number | undefined
}

export type TickleAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type TickleCycledBody = {
  event: "tickle-cycled"
  through: number
  due: string | null
  agents: Array<{
    agent: string
    state: "idle" | "queued" | "parked" | "thinking" | "waiting" | "stuck" | "gone"
    why: string
  }>
  did: Array<string>
}

export type TickleInput = {
  /** what it is to do */
  action?: "scan" | "page" | "cycle" | undefined
  /** of page: the agent, and why */
  about?: string | undefined
}

export type TodoAddedBody = {
  event: "todo-added"
  text: string
  by: string
}

export type TodoAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type TodoDoneBody = {
  event: "todo-done"
  todo: string
  by: string
}

export type TodoInput = {
  /** list, add, done */
  action?: "list" | "add" | "done" | undefined
  /** what is to be done; for done its number, or words of it */
  rest?: string | undefined
}

export type TokenMintedBody = {
  event: "token-minted"
  name: string
  label: string
  grant: Grant
  expires: string | null
}

export type TokenRevokedBody = {
  event: "token-revoked"
  name: string
  why: string
}

export type TokenRow = {
  token: string
  label: string
  grant: Grant
  by: string
  made: string
  expires: string | null
  state: "valid" | "expired" | "revoked"
}

export type TokensAnswer = {
  tokens: Array<TokenRow>
}

export type TokensInput = Record<string, never>

export type ToolCall = {
  tool: string
  args: Record<string, unknown>
}

export type ToolPinnedBody = {
  event: "tool-pinned"
  server: string
  tool: string
  hash: string
  role: Role | null
}

export type ToolSeenBody = {
  event: "tool-seen"
  server: string
  tool: string
  nth: number
  described: string
  hash: string
}

export type TreeAnswer = {
  root: string
  status: "open" | "closed" | "forked" | "stalled"
  entries: Array<{
    depth: number
    entry: Entry
  }>
  forks: Array<Entry>
  open: Array<string>
  cut: boolean
}

export type TreeInput = {
  entry: string
}

export type TryAnswer = {
  peripheral: string
  tool: string
  phase: string | null
  verdict: {
    kind: "passes"
    reads: Array<string>
    writes: Array<string>
    command: {
      argv: Array<string>
      for: "look" | "test" | "check" | "work" | "git" | "deploy"
      sandbox?: "read-only" | "workspace-write" | "full" | undefined
      network: boolean
      approve: boolean
      phases?: Array<string> | undefined
    } | null
    sandbox: "read-only" | "workspace-write" | "full" | null
  } | {
    kind: "asks"
    why: string
    opens: string
    writes: Array<string>
  } | {
    kind: "refused"
    rule: number | null
    code: RefusalCode
    message: string
    remedy: string
  }
  granted: Array<string>
}

export type TryInput = {
  peripheral: string
  tool: string
  /** what the tool takes: key=value, or JSON */
  args?: string | Record<string, unknown> | undefined
  /** in this phase; the first where none is named */
  phase?: string | undefined
  /** as it would be in this room: its mode, and its profile */
  room?: string | undefined
  /** asked for by somebody with this role */
  role?: Role | undefined
}

export type TurnAmendedBody = {
  event: "turn-amended"
  turn: string
  request: string
}

export type TurnBriefedBody = {
  event: "turn-briefed"
  turn: string
  text: string
  from: Array<string>
}

export type TurnEndedBody = {
  event: "turn-ended"
  turn: string
  outcome: TurnOutcome
  answer: string
  said?: string | undefined
}

export type TurnNotedBody = {
  event: "turn-noted"
  turn: string
  about: "retry" | "fallback" | "steer" | "compacted" | "slow" | "resumed"
  text: string
}

export type TurnOutcome = "done" | "failed" | "cancelled"

export type TurnStartedBody = {
  event: "turn-started"
  turn: string
}

export type UnarchiveAnswer = {
  receipt: Receipt
  output?: {
    thread: {
      id: string
      agent: string
      name: string
      room: string
      from: {
        thread: string
        turn: string | null
      } | null
      archived: boolean
      by: string
      at: string
    }
  } | undefined
}

export type UnarchiveInput = {
  /** which; where none is named, the one it is said in */
  thread?: string | undefined
}

export type UndertakingOpenedBody = {
  event: "undertaking-opened"
  undertaking: string
  turn: string
  step: string
  title: string
}

export type UndertakingSavedBody = {
  event: "undertaking-saved"
  undertaking: string
  turn: string
  step: string
  file: {
    path: string
    state: string
  }
  through: number
}

export type UndertakingTakenBody = {
  event: "undertaking-taken"
  undertaking: string
  turn: string
  step: string
  session: string
  stay: string
}

export type UndoAnswer = {
  receipt: Receipt
  output?: {
    agent: string
    what: string
    dry: boolean
    files: Array<FileChange>
    forced: Array<string>
    failed: Array<string>
    notes: Array<string>
  } | undefined
}

export type UndoInput = {
  agent?: string | undefined
  /** another turn, or merge, than the last that changed something; or all */
  turn?: string | undefined
  /** only show what would be put back */
  dry?: boolean | string | undefined
  /** also what was changed since */
  force?: boolean | string | undefined
}

export type UngateAnswer = {
  receipt: Receipt
  output?: {
    room: string
    listener: string | null
  } | undefined
}

export type UngateInput = {
  /** who listens; the usual one where nobody is named */
  agent?: string | undefined
}

export type UnpairAnswer = {
  receipt: Receipt
  output?: {
    person: string
    identity: string
  } | undefined
}

export type UnpairInput = {
  /** the account, as /whoami shows it */
  identity: string
}

export type UnpairedBody = {
  event: "unpaired"
  person: string
  identity: string
}

export type UnqueueAnswer = {
  receipt: Receipt
  output?: {
    turn: string
    agent: string
  } | undefined
}

export type UnqueueInput = {
  turn: string
  why?: string | undefined
}

export type UnwatchAnswer = {
  receipt: Receipt
  output?: {
    room: string
    watching: Array<string>
  } | undefined
}

export type UnwatchInput = {
  /** which room or thread */
  watched: string
}

export type UsageAnswer = {
  by: "agent" | "person" | "room" | "day" | "model" | "turn"
  asOf: string
  rows: Array<{
    name: string | null
    spent: {
      requests: number
      input: number
      cached: number
      written: number
      output: number
      reasoning: number
      usd: number
      unpriced: number
    }
  }>
  more: number
  total: {
    requests: number
    input: number
    cached: number
    written: number
    output: number
    reasoning: number
    usd: number
    unpriced: number
  }
  budgets: Array<{
    agent: string
    room: string
    of: "turn" | "room" | "day"
    unit: "tokens" | "usd"
    used: number
    limit: number
    unpriced: number
  }>
}

export type UsageInput = {
  /** by this agent */
  agent?: string | undefined
  /** for this person */
  person?: string | undefined
  /** in this room or thread */
  room?: string | undefined
  /** by this turn */
  turn?: string | undefined
  /** from this day on (UTC), such as 2026-01-02 or 7d */
  since?: string | undefined
  /** a row for each agent, person, room, day, model, turn; of turns, for the last thousand */
  by?: "agent" | "person" | "room" | "day" | "model" | "turn" | undefined
  /** how many rows, up to 1000 */
  limit?: number | undefined
}

export type UsageNotedBody = {
  event: "usage-noted"
  turn: string
  model: string | null
  usage: {
    input: number
    cached: number
    written: number
    output: number
    reasoning: number
  }
  usd: number | null
  person: string
  reckoned?: boolean | undefined
}

export type VerifiedBody = {
  event: "verified"
  through: number
  ok: boolean
  steps: number
  files: number
  violations: Array<Violation>
}

export type VerifyAnswer = {
  ok: boolean
  verdicts: Array<Proof>
  store: StoreVerdict | null
}

export type VerifyInput = {
  session?: string | undefined
  /** every chain, and the store as a whole */
  all?: boolean | string | undefined
  /** hold it against a head that was kept elsewhere */
  head?: string | undefined
  /** also whether the files are still what the session left */
  files?: boolean | string | undefined
}

export type Violation = {
  entry: string
  rule: string
  what: string
}

export type WallAnswer = {
  spec: {
    id: string
    purpose: string
    tools: Array<"read" | "list" | "glob" | "grep" | "edit" | "multi-edit" | "apply-patch" | "write" | "run" | "terminal" | "web-fetch" | "evidence" | "reflect" | "advance" | "hop" | "mc-inventory" | "mc-coverage" | "mc-review" | "mc-diff" | "mc-next" | "mc-sessions" | "mc-bulletin" | "mc-focus" | "mc-watch" | "mc-todo" | "mc-new" | "pattern-search" | "pattern-read" | "pattern-record" | "pattern-select" | "pattern-outcome" | "pattern-pivot" | "pattern-punctuate" | "pattern-proposals" | "pattern-new" | "pattern-retire" | "pattern-decline" | "bell" | "whistle" | "park" | "cycle-get" | "cycle-list" | "cycle-begin" | "cycle-back" | "cycle-end" | "ledger-query" | "ledger-upsert" | "ledger-impact" | "approach-failed" | "classify" | "gate-check" | "proof-load" | "proof-statement" | "proof-mode" | "proof-licence" | "proof-save" | "mission-load" | "mission-audit" | "mission-wiring" | "mission-save" | "tickle-scan" | "tickle-page" | "tickle-cycle" | "world-reset" | "world-act" | "world-state" | string>
    scope: {
      read: Array<string>
      write: Array<string>
      deny: Array<string>
      hardLinks: boolean
      evidence: "none" | "session" | "room" | "all"
      web: {
        hosts: Array<string>
        private: boolean
      }
    }
    sandbox: "read-only" | "workspace-write" | "full"
    approval: {
      policy: "never" | "on-request" | "always"
      tools: Array<"read" | "list" | "glob" | "grep" | "edit" | "multi-edit" | "apply-patch" | "write" | "run" | "terminal" | "web-fetch" | "evidence" | "reflect" | "advance" | "hop" | "mc-inventory" | "mc-coverage" | "mc-review" | "mc-diff" | "mc-next" | "mc-sessions" | "mc-bulletin" | "mc-focus" | "mc-watch" | "mc-todo" | "mc-new" | "pattern-search" | "pattern-read" | "pattern-record" | "pattern-select" | "pattern-outcome" | "pattern-pivot" | "pattern-punctuate" | "pattern-proposals" | "pattern-new" | "pattern-retire" | "pattern-decline" | "bell" | "whistle" | "park" | "cycle-get" | "cycle-list" | "cycle-begin" | "cycle-back" | "cycle-end" | "ledger-query" | "ledger-upsert" | "ledger-impact" | "approach-failed" | "classify" | "gate-check" | "proof-load" | "proof-statement" | "proof-mode" | "proof-licence" | "proof-save" | "mission-load" | "mission-audit" | "mission-wiring" | "mission-save" | "tickle-scan" | "tickle-page" | "tickle-cycle" | "world-reset" | "world-act" | "world-state" | string>
    }
    ceiling: {
      sandbox: "read-only" | "workspace-write" | "full"
      network: boolean
      write: Array<string>
      commands: Array<{
        argv: Array<string>
        for: "look" | "test" | "check" | "work" | "git" | "deploy"
        sandbox?: "read-only" | "workspace-write" | "full" | undefined
        network: boolean
        approve: boolean
        phases?: Array<string> | undefined
      }>
    } | null
    modes: Array<RoomMode>
    role: Role
    entry: Array<"user-request" | "tests-passed" | string>
    exit: Array<{
      when: "always" | "found-target" | "changed" | "blocked" | "pass" | "fail" | "flaky" | "deployed" | "reviewed" | "won" | "stuck" | "cycle-completed"
      to: Array<string>
    }>
    context: Array<"target-files" | "changed-files" | "test-result" | "commit" | "review">
    phases: Array<{
      id: string
      tools: Array<"read" | "list" | "glob" | "grep" | "edit" | "multi-edit" | "apply-patch" | "write" | "run" | "terminal" | "web-fetch" | "evidence" | "reflect" | "advance" | "hop" | "mc-inventory" | "mc-coverage" | "mc-review" | "mc-diff" | "mc-next" | "mc-sessions" | "mc-bulletin" | "mc-focus" | "mc-watch" | "mc-todo" | "mc-new" | "pattern-search" | "pattern-read" | "pattern-record" | "pattern-select" | "pattern-outcome" | "pattern-pivot" | "pattern-punctuate" | "pattern-proposals" | "pattern-new" | "pattern-retire" | "pattern-decline" | "bell" | "whistle" | "park" | "cycle-get" | "cycle-list" | "cycle-begin" | "cycle-back" | "cycle-end" | "ledger-query" | "ledger-upsert" | "ledger-impact" | "approach-failed" | "classify" | "gate-check" | "proof-load" | "proof-statement" | "proof-mode" | "proof-licence" | "proof-save" | "mission-load" | "mission-audit" | "mission-wiring" | "mission-save" | "tickle-scan" | "tickle-page" | "tickle-cycle" | "world-reset" | "world-act" | "world-state" | string>
      outputs: Array<string>
      back?: Array<string> | undefined
    }>
    cycle?: "proof" | "mission" | undefined
    checks: Array<string>
    limits: {
      stepsPerTurn: number
      stepsPerSession: number
      secondsPerTurn: number
      outputPerTurn: number
      outputBytes: number
      outputLines: number
      seconds: number
      memoryMb: number
      processes: number
    }
    examples: {
      allowed: Array<{
        tool: string
        args: Record<string, unknown>
        why: string
        phase?: string | undefined
      }>
      refused: Array<{
        tool: string
        args: Record<string, unknown>
        why: string
        phase?: string | undefined
      }>
    }
    commands: Array<{
      argv: Array<string>
      for: "look" | "test" | "check" | "work" | "git" | "deploy"
      sandbox?: "read-only" | "workspace-write" | "full" | undefined
      network: boolean
      approve: boolean
      phases?: Array<string> | undefined
    }>
  }
  tools: Array<{
    name: string
    help: string
    takes: Record<string, unknown> | null
  }>
  conditions: Array<{
    when: "always" | "found-target" | "changed" | "blocked" | "pass" | "fail" | "flaky" | "deployed" | "reviewed" | "won" | "stuck" | "cycle-completed"
    says: string
  }>
}

export type WallDeclaredBody = {
  event: "wall-declared"
  peripheral: string
  spec: string
  hash: string
}

export type WallInput = {
  peripheral: string
}

export type WatchAnswer = {
  receipt: Receipt
  output?: {
    room: string
    watching: Array<string>
  } | undefined
}

export type WatchInput = {
  /** which room or thread */
  watched: string
}

export type WatchSetBody = {
  event: "watch-set"
  watched: string
  on: boolean
}

export type WhistleAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type WhistleInput = {
  /** who is rung for, by id or type */
  agent: string
  /** what is said; it may begin with what it is, such as query: */
  text: string
  /** what it is, where the text does not say so; a request otherwise */
  act?: "query" | "answer" | "assert" | "challenge" | "agree" | "define" | "retract" | "suggest" | "request" | undefined
  /** the bell it is about; an answer needs one */
  ref?: string | undefined
  /** behind which wall; otherwise the agent’s own */
  peripheral?: string | undefined
  /** how long a program that asks waits; in a room the answer comes when it comes */
  seconds?: number | undefined
}

export type WhoAnswer = {
  agents: Array<Presence>
}

export type WhoInput = Record<string, never>

export type WhoamiAnswer = {
  name: string
  role: Role
  face: "web" | "terminal" | "cli" | "api" | "agent" | "irc" | "discord"
  via: string | null
  agent?: true | undefined
  guest?: true | undefined
  sender?: {
    network: string
    account: string | null
    visit: string | null
    nick: string
    bot: boolean
    groups: Array<string>
  } | undefined
  known: "account" | "visit" | "token" | "nothing"
  may: {
    work: Array<string>
    change: Array<string>
    look: Array<string>
  }
}

export type WhoamiInput = Record<string, never>

export type WorkAddedBody = {
  event: "work-added"
  work: string
  title: string
  text: string
  priority: "high" | "normal" | "low"
  after: Array<string>
  agent: string | null
  reviewer: string | null
  mission: string | null
  from: string
  role: Role
}

export type WorkAnswer = {
  receipt: Receipt
  output?: {
    did: string
    work: Array<{
      id: string
      title: string
      state: "open" | "working" | "reviewing" | "approved" | "people" | "done" | "dropped"
      priority: "high" | "normal" | "low"
      room: string
      by: string
      after: Array<string>
      round: number
      agent: string | null
      turn: string | null
      why: string
    }>
  } | undefined
}

export type WorkEndedBody = {
  event: "work-ended"
  work: string
  title: string
  outcome: "done" | "dropped"
  why: string
}

export type WorkGivenBody = {
  event: "work-given"
  work: string
  phase: "work" | "review"
  round: number
  agent: string
  turn: string
}

export type WorkInput = {
  /** what to do with the work queue */
  action?: "add" | "list" | "show" | "drop" | "retry" | "judge" | "from-mission" | "from-github" | undefined
  /** a title; or which, and of judge approve or changes, and why */
  text?: string | undefined
  /** high, normal or low */
  priority?: "high" | "normal" | "low" | undefined
  /** what must be done before: w-1,w-2 */
  after?: string | undefined
  /** who is to do it */
  agent?: string | undefined
  /** who is to look at it */
  reviewer?: string | undefined
  /** the mission it is for */
  mission?: string | undefined
  /** of from-github: issues with this label */
  label?: string | undefined
  /** of from-github: such as owner/name */
  repository?: string | undefined
}

export type WorkJudgedBody = {
  event: "work-judged"
  work: string
  round: number
  verdict: "approve" | "changes" | "unclear"
  why: string
  turn: string | null
  people: boolean
}

export type WorkReturnedBody = {
  event: "work-returned"
  work: string
  why: string
  people: boolean
  afresh: boolean
}

export type WorldAnswer = {
  receipt: Receipt
  output?: {
    assignments: Array<Assignment>
    answer?: {
      outcome: TurnOutcome
      text: string
    } | null | undefined
  } | undefined
}

export type WorldBegunBody = {
  event: "world-begun"
  game: string
  room: string
  kind: "pick-and-place" | "examine-in-light" | "clean-then-place" | "heat-then-place" | "cool-then-place" | "pick-two-and-place"
  seed: number
  task: string
  by: string
  turn: string
  step: string
}

export type WorldInput = {
  /** new, show, act */
  action?: "new" | "show" | "act" | undefined
  /** for new a kind of task and a seed; for act what is done */
  rest?: string | undefined
}

export type WorldMovedBody = {
  event: "world-moved"
  game: string
  n: number
  player: string
  action: string
  turn: string
  step: string
}

export type WorldWonBody = {
  event: "world-won"
  game: string
  n: number
  player: string
  task: string
}

export type WorldsAnswer = {
  games: Array<{
    game: string
    room: string
    kind: "pick-and-place" | "examine-in-light" | "clean-then-place" | "heat-then-place" | "cool-then-place" | "pick-two-and-place"
    seed: number
    task: string
    by: string
    at: string
    state: "playing" | "won" | "left"
    moves: number
    players: Array<{
      player: string
      moves: number
    }>
    won: {
      n: number
      player: string
    } | null
  }>
  look: {
    game: {
      game: string
      room: string
      kind: "pick-and-place" | "examine-in-light" | "clean-then-place" | "heat-then-place" | "cool-then-place" | "pick-two-and-place"
      seed: number
      task: string
      by: string
      at: string
      state: "playing" | "won" | "left"
      moves: number
      players: Array<{
        player: string
        moves: number
      }>
      won: {
        n: number
        player: string
      } | null
    }
    log: Array<{
      n: number
      player: string
      action: string
      at: string
    }>
    score: number | null
    map: {
      players: Array<{
        player: string
        at: string | null
        holds: string | null
      }>
      places: Array<{
        place: string
        open: boolean | null
        things: Array<{
          thing: string
          is: Array<string>
        }>
      }>
    } | null
  } | null
}

export type WorldsInput = {
  /** a game, such as lobby-1 */
  game?: string | undefined
}

/** Everything that can be asked, by its name. */
export interface Operations {
  /** what can be asked; or how one command is used */
  "help": { reads: true; agents: false; input: HelpInput; answer: HelpAnswer }
  /** the agents that are here, and which have proved to be ready */
  "who": { reads: true; agents: false; input: WhoInput; answer: WhoAnswer }
  /** who you are here and by what, your role, and what you may do */
  "whoami": { reads: true; agents: false; input: WhoamiInput; answer: WhoamiAnswer }
  /** who is known here, and what they may do; admins also see by which accounts */
  "people": { reads: true; agents: false; input: PeopleInput; answer: PeopleAnswer }
  /** be the same person elsewhere: without a code, get one; with it, said as your other account, be who got it */
  "pair": { reads: false; agents: false; input: PairInput; answer: PairAnswer }
  /** an account is no longer yours here; an admin can say so of anybody’s */
  "unpair": { reads: false; agents: false; input: UnpairInput; answer: UnpairAnswer }
  /** the tokens that were made: for whom, until when, and whether they still hold */
  "tokens": { reads: true; agents: false; input: TokensInput; answer: TokensAnswer }
  /** make a token for an agent, a person, or only to read */
  "mint": { reads: false; agents: false; input: MintInput; answer: MintAnswer }
  /** end a token at once: who uses it is cut off */
  "revoke": { reads: false; agents: false; input: RevokeInput; answer: RevokeAnswer }
  /** the tools of other MCP servers: whether they are what was accepted, and what they say of themselves */
  "sources": { reads: true; agents: false; input: SourcesInput; answer: SourcesAnswer }
  /** accept what a tool of another MCP server says of itself by now; with a hash, only if it is still that */
  "accept": { reads: false; agents: false; input: AcceptInput; answer: AcceptAnswer }
  /** the walls agents work behind: their tools, commands, ways in and ways out */
  "peripherals": { reads: true; agents: false; input: PeripheralsInput; answer: PeripheralsAnswer }
  /** one wall, whole: its spec, what its tools take, and when it may be left */
  "wall": { reads: true; agents: false; input: WallInput; answer: WallAnswer }
  /** what the gate would say of a call behind a wall: nothing is run, held or written down */
  "try": { reads: true; agents: false; input: TryInput; answer: TryAnswer }
  /** start to work, as an agent, or by hand: a peripheral is entered, and a turn begins */
  "start": { reads: false; agents: true; input: StartInput; answer: StartAnswer }
  /** take a step by hand: one tool call, behind the wall that /start put up here */
  "step": { reads: false; agents: false; input: StepInput; answer: StepAnswer }
  /** hop to another peripheral, as an agent, or by hand, where what this one left lets you */
  "hop": { reads: false; agents: true; input: HopInput; answer: HopAnswer }
  /** end your turn, as an agent, or by hand: the peripheral is left, and whoever asked has your answer */
  "leave": { reads: false; agents: true; input: LeaveInput; answer: LeaveAnswer }
  /** where you stand, an agent or whoever works by hand here: session, turn, peripheral and its tools */
  "seat": { reads: true; agents: true; input: SeatInput; answer: SeatAnswer }
  /** what agents are at and what waits in line for each: who asked, for what, and since when */
  "queue": { reads: true; agents: false; input: QueueInput; answer: QueueAnswer }
  /** ask for something else instead, of a turn that waits in line: /queue shows them, with their numbers */
  "amend": { reads: false; agents: false; input: AmendInput; answer: AmendAnswer }
  /** take a turn out of the line that has not begun: /queue shows them, with their numbers */
  "unqueue": { reads: false; agents: false; input: UnqueueInput; answer: UnqueueAnswer }
  /** add a line to the turn that is running in this room; agent= names whose, where there are several */
  "steer": { reads: false; agents: false; input: SteerInput; answer: SteerAnswer }
  /** stop what an agent is doing in this room, and what waits behind it, or one turn; without a name, everything here */
  "stop": { reads: false; agents: false; input: StopInput; answer: StopAnswer }
  /** what the last turn of an agent here changed; turn=all for its whole session */
  "diff": { reads: true; agents: false; input: DiffInput; answer: DiffAnswer }
  /** put back what the last turn of an agent here changed; said again, the turn before it */
  "undo": { reads: false; agents: false; input: UndoInput; answer: UndoAnswer }
  /** put files back to before a step: all that it and the later steps of its session changed */
  "rewind": { reads: false; agents: false; input: RewindInput; answer: RewindAnswer }
  /** bring what an agent did in a checkout of its own into the workspace; where there is a conflict, nothing */
  "merge": { reads: false; agents: false; input: MergeInput; answer: MergeAnswer }
  /** which agents work in a checkout of their own, and what they did there that is not merged */
  "checkouts": { reads: true; agents: false; input: CheckoutsInput; answer: CheckoutsAnswer }
  /** which paths are with which agent, and until when */
  "holds": { reads: true; agents: false; input: HoldsInput; answer: HoldsAnswer }
  /** let go of a path that an agent holds: others may change it at once */
  "release": { reads: false; agents: false; input: ReleaseInput; answer: ReleaseAnswer }
  /** the tokens and the money that models took: by whom, for whom, where and when; and what is left of budgets */
  "usage": { reads: true; agents: false; input: UsageInput; answer: UsageAnswer }
  /** mission control: how all stands, a review of all missions, what comes next, what changed since */
  "mc": { reads: false; agents: false; input: McInput; answer: McAnswer }
  /** what this room works on: focus on a mission, show one, clear the focus, or make a new mission */
  "mission": { reads: false; agents: false; input: MissionInput; answer: MissionAnswer }
  /** what a mission owes and how that stands: obligations and why, its cycles, what failed, its file held against it */
  "obligations": { reads: true; agents: false; input: ObligationsInput; answer: ObligationsAnswer }
  /** what is to be done in this room: add to it, list it, or tick something off */
  "todo": { reads: false; agents: false; input: TodoInput; answer: TodoAnswer }
  /** know-how that can be used again: search it, with how each pattern did, and what is proposed */
  "patterns": { reads: true; agents: false; input: PatternsInput; answer: PatternsAnswer }
  /** one pattern: find, show or look at its record; what is proposed: accept or decline it; retire or restore one */
  "pattern": { reads: false; agents: false; input: PatternInput; answer: PatternAnswer }
  /** the problems that are carried to a proof: how each stands, and who is at it */
  "proofs": { reads: true; agents: false; input: ProofsInput; answer: ProofsAnswer }
  /** one proof whole: its statement, claims, what they rest on, cycles, what has failed; or its graph */
  "proof": { reads: true; agents: false; input: ProofInput; answer: ProofAnswer }
  /** all missions as data: how they stand, what the evidence has of them, drift, complaints, what changed */
  "portfolio": { reads: true; agents: false; input: PortfolioInput; answer: PortfolioAnswer }
  /** what should be worked on next, best first, with the reasons and what each counts */
  "next": { reads: true; agents: false; input: NextInput; answer: NextAnswer }
  /** turns, steps, failures and cost day by day: of everything, or of one mission */
  "activity": { reads: true; agents: false; input: ActivityInput; answer: ActivityAnswer }
  /** ask an agent for something, or tell it something: query, request, assert, answer, …; answers with the job */
  "bell": { reads: false; agents: false; input: BellInput; answer: BellAnswer }
  /** ask an agent and wait for its answer; when the seconds are over, only the wait is */
  "whistle": { reads: false; agents: false; input: WhistleInput; answer: WhistleAnswer }
  /** who rang for whom and waits for an answer, what crosses, and what was answered lately */
  "bells": { reads: true; agents: false; input: BellsInput; answer: BellsAnswer }
  /** have an agent begin no further turn, in any room; what it is at goes on, and what waits keeps its place */
  "pause": { reads: false; agents: false; input: PauseInput; answer: PauseAnswer }
  /** let an agent go on with what waits for it */
  "resume": { reads: false; agents: false; input: ResumeInput; answer: ResumeAnswer }
  /** the work queue: add TITLE, list, show, drop, retry and judge ID approve|changes WHY, from-mission ID, from-github */
  "work": { reads: false; agents: false; input: WorkInput; answer: WorkAnswer }
  /** have Tickle look now: scan says how every agent stands, page AGENT WHY pages one, cycle does a whole round */
  "tickle": { reads: false; agents: false; input: TickleInput; answer: TickleAnswer }
  /** the pages that nobody has answered: agents at work that were not heard of for long */
  "pages": { reads: true; agents: false; input: PagesInput; answer: PagesAnswer }
  /** answer a page for an agent: you look after it, and nobody is asked about this silence again */
  "ack": { reads: false; agents: false; input: AckInput; answer: AckAnswer }
  /** a text world that agents play in: begin a game here, see how it stands, or do something in it */
  "world": { reads: false; agents: false; input: WorldInput; answer: WorldAnswer }
  /** the games in text worlds; with the name of one, who did what in it, and what is where */
  "worlds": { reads: true; agents: false; input: WorldsInput; answer: WorldsAnswer }
  /** what waits for a person: who asks, for what, until when, and who may decide */
  "approvals": { reads: true; agents: false; input: ApprovalsInput; answer: ApprovalsAnswer }
  /** let a call through that waits for a person */
  "approve": { reads: false; agents: false; input: ApproveInput; answer: ApproveAnswer }
  /** do not let a call through that waits for a person, and say why */
  "deny": { reads: false; agents: false; input: DenyInput; answer: DenyAnswer }
  /** how everything stands in one look: agents and their walls, rooms, approvals, budgets, and what was refused last */
  "now": { reads: true; agents: false; input: NowInput; answer: NowAnswer }
  /** what was said and done in a room before or after a place, as people read it there */
  "posts": { reads: true; agents: false; input: PostsInput; answer: PostsAnswer }
  /** what is being worked on and what waits, and how each stands */
  "status": { reads: true; agents: false; input: StatusInput; answer: StatusAnswer }
  /** how things stand in this room now: agents, work, approvals, budgets, missions */
  "bulletin": { reads: true; agents: false; input: BulletinInput; answer: BulletinAnswer }
  /** go on with a text that was too long to be shown at once */
  "more": { reads: true; agents: false; input: MoreInput; answer: MoreAnswer }
  /** show in this room what happens in another one */
  "watch": { reads: false; agents: false; input: WatchInput; answer: WatchAnswer }
  /** no longer show in this room what happens in another one */
  "unwatch": { reads: false; agents: false; input: UnwatchInput; answer: UnwatchAnswer }
  /** the latest sessions: one run of an agent, one chain of evidence each */
  "sessions": { reads: true; agents: false; input: SessionsInput; answer: SessionsAnswer }
  /** what there is to learn from a session: what was tried, what worked, what did not, surprises, suggestions */
  "debrief": { reads: true; agents: false; input: DebriefInput; answer: DebriefAnswer }
  /** search all sessions there ever were: what they were about, how they ended, and where the words are */
  "recall": { reads: true; agents: false; input: RecallInput; answer: RecallAnswer }
  /** the latest steps, each once: the call, and what came of it or why it was refused */
  "steps": { reads: true; agents: false; input: StepsInput; answer: StepsAnswer }
  /** the latest hops: from which wall to which, and on which condition */
  "hops": { reads: true; agents: false; input: HopsInput; answer: HopsAnswer }
  /** the rooms, their mode, and who listens there */
  "rooms": { reads: true; agents: false; input: RoomsInput; answer: RoomsAnswer }
  /** show the mode of the room, or change it: discuss, diagnose or execute */
  "mode": { reads: false; agents: false; input: ModeInput; answer: ModeAnswer }
  /** make this room mention-only: agents hear the lines that name them */
  "gate": { reads: false; agents: false; input: GateInput; answer: GateAnswer }
  /** have an agent hear the lines of this room that are addressed to nobody */
  "ungate": { reads: false; agents: false; input: UngateInput; answer: UngateAnswer }
  /** how this room is set, and the rooms it watches; or set it: listener AGENT or nobody, show quiet, normal or all, bulletins on or off */
  "settings": { reads: false; agents: false; input: SettingsInput; answer: SettingsAnswer }
  /** show how this room or thread works, or set it: a profile of the config, or none */
  "profile": { reads: false; agents: false; input: ProfileInput; answer: ProfileAnswer }
  /** the profiles there are, and the one that holds in this room */
  "profiles": { reads: true; agents: false; input: ProfilesInput; answer: ProfilesAnswer }
  /** the conversations that last: each with one agent, in a room of its own */
  "threads": { reads: true; agents: false; input: ThreadsInput; answer: ThreadsAnswer }
  /** begin a thread: a conversation with one agent that can be resumed, forked and archived */
  "new": { reads: false; agents: false; input: NewInput; answer: NewAnswer }
  /** begin a thread that goes on from another one, up to a turn of it; without one, up to the last that ended */
  "fork": { reads: false; agents: false; input: ForkInput; answer: ForkAnswer }
  /** put a thread away: it can be read, and takes no more messages */
  "archive": { reads: false; agents: false; input: ArchiveInput; answer: ArchiveAnswer }
  /** take a thread out of the archive: it can go on */
  "unarchive": { reads: false; agents: false; input: UnarchiveInput; answer: UnarchiveAnswer }
  /** have a channel of a network lead to a thread: what is said there is said in the thread */
  "bind": { reads: false; agents: false; input: BindInput; answer: BindAnswer }
  /** the networks the rooms are on: connected or not, why, and which channel leads where */
  "networks": { reads: true; agents: false; input: NetworksInput; answer: NetworksAnswer }
  /** end an agent’s session in this room: its next request begins a new one */
  "reset": { reads: false; agents: false; input: ResetInput; answer: ResetAnswer }
  /** find evidence: every filter must hold, newest first unless order=oldest */
  "evidence": { reads: true; agents: false; input: EvidenceInput; answer: EvidenceAnswer }
  /** what happened last */
  "recent": { reads: true; agents: false; input: RecentInput; answer: RecentAnswer }
  /** one entry, whole */
  "show": { reads: true; agents: false; input: ShowInput; answer: ShowAnswer }
  /** the whole reply tree that an entry belongs to, and how it stands */
  "tree": { reads: true; agents: false; input: TreeInput; answer: TreeAnswer }
  /** an entry and what it answers, back to the beginning */
  "replies": { reads: true; agents: false; input: RepliesInput; answer: RepliesAnswer }
  /** the entries that go on from one in another direction */
  "forks": { reads: true; agents: false; input: ForksInput; answer: ForksAnswer }
  /** questions without an answer, and conjectures neither confirmed nor refuted */
  "questions": { reads: true; agents: false; input: QuestionsInput; answer: QuestionsAnswer }
  /** write down a question, a conjecture, or the conclusion or correction that settles one */
  "claim": { reads: false; agents: false; input: ClaimInput; answer: ClaimAnswer }
  /** how much evidence matches */
  "count": { reads: true; agents: false; input: CountInput; answer: CountAnswer }
  /** how much matching evidence there is of each session, subject, type, claim, event, author, room, agent, mission, pattern, peripheral, tool, outcome, path */
  "facets": { reads: true; agents: false; input: FacetsInput; answer: FacetsAnswer }
  /** how much evidence matches, and what it is made of: every facet at once */
  "breakdown": { reads: true; agents: false; input: BreakdownInput; answer: BreakdownAnswer }
  /** what a session came to: goals, walls, progress, answers, files */
  "digest": { reads: true; agents: false; input: DigestInput; answer: DigestAnswer }
  /** prove from evidence alone that a chain is whole and every step was within its wall */
  "verify": { reads: true; agents: false; input: VerifyInput; answer: VerifyAnswer }
  /** where the store stands: kept elsewhere, it shows to `verify` what was cut off or rewritten */
  "head": { reads: true; agents: false; input: HeadInput; answer: HeadAnswer }
  /** let bodies go that are older than the config keeps them */
  "compact": { reads: false; agents: false; input: CompactInput; answer: CompactAnswer }
  /** take a step, as an agent: one tool call through the gate; waits for what came of it */
  "act": { reads: false; agents: true; input: ActInput; answer: ActAnswer }
}

/** A value, or the refusal that says why not. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

type Of<Kind> = { [Name in keyof Operations]: Operations[Name] extends Kind ? Name : never }[keyof Operations]

/** The operations that only look, and those that change something. */
export type ReadName = Of<{ reads: true }>
export type CommandName = Of<{ reads: false }>

/** An input that needs nothing can be left out. */
type Given<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input]

/** Where a command is given, by which id, and as whom. */
export type Aim = { room?: string; id?: string; as?: string | null }

export interface Client {
  /** Asks for what only looks. */
  ask<Name extends ReadName>(
    name: Name,
    ...given: Given<Operations[Name]['input']>
  ): Promise<Result<Operations[Name]['answer']>>
  /** Has something done, in a room. */
  command<Name extends CommandName>(
    name: Name,
    input: Operations[Name]['input'],
    aim?: Aim,
  ): Promise<Result<Operations[Name]['answer']>>
  /** Says a line: work for an agent, a command, or talk. */
  say(line: Aim & { text: string }): Promise<Result<Receipt>>
  /** Posts of a room after a position as they come, reconnecting by itself until the signal ends it. */
  follow(room: string, after: number, show: (post: Post) => void, signal: AbortSignal): Promise<void>
  /** The items of a turn up to its end, or of a room until the signal ends it; reconnecting by itself. */
  items(
    of: { turn: string } | { room: string },
    show: (event: ItemEvent) => void,
    signal: AbortSignal,
  ): Promise<void>
}

/** Speaks to a running instance over HTTP. */
export declare const createClient: (options: {
  url: string
  token: string
  face?: 'terminal' | 'cli' | 'api'
}) => Client
