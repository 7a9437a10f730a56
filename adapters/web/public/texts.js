// What the room says, in one place; what stands in it from the start is in index.html. The other pages have their own, in
// console/texts.js, which the room does without: it is to be there quickly. Nothing here is markup.

const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`

export const texts = {
  title: (place, unseen) => `${unseen > 0 ? `(${unseen}) ` : ''}${place} · Bellhop`,
  unreachable: 'The house cannot be reached.',
  problem: ({ detail, remedy }) => `${detail}: ${remedy}`,

  header: {
    with: (listener) => `with ${listener}`,
    ready: (peripherals) => `ready: ${peripherals.join(', ')}`,
    notReady: (reason) => `not ready: ${reason}`,
    agent: (id, state) => `${id}, ${state}. Write to it`,
  },

  connection: {
    noRoom: (wanted, rooms) => `There is no room "${wanted}". Rooms: ${rooms.join(', ')}.`,
    signedOut: 'You are not signed in: open the link that `bellhop link` prints, or reload this page to sign in.',
    lost: 'reconnecting…',
    refused: ({ detail, remedy }) => `${detail}: ${remedy} (reconnecting…)`,
  },

  places: {
    rooms: 'Rooms',
    threads: 'Threads',
    begin: 'New thread',
    archived: (listener) => `${listener} · archived`,
    unnamed: (when) => `thread of ${when}`,
    goThere: 'Go to the thread',
  },

  welcome: {
    listener: (agent) => ` Lines addressed to nobody go to ${agent}.`,
    examples: (agent) => ['where is main defined?', 'find TODO in src', `@${agent} read README.md`, '/help'],
  },

  line: { send: 'Send', later: 'Send later' },

  outbox: {
    sending: 'sending…',
    sent: 'sent',
    kept: 'not sent yet: kept, and sent again once connected',
    whisper: 'Only you see this, and only until you leave the page.',
    refused: (detail, code) => `${detail} [${code}]`,
  },

  refusal: { says: 'Refused: ', again: 'Send again' },

  approval: {
    label: (name) => `Approval ${name}`,
    approve: 'Approve',
    deny: 'Deny',
    button: (label, name) => `${label} ${name}`,
    until: 'until ',
    decided: (who, what) => `${who} ${what}`,
    stepOver: (state) => `nobody decided: the step was ${state}`,
    turnOver: 'nobody decided: the turn ended',
  },

  scrolling: {
    newer: 'New messages ↓',
    up: (what) => `↑ ${what}`,
    answered: (agent) => `${agent} answered`,
    asks: (agent) => `${agent} asks for an approval`,
    mentioned: (who) => `${who} mentions you`,
  },

  linked: { missing: 'What the link leads to is not in this room.' },

  history: {
    between: 'What came in between is not shown.',
    show: 'Show more of it',
    toTheEnd: 'Go to the end',
  },

  work: {
    label: (agent) => `Work of ${agent}`,
    account: (steps, seconds) => `${count(steps, 'step')} in ${seconds} s`,
    steps: 'the steps',
    stepsAndAsides: 'the steps, and what was said on the way',
    outcome: (state, summary) => `${state}: ${summary}`,
    changes: 'changes',
    output: 'output',
  },

  controls: {
    /** A turn in words: whose it is, and what it was asked for. */
    turn: (agent, asked) => (asked ? `${agent}, ${asked}` : agent),
    button: (label, turn) => `${label}: ${turn}`,
    steer: 'Steer',
    stop: 'Stop',
    amend: 'Amend',
    unqueue: 'Take out',
    send: 'Send',
    leave: 'Never mind',
    steerField: (turn) => `What to tell ${turn}`,
    amendField: (turn) => `What to ask for instead, of ${turn}`,
    steered: (agent) => `${agent} will hear it.`,
    amended: (agent) => `${agent} will be asked for that instead.`,
    late: {
      working: (agent) =>
        `${agent} has begun meanwhile: Send puts this into the line below, to be told while it works.`,
      over: (agent) => `${agent} is done meanwhile: Send puts this into the line below.`,
    },
    stopped: 'It is being stopped.',
    unqueued: 'It is taken out of the line.',
  },

  code: { copy: 'Copy', copied: 'Copied', failed: 'Select it to copy it' },

  diff: { sideBySide: 'before and after', before: 'Before', after: 'After' },

  upload: {
    sending: (name) => `${name} is on its way…`,
    done: (name, path) => `${name} is here as ${path}: say what is to be done with it.`,
    tooLarge: (name) => `${name} is too large: a file may have 10 MB.`,
    failed: (name, why) => `${name} was not taken: ${why}`,
    empty: (name) => `${name} is empty: there is nothing to bring.`,
    folder: (name) => `${name} is a folder: only files can be brought.`,
    archived: 'This thread is archived: it takes no files.',
  },
}
