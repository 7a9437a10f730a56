import { z } from 'zod'
import { nearest } from '../lib/nearest.ts'
import { Command } from '../shapes/command.ts'
import { mayAct, Person, type Role } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { describeRows } from './described.ts'
import { type Context, defineOperation, type Operation } from './operation.ts'

/** What rows are about: how help is ordered. */
const TOPICS = ['work', 'watching', 'deciding', 'rooms', 'evidence', 'people'] as const
type Topic = (typeof TOPICS)[number]

/** The rows of the table by what they are about. It is asked for when it is needed: help is one of them. */
type Topics = () => Readonly<Record<Topic, readonly Operation[]>>

const HelpRow = z.strictObject({ ...Command.shape, topic: z.enum(TOPICS) })
type HelpRow = z.infer<typeof HelpRow>

export const createHelp = (topics: Topics) =>
  defineOperation({
    name: 'help',
    summary: 'what can be asked; or how one command is used',
    example: 'help steer',
    positional: ['command'],
    input: z.strictObject({
      command: z.string().max(64).optional().describe('which; all of them where none is named'),
    }),
    output: z.strictObject({ operations: z.array(HelpRow), whole: z.boolean() }),
    role: 'viewer',
    open: true,
    reads: true,
    offline: true,
    run: async ({ command }, context) => {
      const rows = rowsOf(topics(), context)
      // What somebody may not do would only be in the way of what they may; whoever asks for it by name is told.
      if (command === undefined)
        return ok({ operations: rows.filter((row) => isFor(row, context)).map(shown), whole: false })
      const name = command.toLowerCase().replace(/^[/!]/, '')
      // A wall and a row may have the same name: what is meant is said by what comes after it.
      const found = rows.filter((row) => row.name === name || row.aliases.includes(name))
      if (found.length > 0) return ok({ operations: found.map(shown), whole: true })
      const meant = nearest(
        name,
        rows.flatMap((row) => [row.name, ...row.aliases]),
      )
      const hint = meant === null ? '' : `; did you mean /help ${meant}?`
      return refused(refusal('command-unknown', `there is no command ${name}${hint}`))
    },
    render: ({ operations, whole }) => (whole ? operations.map(wholeText).join('\n') : listText(operations)),
  })

const Whoami = z.strictObject({
  ...Person.shape,
  /** What they are known by: an account, a visit, a token, or nothing at all. */
  known: z.enum(['account', 'visit', 'token', 'nothing']),
  /** The peripherals they may give work in, and the commands by which they may change something, or only look. */
  may: z.strictObject({ work: z.array(z.string()), change: z.array(z.string()), look: z.array(z.string()) }),
})

export const createWhoami = (topics: Topics) =>
  defineOperation({
    name: 'whoami',
    summary: 'who you are here and by what, your role, and what you may do',
    example: 'whoami',
    positional: [],
    input: z.strictObject({}),
    output: Whoami,
    role: 'viewer',
    open: true,
    reads: true,
    offline: false,
    run: async (_input, context) => {
      const rows = rowsOf(topics(), context).filter((row) => isFor(row, context))
      const named = (fits: (row: Row) => boolean) => rows.filter(fits).map(({ name }) => name)
      const { person } = context
      return ok({
        ...person,
        known: knownBy(person),
        may: {
          work: named(({ works }) => works),
          change: named(({ works, reads }) => !works && !reads),
          look: named(({ reads }) => reads),
        },
      })
    },
    render: (who) => [`you are ${whoText(who)}`, mayText(who)].join('\n'),
  })

type Row = HelpRow & { open: boolean }

/** Every command with what it is about: the peripherals are work. */
const rowsOf = (topics: ReturnType<Topics>, { specs }: Pick<Context, 'specs'>): Row[] => [
  ...describeRows({ rows: [], specs }).map((row): Row => ({ ...row, topic: 'work', open: false })),
  ...TOPICS.flatMap((topic) =>
    describeRows({ rows: topics[topic], specs: new Map() }).map(
      (row, i): Row => ({ ...row, topic, open: topics[topic][i]?.open === true }),
    ),
  ),
]

const shown = ({ open: _, ...row }: Row): HelpRow => row

/** Whether it is for whoever asks. */
const isFor = ({ role, open }: { role: Role; open: boolean }, { person }: Context): boolean =>
  person.guest ? open : mayAct(person.role, role)

const listText = (rows: readonly HelpRow[]): string =>
  [
    ...TOPICS.flatMap((topic) => {
      const names = rows.filter((row) => row.topic === topic).map(({ name }) => `/${name}`)
      return names.length > 0 ? [`${topic}: ${names.join(' ')}`] : []
    }),
    'Say /help COMMAND for how it is used.',
    'Anything else is for the agents: "@codex find TODOs in src", "claude: where is X defined?", "@all read README.md".',
  ].join('\n')

const wholeText = ({ usage, summary, example, role, aliases, options }: HelpRow): string =>
  [
    `/${usage}: ${summary}`,
    ...options.map(
      ({ name, summary: what, required, choices }) =>
        `  ${name}${required ? '' : ' (optional)'}: ${what}${choices.length > 0 ? `; ${choices.join(', ')}` : ''}`,
    ),
    `such as /${example}`,
    `for ${role === 'viewer' ? 'everybody who has a role' : `the role ${role}, and above`}`,
    ...(aliases.length > 0 ? [`also ${aliases.map((alias) => `/${alias}`).join(', ')}`] : []),
  ].join('\n')

const knownBy = ({ sender }: Person): z.infer<typeof Whoami>['known'] => {
  if (!sender) return 'token'
  if (sender.account !== null) return 'account'
  return sender.visit === null ? 'nothing' : 'visit'
}

const whoText = ({ name, role, guest, face, via, known }: z.infer<typeof Whoami>): string => {
  const what = guest ? 'a guest: nobody gave you a role' : role
  const by = known === 'nothing' ? ', where nothing says who you are' : via ? `, by ${via}` : ''
  return `${name} (${what}) through ${face}${by}`
}

/** What they may do, on a line: there is much to look at, and help has it. */
const mayText = ({ guest, may: { work, change, look } }: z.infer<typeof Whoami>): string => {
  const said = (names: readonly string[]): string => names.map((name) => `/${name}`).join(' ')
  if (guest)
    return `you may say ${said([...look, ...change])}; where you are known already, /pair gives you a code for here`
  const parts = [
    ...(work.length > 0 ? [`give work in ${work.join(', ')}`] : []),
    ...(change.length > 0 ? [`say ${said(change)}`] : []),
    'look at everything: /help has how',
  ]
  return `you may ${parts.join('; ')}`
}
