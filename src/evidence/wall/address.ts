import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

type Web = { hosts: readonly string[]; private: boolean }

/** Whether an address is one of the web, of a host that is opened: by its name, as one below `*.name`, or by `*`. */
export const isOpened = (address: string, web: Web): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  if (!['http:', 'https:'].includes(protocol)) return false
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (!web.private && isNearby(host)) return false
  return web.hosts.some((opened) => isHost(host, opened))
}

const isHost = (host: string, opened: string): boolean => {
  if (opened === '*') return true
  if (isIP(opened) !== 0) return host === opened
  const below = opened.startsWith('*.')
  const name = domainToASCII(below ? opened.slice(2) : opened)
  return below ? host.endsWith(`.${name}`) && isIP(host) === 0 : host === name
}

/** Whether a host is a number of this machine, of its own network, or of where clouds keep credentials. */
const isNearby = (host: string): boolean => {
  if (isIP(host) === 6) return /^::1?$|^f[cd]|^fe[89ab]|^::ffff:/i.test(host)
  return isIP(host) === 4 && /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(host)
}
