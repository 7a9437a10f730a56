import type { Workspace } from './paths.ts'
import type { Shadow } from './shadow.ts'

/** Where an agent works: its files, what was kept of them, and whose they are; null where they are everybody's. */
export type Place = { workspace: Workspace; shadow: Shadow; of: string | null }

/** The name a path is held by: in a checkout of its own, an agent is in nobody's way. */
export const heldAs = ({ of }: Pick<Place, 'of'>, path: string): string => (of === null ? path : `${of}:${path}`)
