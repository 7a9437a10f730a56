import { join } from 'node:path'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'

const CONFIG = join(import.meta.dirname, '../../config/peripherals')

/** The walls of the product, and some that a user might put up: each is about one thing that those do not have. */
export const wallsUnderSiege = (): PeripheralSpec[] => {
  const own = [...loadPeripherals(CONFIG, null, { checks: {}, deploys: {} }).values()]
  const named = (id: string): PeripheralSpec => {
    const spec = own.find((one) => one.id === id)
    if (!spec) throw new Error(`there is no ${id}`)
    return spec
  }
  const [edit, explore] = [named('edit'), named('explore')]
  const alone = { entry: ['user-request' as const], exit: [], context: [], checks: [] }
  return [
    ...own,
    // Hardly anything is shown, so that the rest is kept.
    { ...explore, ...alone, id: 'brief', limits: { ...explore.limits, outputLines: 3 } },
    // The whole web, but no private address; and a private one by its name, and no other.
    { ...explore, ...alone, id: 'browse', scope: { ...explore.scope, web: { hosts: ['*'], private: false } } },
    { ...explore, ...alone, id: 'intranet', scope: { ...explore.scope, web: { hosts: ['localhost'], private: true } } },
    // A part of the workspace, with a part of that taken out, and nobody to ask.
    {
      ...edit,
      ...alone,
      id: 'narrow',
      scope: { ...edit.scope, read: ['src/**'], write: ['src/*.js'], deny: ['src/private'], evidence: 'none' },
      approval: { policy: 'never', tools: [] },
      commands: [{ for: 'work', argv: ['ls', '<path>...'], approve: true, network: false }],
      ceiling: { sandbox: 'workspace-write', network: false, write: ['src/**'], commands: [] },
    },
    // A person is asked before anything is changed, and can open one folder more.
    {
      ...edit,
      ...alone,
      id: 'asking',
      scope: { ...edit.scope, write: ['src/**'] },
      approval: { policy: 'always', tools: ['list'] },
      ceiling: { sandbox: 'workspace-write', network: false, write: ['docs/**'], commands: [] },
    },
    // First look, then write.
    {
      ...edit,
      ...alone,
      id: 'phased',
      phases: [
        { id: 'look', tools: ['read', 'run', 'advance'], outputs: ['plan'] },
        { id: 'work', tools: ['read', 'write'], outputs: [] },
      ],
      tools: [...edit.tools, 'advance'],
      commands: [
        { for: 'look', argv: ['ls'], phases: ['look'], sandbox: 'read-only', approve: false, network: false },
        { for: 'work', argv: ['node', '<path>'], phases: ['work'], approve: false, network: false },
      ],
    },
  ]
}
