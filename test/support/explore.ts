import { PeripheralSpec } from '../../src/shapes/peripheral.ts'

const LIMITS = { stepsPerTurn: 25, outputBytes: 51_200, outputLines: 2000, seconds: 20 }

/** A wall as the tests put it up: what is not named is as small as can be. */
export const wall = (spec: Partial<PeripheralSpec> = {}): PeripheralSpec => ({
  ...PeripheralSpec.parse({
    id: 'explore',
    purpose: 'Look around.',
    tools: ['read', 'glob', 'grep'],
    modes: ['diagnose', 'execute'],
    role: 'operator',
    entry: ['user-request'],
    limits: LIMITS,
    examples: { allowed: [{ why: '', tool: '', args: {} }], refused: [{ why: '', tool: '', args: {} }] },
  }),
  examples: { allowed: [], refused: [] },
  ...spec,
})

/** A wall as the tests of tools, steps and turns put it up. */
export const EXPLORE: PeripheralSpec = wall()
