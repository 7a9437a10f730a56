import type { Command } from '../shapes/command.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { describeRows } from './described.ts'
import { spoken } from './table.ts'

/** Every command that people have, as a face with forms shows it. */
export const commandRows = ({ specs }: { specs: ReadonlyMap<string, PeripheralSpec> }): Command[] =>
  describeRows({ rows: spoken, specs })
