import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'

/** What is shown of a name that somebody else made up. */
const SHOWN = 64

/** The one wording for a call of something that is not in the list, in both eras and for everybody. */
const wordingOf = (tool: string, whose: string, has: readonly string[]): string =>
  `${tool.slice(0, SHOWN)} is not a tool of ${whose}; its tools are ${has.join(', ')}`

export const outsideOf = (tool: string, { id, tools }: PeripheralSpec): Refusal =>
  refusal('tool-not-allowed', wordingOf(tool, id, tools))

export const outsideRole = (tool: string, role: string, has: readonly string[]): Refusal =>
  refusal('tool-not-allowed', wordingOf(tool, `the role ${role}`, has))

export const outsideError = ({ message }: Refusal): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)
