// One wall, whole: every field of its spec, what its tools take, and the examples that hold it to its word.
import { make, makeButton } from '/elements.js'
import { plain } from '/plain.js'
import { codes, factsOf, linkOf, pill, section } from './sections.js'
import { texts } from './texts.js'

const words = texts.peripherals

export const wallOf = ({ spec, tools, conditions }, { tryThis, hrefOf }) => ({
  head: [make('h1', '', spec.id), make('p', '', spec.purpose)],
  parts: [
    make('div', 'pair', aboutPart(spec), scopePart(spec.scope)),
    section('tools', words.toolsTitle, ...tools.map(toolOf)),
    ...(spec.commands.length === 0 ? [] : [section('commands', words.commands, commandsOf(spec.commands))]),
    ...(spec.phases.length === 0 ? [] : [section('phases', words.phases, phasesOf(spec.phases))]),
    make('div', 'pair', section('exits', words.exits, exitsOf(spec.exit, conditions, hrefOf)), limitsPart(spec.limits)),
  ],
  examples: section(
    'wall-examples',
    words.examples,
    make('h3', '', words.allowed),
    make('ul', 'rows', ...spec.examples.allowed.map((example) => exampleOf(example, 'passes', tryThis))),
    make('h3', '', words.refused),
    make('ul', 'rows', ...spec.examples.refused.map((example) => exampleOf(example, 'refused', tryThis))),
  ),
})

const aboutPart = ({ modes, role, sandbox, approval, ceiling, context, checks, entry }) =>
  section(
    'about',
    words.wall,
    factsOf([
      [words.opens, modes.join(', ')],
      [words.role, role],
      [words.sandbox, pill(sandbox)],
      [words.approval, approvalText(approval)],
      [words.ceiling, ceiling === null ? words.noCeiling : words.ceilingText(ceiling)],
      [words.entered, entry.join(', ')],
      [words.takesOver, context.join(', ') || words.nothing],
      [words.checks, checks.join(', ')],
    ]),
  )

const approvalText = ({ policy, tools }) =>
  [words.policies[policy], tools.length > 0 && words.before(tools)].filter(Boolean).join('; ')

const scopePart = ({ read, write, deny, hardLinks, evidence, web }) =>
  section(
    'scope',
    words.scope,
    factsOf([
      [words.read, read.length === 0 ? words.nothing : codes(read)],
      [words.write, write.length === 0 ? words.nothing : codes(write)],
      [words.deny, deny.length === 0 ? '' : codes(deny)],
      [words.hardLinks, hardLinks ? words.yes : words.no],
      [words.evidence, evidence],
      [words.web, web.hosts.length === 0 ? words.nothing : codes(web.hosts)],
      [words.privateToo, web.private ? words.yes : ''],
    ]),
  )

const toolOf = ({ name, help, takes }) =>
  make(
    'details',
    'tool',
    make('summary', '', make('b', '', name), ' ', make('span', 'dim', helpText(name, help))),
    takesOf(name, takes),
  )

/** Help begins with how the tool is called: the name is there already. */
const helpText = (name, help) =>
  plain(
    help.startsWith(`${name} `) || help.startsWith(`${name}:`)
      ? help.slice(name.length).replace(/^:/, '').trim()
      : help,
  )

const takesOf = (name, takes) => {
  if (takes === null) return make('p', 'nothing', words.takesUnknown)
  const rows = Object.entries(takes.properties ?? {})
  if (rows.length === 0) return make('p', 'nothing', words.takesNothing)
  const needed = takes.required ?? []
  const body = rows.map(([key, schema]) =>
    make(
      'tr',
      '',
      rowHead(make('code', '', plain(key))),
      make('td', '', typeText(schema), needed.includes(key) ? '' : make('span', 'dim', ` ${words.optional}`)),
      make('td', '', plain(schema.description ?? '')),
    ),
  )
  return tableOf(words.takes(name), [words.argument, words.type, words.about], body)
}

/** What a value looks like, in a few words. */
const typeText = (schema) => {
  if (Array.isArray(schema.enum)) return schema.enum.join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const several = schema.anyOf ?? schema.oneOf
  if (several) return several.map(typeText).join(' | ')
  if (schema.type === 'array') return `${typeText(schema.items ?? {})}[]`
  if (schema.type === 'object') return `{ ${Object.keys(schema.properties ?? {}).join(', ')} }`
  return [schema.type ?? ''].flat().join(' | ')
}

const tableOf = (caption, heads, rows) => {
  const head = make('tr', '', ...heads.map(columnHead))
  return make('table', 'plain', make('caption', 'unseen', caption), make('thead', '', head), make('tbody', '', ...rows))
}

const columnHead = (text) => {
  const cell = make('th', '', text)
  cell.scope = 'col'
  return cell
}

const rowHead = (child) => {
  const cell = make('th', '', child)
  cell.scope = 'row'
  return cell
}

const commandsOf = (commands) =>
  tableOf(
    words.commands,
    [words.command, words.for, words.about],
    commands.map(({ argv, for: purpose, sandbox, network, approve, phases }) =>
      make(
        'tr',
        '',
        rowHead(make('code', '', plain(argv.join(' ')))),
        make('td', '', purpose),
        make(
          'td',
          'dim',
          [sandbox, network && words.network, approve && words.asks, phases && words.onlyIn(phases)]
            .filter(Boolean)
            .join(', '),
        ),
      ),
    ),
  )

const phasesOf = (phases) =>
  make(
    'ol',
    'rows phases-list',
    ...phases.map(({ id, tools, outputs }) =>
      make(
        'li',
        '',
        make('b', '', id),
        ` ${tools.join(', ')}`,
        outputs.length === 0 ? '' : make('span', 'dim', `; ${words.brings(outputs)}`),
      ),
    ),
  )

const exitsOf = (exits, conditions, hrefOf) => {
  const says = new Map(conditions.map(({ when, says: text }) => [when, text]))
  if (exits.length === 0) return make('p', 'nothing', words.noExits)
  return make(
    'ul',
    'rows',
    ...exits.map(({ when, to }) => {
      const links = to.flatMap((name, i) => [i === 0 ? '' : ', ', linkOf(hrefOf(name), name)])
      return make('li', '', ...links, ' ', make('span', 'dim', words.when(says.get(when) ?? when)))
    }),
  )
}

const limitsPart = (limits) =>
  section(
    'limits',
    words.limits,
    factsOf(Object.entries(limits).map(([name, value]) => [words.limit[name] ?? name, value.toLocaleString('en')])),
  )

const exampleOf = (example, status, tryThis) => {
  const { tool, args, why } = example
  const button = makeButton(words.fill, () => tryThis(example))
  button.className = 'button'
  button.setAttribute('aria-label', words.tryThis(why))
  const call = make('code', 'call', plain(`${tool} ${JSON.stringify(args)}`))
  const text = make('div', '', make('span', '', why), call)
  const row = make('li', 'example', text, button)
  row.dataset.status = status
  return row
}
