import { existsSync } from 'node:fs'

const SETPRIV = '/usr/bin/setpriv'

/**
 * A command that ends when we do, even if we are killed outright: the kernel tells it, where the kernel can (Linux,
 * by `setpriv` of util-linux). Elsewhere it is only ended when we end in order.
 */
export const lifeline = (program: string, args: string[]): [string, string[]] =>
  existsSync(SETPRIV) ? [SETPRIV, ['--pdeathsig', 'TERM', program, ...args]] : [program, args]
