import { SandboxMode } from '../../shapes/peripheral.ts'
import { isForm } from './argv.ts'
import { argvOf, type Ended, type Intent, isEscalated, isForeign } from './intent.ts'
import { endsAs, isClosed, placeOf } from './place.ts'
import type { Rule, Wall } from './wall.ts'

const MODES = SandboxMode.options

/** The programs that a wall lets run, by the forms of their commands; in a phase, those of the phase. */
export const createPrograms = ({ id, commands, sandbox, ceiling }: Wall) => {
  const rulesFor = (intent: Intent, phase: string | null): Rule[] => {
    const raised = isEscalated(intent) ? (ceiling?.commands ?? []) : []
    const isPath = (given: string): boolean => {
      const place = placeOf(given)
      return place === null ? endsAs(given, intent.reads ?? []) : !isClosed(place)
    }
    return [...(commands ?? []), ...raised]
      .filter(({ phases }) => phase === null || (phases?.includes(phase) ?? true))
      .filter((rule) => isForm(rule, argvOf(intent), isPath))
  }

  /** The widest sandbox that a command may have run in: never wider than that of the wall, or of its ceiling. */
  const sandboxOf = (intent: Intent, phase: string | null): SandboxMode | null => {
    // A server has no rule: its sandbox is never wider than the wall's.
    if (sandbox === null || isForeign(intent)) return sandbox
    if (isEscalated(intent)) return ceiling?.sandbox ?? sandbox
    const widths = rulesFor(intent, phase).map((rule) => MODES.indexOf(rule.sandbox ?? sandbox))
    const own = MODES.indexOf(sandbox)
    // A command without a rule is wrong in itself: what it did is not judged once more.
    return MODES[widths.length === 0 ? own : Math.min(own, Math.max(...widths))] ?? null
  }

  return {
    rulesFor,
    mayChange: (intent: Intent, phase: string | null): boolean => sandboxOf(intent, phase) !== 'read-only',
    /** What is wrong with a command; null where nothing is. */
    wrongCommand: (intent: Intent, phase: string | null): string | null => {
      const known = commands === null || rulesFor(intent, phase).length > 0
      return known ? null : `ran ${argvOf(intent).join(' ')}, which ${id} has no rule for`
    },
    /** What is wrong with what ran: it is what was announced, for what its rule says it is for. */
    wrongRun: (intent: Intent, { run }: Ended, phase: string | null): string | null => {
      if (!run || commands === null) return null
      const [ran, meant] = [run.argv.join(' '), argvOf(intent).join(' ')]
      if (ran !== meant) return `ran ${ran}, not ${meant}`
      const rules = rulesFor(intent, phase)
      const fits = rules.length === 0 || rules.some((rule) => rule.for === run.for)
      return fits ? null : `ran ${ran} for ${run.for}, which its rule is not for`
    },
  }
}
