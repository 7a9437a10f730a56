import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Settings } from '../house/parts.ts'
import type { Operation } from '../operations/operation.ts'

/** What every command is made with: the flags that all have, and what they come to. */
export type Shell = { withFlags: (command: Command) => Command; settingsFrom: (flags: object) => Settings }

/** An input of an operation, as an option. */
export const optionOf = (row: Operation, key: string): Option => {
  const help = row.input.shape[key]?.description ?? ''
  return isFlag(row, key) ? new Option(`--${key}`, help) : new Option(`--${key} <${key}>`, help).argParser(once)
}

/** What is given twice is a mistake: neither of the two may be passed over. */
const once = (value: string, before: string | undefined): string => {
  if (before === undefined) return value
  throw new InvalidArgumentError('it is given twice.')
}

/** A yes-or-no input takes no value on the command line. */
const isFlag = ({ input }: Operation, key: string): boolean =>
  input.shape[key]?.safeParse('true').data === true && !input.shape[key]?.safeParse('some text').success
