import { isOwnTool, type PeripheralSpec, type ToolCall, ToolName } from '../shapes/peripheral.ts'
import type { RefusalCode } from '../shapes/refusal.ts'
import { tools } from './table.ts'

/** The rules of the gate by the codes they refuse with, as `docs/peripherals.md` numbers them. */
export const RULES: Partial<Record<RefusalCode, number>> = {
  'peripheral-inactive': 1,
  'tool-not-allowed': 2,
  'phase-forbids': 3,
  'arguments-invalid': 4,
  'tool-changed': 4,
  'server-failed': 4,
  'turn-stopped': 5,
  'role-too-low': 6,
  'mode-forbids': 7,
  'budget-spent': 8,
  looping: 9,
  'command-not-allowed': 10,
  'address-refused': 10,
  'out-of-scope': 11,
  'hop-refused': 12,
  'sandbox-missing': 13,
  'path-held': 14,
  'approval-denied': 15,
  'approval-required': 15,
}

const OPENS = 10

/** The rule that a call was refused by. Two codes are said by the tenth rule, too: where nothing opens what is asked for. */
export const ruleOf = (code: RefusalCode, call: ToolCall, spec: PeripheralSpec): number | null => {
  if (code === 'approval-required' && asksForMore(call) && spec.ceiling === null) return OPENS
  if (code === 'out-of-scope' && !opens(call, spec)) return OPENS
  return RULES[code] ?? null
}

const asksForMore = ({ args }: ToolCall): boolean => args['escalate'] !== undefined

/** Whether a spec opens what a call would touch, whatever its paths are. */
const opens = ({ tool: name, args: given }: ToolCall, spec: PeripheralSpec): boolean => {
  const known = ToolName.safeParse(name).data
  if (known === undefined || !isOwnTool(known)) return true
  const args = tools[known].args.safeParse(given)
  return !args.success || tools[known].reach(args.data, spec).ok
}
