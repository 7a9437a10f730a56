import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Scope } from '../../shapes/peripheral.ts'

type Web = Scope['web']

/** The address that a text stands for, where it may be fetched; else a sentence that says why not. */
export const judgeAddress = (text: string, web: Web, base?: URL): URL | string => {
  if (!URL.canParse(text, base?.href)) return `${text} is not an address`
  // However an address is spelt, the URL has it in its plain form: 0x7f.1 is 127.0.0.1 from here on.
  const url = new URL(text, base)
  const { protocol, username, password } = url
  if (protocol !== 'https:' && protocol !== 'http:') return `${protocol} is not fetched, only http: and https:`
  if (username !== '' || password !== '') return 'an address with a name or a password in it is not fetched'
  const host = hostOf(url)
  if (!web.hosts.some((pattern) => matches(host, pattern))) {
    return `${host} is not one of the hosts that may be fetched from: ${web.hosts.join(', ') || 'there are none'}`
  }
  if (isIP(host) !== 0 && !mayConnect(host, web)) return `${host} is not a public address`
  return url
}

/** The host of an address, as it is looked up: without brackets, and without the dot at the end. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const mayConnect = (address: string, web: Web): boolean => web.private || isPublic(address)

const matches = (host: string, pattern: string): boolean => {
  if (pattern === '*') return true
  if (!pattern.startsWith('*.')) return host === plainHost(pattern)
  return isIP(host) === 0 && host.endsWith(`.${plainHost(pattern.slice(2))}`)
}

/** A host of the config as addresses have it: lower case, and other scripts as the name service has them. */
const plainHost = (host: string): string => (isIP(host) === 0 ? domainToASCII(host) : host)

/** Whether an address is of the open internet: what is not, is somebody's own network, or nobody's. */
const isPublic = (address: string): boolean => {
  const family = isIP(address)
  if (family === 4) return !NOT_PUBLIC_4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return GLOBAL_6.check(address, 'ipv6') && !NOT_PUBLIC_6.check(address, 'ipv6')
}

const subnets = (family: 'ipv4' | 'ipv6', nets: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const net of nets) {
    const [address = '', bits] = net.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const NOT_PUBLIC_4 = subnets('ipv4', [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // behind a provider's translation
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and where clouds keep credentials
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocols
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/** All that is given out; loopback, private, link-local, multicast and mapped IPv4 addresses lie outside of it. */
const GLOBAL_6 = subnets('ipv6', ['2000::/3'])

const NOT_PUBLIC_6 = subnets('ipv6', [
  '2001::/23', // protocols; Teredo has an IPv4 address in it
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 has an IPv4 address in it
  '3fff::/20', // documentation
])
