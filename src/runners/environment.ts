import type { RunnerOptions } from './options.ts'

const PATH = '/usr/local/bin:/usr/bin:/bin'

const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

export type Variables = Readonly<Record<string, string | undefined>>

/** What every program finds in its environment: what it is given, and where programs are. */
export const environmentWith = ({ NO_PROXY = '', no_proxy = '', ...env }: RunnerOptions['env']) => ({
  PATH,
  ...env,
  NO_PROXY: withoutProxy({ NO_PROXY, no_proxy }),
})

/** Who is spoken to without a proxy. Our own endpoint is on this machine: the way to it, and its token, go through nobody. */
export const withoutProxy = ({ NO_PROXY = '', no_proxy = '' }: Variables): string => {
  const hosts = [...NO_PROXY.split(','), ...no_proxy.split(','), ...LOOPBACK].filter((host) => host !== '')
  return [...new Set(hosts)].join(',')
}
