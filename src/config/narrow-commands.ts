import { type CommandPurpose, type CommandRule, type PeripheralSpec, SandboxMode } from '../shapes/peripheral.ts'
import type { Wrong } from './yaml.ts'

type Words = readonly string[]

/** What is wrong with the commands that are to stay: they are none of the wall's, or one that goes kept others back. */
export const wrongCommands = (
  given: readonly Words[] | undefined,
  base: PeripheralSpec,
  ceiling: PeripheralSpec['ceiling'],
): Wrong[] => {
  if (given === undefined) return []
  const unknown = given.flatMap((argv, i): Wrong[] =>
    base.commands.some((rule) => same(rule.argv, argv))
      ? []
      : [{ path: ['commands', i], what: `${base.id} has no command ${argv.join(' ')}` }],
  )
  return [...unknown, ...uncovered(given, base, ceiling)]
}

/** The rules that stay, none in a wider sandbox than the wall's new one. */
export const keptCommands = (
  given: readonly Words[] | undefined,
  rules: readonly CommandRule[],
  sandbox: SandboxMode,
): CommandRule[] => rules.filter((rule) => stays(rule, given)).map((rule) => ({ ...rule, ...clamped(rule, sandbox) }))

const stays = ({ argv }: CommandRule, given: readonly Words[] | undefined): boolean =>
  given === undefined || given.some((one) => same(one, argv))

const same = (a: Words, b: Words): boolean => a.length === b.length && a.every((word, i) => word === b[i])

const clamped = ({ sandbox }: CommandRule, most: SandboxMode): Pick<CommandRule, 'sandbox'> =>
  sandbox !== undefined && level(sandbox) > level(most) ? { sandbox: most } : {}

const level = (mode: SandboxMode): number => SandboxMode.options.indexOf(mode)

/**
 * The first rule that fits is the one that counts. Where it goes and a later one that fits the same command stays, that
 * one must not let through more; nor one of the ceiling, which come after all others.
 */
const uncovered = (
  given: readonly Words[],
  { commands, sandbox }: PeripheralSpec,
  ceiling: PeripheralSpec['ceiling'],
): Wrong[] =>
  commands.flatMap((gone, i) => {
    if (stays(gone, given)) return []
    const later = commands.slice(i + 1).filter((rule) => stays(rule, given) && isWider(rule, gone, sandbox))
    const asked = ceiling?.commands.filter((rule) => isWider(rule, raised(gone, ceiling), ceiling.sandbox)) ?? []
    return [...later, ...asked]
      .filter((rule) => mayFitBoth(gone.argv, rule.argv))
      .map((rule) => ({
        path: ['commands'],
        what: `${gone.argv.join(' ')} cannot go while ${rule.argv.join(' ')} stays, which would let more of the same through`,
      }))
  })

/** A rule as it is where a person was asked for more: that is asked each time. */
const raised = (rule: CommandRule, { sandbox, network }: NonNullable<PeripheralSpec['ceiling']>): CommandRule => ({
  ...rule,
  sandbox,
  network: rule.network || network,
  approve: false,
})

/** Whether there can be a command that is a form of both: one goes through both, word by word. */
const mayFitBoth = (a: Words, b: Words): boolean => {
  // A set that is added to goes on with what was added.
  const places = new Set(['0 0'])
  for (const place of places) {
    const [i = 0, j = 0] = place.split(' ').map(Number)
    const [x, y] = [a[i], b[j]]
    if (isMany(x)) places.add(`${i + 1} ${j}`)
    if (isMany(y)) places.add(`${i} ${j + 1}`)
    // In a place for many, one more word leaves one where one is.
    if (mayBeBoth(x, y)) places.add(`${i + Number(!isMany(x))} ${j + Number(!isMany(y))}`)
  }
  return places.has(`${a.length} ${b.length}`)
}

const isMany = (place: string | undefined): boolean => place?.endsWith('>...') ?? false

const mayBeBoth = (x: string | undefined, y: string | undefined): boolean => {
  if (x === undefined || y === undefined) return false
  const [some, others] = [choicesOf(x), choicesOf(y)]
  if (some && others) return some.some((word) => others.includes(word))
  // What takes any word of a kind takes no option.
  return (some ?? others)?.some((word) => !word.startsWith('-')) ?? true
}

/** The words that a place takes; null where it takes any of a kind. */
const choicesOf = (place: string): string[] | null => {
  const inner = /^<(.*)>(?:\.\.\.)?$/.exec(place)?.[1]
  if (inner === undefined) return [place]
  return inner.includes('|') ? inner.split('|') : null
}

const isWider = (rule: CommandRule, than: CommandRule, sandbox: SandboxMode): boolean =>
  level(rule.sandbox ?? sandbox) > level(than.sandbox ?? sandbox) ||
  (rule.network && !than.network) ||
  (than.approve && !rule.approve) ||
  !(than.phases === undefined || rule.phases?.every((id) => than.phases?.includes(id))) ||
  (rule.for !== than.for && PROOFS.includes(rule.for)) ||
  !looksAsClosely(rule.argv, than.argv)

/** What a hop asks about: a command that did not count for it must not begin to. */
const PROOFS: readonly CommandPurpose[] = ['test', 'git', 'deploy']

/** Whether every word that a rule takes for a path, so that the gate looks at it, is taken for one by another rule. */
const looksAsClosely = (words: Words, than: Words): boolean =>
  than.every((word, i) => {
    if (!/^<(?:path|rev)>/.test(word)) return true
    const before = [words.slice(0, i), than.slice(0, i)].map((some) => some.join(' '))
    const inLine = before[0] === before[1] || !before.some((some) => some.includes('>...'))
    return inLine && (words[i] === word || /^<path>/.test(words[i] ?? ''))
  })
