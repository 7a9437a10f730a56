import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Context } from './house.ts'

export type Front = {
  /** The address that people reach the page at; null where no proxy stands before it. */
  public: string | null
  /** Addresses of proxies besides this machine's own, or networks that they are in. */
  proxies: readonly string[]
}

/**
 * From where a request comes, and whether it came by TLS. A proxy says so in headers that anybody could write: they count
 * where a proxy is expected, and from a proxy alone.
 */
export const createFront = ({ public: address, proxies }: Front) => {
  const known = listOf(['127.0.0.0/8', '::1', ...proxies])
  const front = address === null ? null : new URL(address)

  const peerOf = (c: Context): string => c.env?.incoming?.socket?.remoteAddress ?? ''
  const isFront = (peer: string): boolean => front !== null && isIn(known, peer)
  const byProxy = (c: Context): boolean => isFront(peerOf(c))

  return {
    /** Whom to count a request for: an address; of IPv6 the network, since whoever has one has all of it. */
    addressOf: (c: Context): string => {
      // A proxy puts the address it saw behind those that it was told.
      const told = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
      return networkOf(byProxy(c) && isIP(told) !== 0 ? told : peerOf(c))
    },
    /** Whether a request as it came is of a proxy that is believed. */
    isProxy: ({ socket }: { socket: { remoteAddress?: string | undefined } }): boolean =>
      isFront(socket.remoteAddress ?? ''),
    isSecure: (c: Context): boolean => {
      if (byProxy(c) && c.req.header('x-forwarded-proto') === 'https') return true
      return front?.protocol === 'https:' && c.req.header('host')?.toLowerCase() === front.host
    },
  }
}

const listOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

const isIn = (list: BlockList, address: string): boolean =>
  isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** The first half of an IPv6 address; what is written as IPv4 in it, or is that, stays as it is. */
const networkOf = (address: string): string => {
  if (!isIPv6(address) || address.includes('.')) return address.replace(/^::ffff:/i, '')
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const behind = tail?.split(':').filter((group) => group !== '') ?? []
  const between = Array.from({ length: 8 - groups.length - behind.length }, () => '0')
  return [...groups, ...between, ...behind]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
