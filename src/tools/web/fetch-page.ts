import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Scope } from '../../shapes/peripheral.ts'
import { hostOf, judgeAddress, mayConnect } from './address.ts'
import { type Body, readBody } from './body.ts'

export type Address = { address: string; family: number }

type Options = {
  web: Scope['web']
  /** What the name service says of a host. */
  lookup: (host: string) => Promise<Address[]>
  signal: AbortSignal
  /** How much of the page is wanted, once it is unpacked. */
  most: number
}

export type Page = Body & { status: number; url: URL }

const MOST_REDIRECTS = 5

/**
 * Fetches a page from an address that was judged. Where it leads elsewhere, that is judged like the first; and the
 * connection goes to the very address that was looked up and judged, whatever the name service says a moment later.
 */
export const fetchPage = async (start: URL, options: Options): Promise<Page | string> => {
  let url = start
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await ask(url, options)
    if (typeof answer === 'string') return answer
    try {
      const location = leadsTo(answer)
      if (location === null) return await pageOf(answer, url, options)
      const next = judgeAddress(location, options.web, url)
      if (typeof next === 'string') return `${url.href} leads to ${location}, where it may not go: ${next}`
      url = next
    } finally {
      answer.destroy()
    }
  }
  return `${start.href} leads on and on: more than ${MOST_REDIRECTS} times`
}

const HEADERS = {
  accept: 'text/html, text/*;q=0.9, application/json, application/xml;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, br, deflate',
  'user-agent': 'bellhop',
}

const ask = async (url: URL, options: Options): Promise<IncomingMessage | string> => {
  const found = await addressesOf(url, options)
  if (typeof found === 'string') return found
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  const { signal } = options
  return new Promise((resolve, reject) => {
    // An agent of its own: no connection is shared, and no proxy of the environment is asked.
    request(url, { agent: false, headers: HEADERS, lookup: pinned(found), signal })
      .once('response', resolve)
      .on('error', reject)
      .end()
  })
}

/** The addresses of a host, if every one of them may be connected to. */
const addressesOf = async (url: URL, { web, lookup, signal }: Options): Promise<Address[] | string> => {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }]
  const found = await abortable(lookup(host), signal)
  const closed = found.find(({ address }) => !mayConnect(address, web))
  if (closed) return `${host} is ${closed.address}, which is not a public address`
  return found.length > 0 ? found : `${host} has no address`
}

const pinned =
  ([first, ...rest]: Address[]): LookupFunction =>
  (_host, { all }, done) => {
    if (all) done(null, first ? [first, ...rest] : [])
    else done(null, first?.address ?? '', first?.family)
  }

/** The name service cannot be told to stop; but one can stop waiting for it. */
const abortable = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

const leadsTo = ({ statusCode = 0, headers }: IncomingMessage): string | null =>
  REDIRECTS.includes(statusCode) ? (headers.location ?? null) : null

const pageOf = async (answer: IncomingMessage, url: URL, { most }: Options): Promise<Page | string> => {
  const body = await readBody(answer, most)
  if (typeof body === 'string') return `${url.href}: ${body}`
  return { ...body, status: answer.statusCode ?? 0, url }
}
