// What the console says, in one place. Numbers and names are put in by functions; nothing here is markup.

export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`

export const texts = {
  title: (page) => `${page} · Bellhop`,
  skip: 'Skip to the content',
  nav: 'Pages',
  pages: {
    now: 'Now',
    room: 'Rooms',
    sessions: 'Sessions',
    evidence: 'Evidence',
    missions: 'Missions',
    peripherals: 'Peripherals',
  },
  link: {
    online: 'live',
    offline: 'reconnecting…',
    'signed-out': 'signed out',
    connecting: 'connecting…',
  },
  signedOut: 'You are not signed in: open the link that `bellhop up` printed, or reload this page to sign in.',
  ago: (span) => `${span} ago`,
  refused: ({ detail, remedy }) => `${detail}: ${remedy}`,
  unreachable: 'The house cannot be reached; trying again…',
  signIn: {
    title: 'Sign in to Bellhop',
    how: 'Nobody comes in here without a token.',
    label: 'Token, or the code of /pair',
    send: 'Sign in',
    ways: [
      'The link that `bellhop up` printed signs in by itself.',
      'Where you are known already, on IRC or Discord, say /pair and use the code you are given here.',
      'An admin makes a token for you with `bellhop token mint --person NAME --role operator`.',
    ],
  },
  keys: {
    title: 'Keys',
    close: 'Close',
    help: 'this list',
    go: (page) => `go to ${page}`,
  },

  now: {
    agents: 'Agents',
    noAgents: 'No agent is known here. The config has them: docs/agents.md.',
    ready: 'ready',
    idle: 'idle',
    paused: 'paused',
    notReady: (readiness, reason) => `${readiness}${reason ? `: ${reason}` : ''}`,
    waiting: (n) => `${count(n, 'turn')} waiting`,
    wall: (peripheral) => `The wall of ${peripheral}`,
    tools: (peripheral, n) => `${peripheral}: ${count(n, 'tool')}`,
    for: (by, request) => `for ${by}: ${request}`,
    steps: ({ taken, failed, refused }) =>
      [count(taken, 'step'), failed > 0 && `${failed} failed`, refused > 0 && `${refused} refused`]
        .filter(Boolean)
        .join(', '),
    refusedLast: 'last refused',
    approvals: 'Waiting for a person',
    noApprovals: 'Nothing waits for an approval.',
    approve: 'Approve',
    deny: 'Deny',
    mayNot: 'An approver decides.',
    decide: (what, name) => `${what} ${name}`,
    asks: (agent, opens) => `${agent} asks to ${opens}`,
    until: 'until',
    deciding: 'sending…',
    rooms: 'Rooms',
    roomWork: (running, waiting) =>
      running + waiting === 0
        ? 'quiet'
        : [running > 0 && `${running} at work`, waiting > 0 && `${waiting} waiting`].filter(Boolean).join(', '),
    health: 'Health',
    allUp: 'everything is up',
    notAllUp: 'not everything is up',
    budgets: 'Budgets',
    noBudgets: 'No budget is set.',
    budget: ({ agent, room, of, unit, used, limit }) => {
      const say = (n) => (unit === 'usd' ? `$${n.toFixed(2)}` : `${Math.round(n).toLocaleString('en')} tokens`)
      return `${agent}, ${of === 'room' ? `in ${room}` : `a ${of}`}: ${say(used)} of ${say(limit)}`
    },
    refused: 'Last refused',
    noRefused: 'Nothing was refused yet.',
  },
}
