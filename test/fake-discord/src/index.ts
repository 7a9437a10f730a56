import type { FakeDiscord, StartOptions } from './api.ts'

export type * from './api.ts'
export type { PermissionName } from './permission-names.ts'
export type * from './wire.ts'

/** Starts a Discord of one's own on the loopback. */
export const startFakeDiscord = async (_options: StartOptions = {}): Promise<FakeDiscord> => {
  throw new Error('not there yet')
}
