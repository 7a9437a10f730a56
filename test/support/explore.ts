import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'

/** A wall as the tests of tools, steps and turns put it up. */
export const EXPLORE: PeripheralSpec = {
  id: 'explore',
  purpose: 'Look around.',
  tools: ['read', 'glob', 'grep'],
  scope: 'workspace',
  modes: ['diagnose', 'execute'],
  role: 'operator',
  limits: { stepsPerTurn: 25, outputBytes: 51_200, outputLines: 2000, seconds: 20 },
  examples: { allowed: [], refused: [] },
}
