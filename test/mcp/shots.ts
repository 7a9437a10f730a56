import fc from 'fast-check'
import { INITIALIZE, modern } from './wire.ts'

/** Whose token a request brings, and whose session it names. */
export type Shot = {
  token: 'agent' | 'viewer' | 'nobody' | 'nonsense'
  session: 'own' | 'foreign' | 'nonsense' | 'none'
  method: string
  headers: Record<string, string>
  body: string
  /** Whether its connection breaks before all of it has come. */
  cut: boolean
}

type Json = Record<string, unknown>
type Message = { message: Json; headers: Record<string, string> }

/** Requests as they should be, of both eras: what is sent is made of these. */
const CALLS: [string, Json][] = [
  ['tools/list', {}],
  ['tools/call', { name: 'read', arguments: { path: 'README.md' } }],
  ['tools/call', { name: 'hop', arguments: { to: 'nowhere' } }],
  ['tools/call', { name: 'status', arguments: {} }],
  ['tools/call', { name: 'read', arguments: { path: 'README.md' }, _meta: { progressToken: 1 } }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'peripheral://explore' }],
  ['resources/read', { uri: 'evidence://session/none' }],
  ['resources/subscribe', { uri: 'evidence://entry/e1' }],
  ['resources/unsubscribe', { uri: 'evidence://entry/e1' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'explore', arguments: { request: 'look' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'explore' }, argument: { name: 'request', value: 'x' } }],
  [
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: ['evidence://entry/e1'] } },
  ],
  ['server/discover', {}],
  ['ping', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1, reason: 'none' }],
  ['notifications/progress', { progressToken: 1, progress: 1 }],
  ['no/such/method', {}],
  // Right in their form, and of nothing that there is.
  ['resources/read', { uri: 'evidence://entry/%' }],
  ['resources/read', { uri: 'evidence://subject/no-such-type/x' }],
  ['resources/subscribe', { uri: 'peripheral://%e0%a4%a' }],
  ['tools/call', { name: '__proto__', arguments: {} }],
  ['tools/call', { name: 'read', arguments: { path: '../../etc/passwd', more: [] } }],
  ['prompts/get', { name: 'constructor', arguments: {} }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'evidence://%' }, argument: { name: 'id', value: '%' } }],
]

const legacy = (id: number, method: string, params: Json): Message => ({
  message: { jsonrpc: '2.0', ...(method.startsWith('notifications/') ? {} : { id }), method, params },
  headers: { 'mcp-protocol-version': '2025-11-25' },
})

const newer = (id: number, method: string, params: Json): Message => {
  const { message, headers } = modern(id, method, params)
  const name = params['name'] ?? params['uri']
  return { message, headers: { ...headers, ...(typeof name === 'string' ? { 'mcp-name': name } : {}) } }
}

const begins: Message = { message: INITIALIZE, headers: {} }
const answers: Message = { message: { jsonrpc: '2.0', id: 7, result: {} }, headers: {} }

const message = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.nat(9), fc.constantFrom(...CALLS)).map(([id, call]) => legacy(id, ...call)) },
  { weight: 5, arbitrary: fc.tuple(fc.nat(9), fc.constantFrom(...CALLS)).map(([id, call]) => newer(id, ...call)) },
  { weight: 1, arbitrary: fc.constantFrom(begins, answers) },
)

const nested = (depth: number): unknown => {
  let value: unknown = 'in here'
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { x: value }
  return value
}

/** What stands where something else should. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1e308, '', '2.0', '__proto__', '\u0000', [], {}, [[]], ['a', 1]),
  fc.constantFrom<unknown>(
    '2026-07-28',
    '1999-01-01',
    'evidence://session/%',
    'evidence://entry/../x',
    'peripheral://',
  ),
  fc.nat(20_000).map((size) => 'x'.repeat(size)),
  fc.nat(200).map(nested),
  fc.jsonValue({ maxDepth: 3 }),
)

const change = fc.record({ at: fc.nat(), how: fc.constantFrom('replace', 'remove', 'rename', 'add'), odd })
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Every place in a value where something stands. */
const placesIn = (value: unknown): [Json, string][] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key): [Json, string][] => {
    const holder = value as Json
    return [[holder, key], ...placesIn(holder[key])]
  })
}

const changed = (before: Json, { at, how, odd: thing }: Change): Json => {
  const places = placesIn(before)
  const [holder, key] = places[at % Math.max(1, places.length)] ?? [before, 'x']
  if (how === 'replace') holder[key] = thing
  else if (how === 'add') holder['more'] = thing
  else {
    if (how === 'rename') holder[`${key}x`] = holder[key]
    delete holder[key]
  }
  return before
}

/** A text that was cut, or has something in it that does not belong there. */
const broken = fc.oneof(
  { weight: 8, arbitrary: fc.constant((text: string) => text) },
  { weight: 1, arbitrary: fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.constantFrom('\u0000', '"', '}', '\\u', '[', '\ud800', '\ufeff')).map(
      ([at, thing]) =>
        (text: string) =>
          text.slice(0, at % text.length) + thing + text.slice(at % text.length),
    ),
  },
  { weight: 1, arbitrary: fc.nat(40).map((times) => (text: string) => `[${Array(times).fill(text).join(',')}]`) },
  { weight: 1, arbitrary: fc.nat(150_000).map((more) => (text: string) => `${text}${' '.repeat(more)}`) },
)

const HEADERS = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id', 'origin']
const VALUES = ['', 'text/plain', 'application/json; charset=utf-16', '*/*', 'text/event-stream', '2024-11-05']
const MORE = [
  '2026-07-28',
  '9999-99-99',
  'tools/call',
  'initialize',
  '1',
  '-1',
  'null',
  'http://evil.example',
  '=?base64?!?=',
]

const header = fc.tuple(
  fc.constantFrom(...HEADERS),
  fc.oneof(fc.constantFrom<string | null>(null, ...VALUES, ...MORE), fc.stringMatching(/^[!-~]{0,40}$/)),
)

const headersOf = (own: Record<string, string>, others: [string, string | null][]): Record<string, string> => {
  const all: Record<string, string | null> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...own,
    ...Object.fromEntries(others),
  }
  return Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value === null ? [] : [[key, value]])))
}

const seldom = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, ...others.map((one) => fc.constant(one)))

/** A request that was right before something was done to it; or nothing was, now and then. */
export const shots: fc.Arbitrary<Shot> = fc
  .record({
    message,
    changes: fc.array(change, { maxLength: 3 }),
    broken,
    others: fc.oneof(
      { weight: 3, arbitrary: fc.constant<[string, string | null][]>([]) },
      fc.array(header, { maxLength: 3 }),
    ),
    method: seldom('POST', 'GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'),
    token: fc.oneof(
      fc.constantFrom('agent' as const, 'viewer' as const),
      seldom<Shot['token']>('agent', 'nobody', 'nonsense'),
    ),
    session: seldom<Shot['session'] | null>(null, 'foreign', 'nonsense', 'none', 'own'),
    cut: seldom(false, true),
  })
  .map(({ message: { message: sound, headers }, changes, broken: breaks, others, ...shot }) => {
    const isOlder = headers['mcp-protocol-version'] !== '2026-07-28' && sound['method'] !== 'initialize'
    const body = breaks(JSON.stringify(changes.reduce(changed, structuredClone(sound))) ?? '')
    return {
      ...shot,
      session: shot.session ?? (isOlder ? 'own' : 'none'),
      headers: headersOf(headers, others),
      body: shot.method === 'POST' || shot.method === 'PUT' ? body : '',
    }
  })
