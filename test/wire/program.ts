import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { ServerFrame } from '../../src/shapes/wire.ts'
import { eventually } from '../support/poll.ts'

type Frame = Record<string, unknown> & { type: string }
type Options = { token?: string | null; headers?: Record<string, string>; autoPong?: boolean; patience?: number }

export type Program = Awaited<ReturnType<typeof openProgram>>

/** A program at the other end of the wire: it keeps all that it is told, and every frame of it is one that is declared. */
export const openProgram = async (
  url: string,
  { token = null, headers = {}, autoPong = true, patience }: Options = {},
) => {
  const bearer = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(url, { headers: { ...bearer, ...headers }, autoPong })
  const told: ServerFrame[] = []
  const closed = { code: 0, reason: '' }
  socket.on('message', (data) => told.push(ServerFrame.parse(JSON.parse(String(data)))))
  socket.on('error', () => {})
  socket.on('close', (code, reason) => Object.assign(closed, { code, reason: String(reason) }))
  let made = 0

  const answerTo = (id: string, from = 0) =>
    eventually(`an answer to ${id}`, () => told.slice(from).find((frame) => 're' in frame && frame.re === id), patience)

  const send = (frame: unknown): void => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))

  /** Says something and waits for the answer. */
  const ask = async ({ id = `f${++made}`, ...frame }: Frame & { id?: string }) => {
    const from = told.length
    send({ id, ...frame })
    return answerTo(id, from)
  }

  /** The frame of a type that was not told before, once it is. */
  const next = <T extends ServerFrame['type']>(type: T, from = 0): Promise<Extract<ServerFrame, { type: T }>> =>
    eventually(
      `a frame ${type}`,
      () => told.slice(from).find((frame): frame is Extract<ServerFrame, { type: T }> => frame.type === type),
      patience,
    )

  const hello = (frame: Record<string, unknown> = {}) => ask({ type: 'hello', protocol: '1.1', ...frame })

  /** The whole handshake, as a program of a few lines does it. */
  const join = async (secret: string, frame: Record<string, unknown> = {}) => {
    const challenge = await hello(frame)
    if (challenge.type !== 'challenge') return challenge
    return ask({ type: 'ready', answer: proof(secret, challenge.nonce) })
  }

  await Promise.race([once(socket, 'open'), once(socket, 'close')])
  return {
    socket,
    told,
    send,
    ask,
    answerTo,
    next,
    hello,
    join,
    /** How the connection was ended, once it is. */
    ended: () => eventually('the connection to close', () => (closed.code === 0 ? null : closed)),
    cut: async (): Promise<void> => {
      socket.terminate()
      await eventually('the connection to be cut', () => socket.readyState === WebSocket.CLOSED)
    },
    [Symbol.asyncDispose]: async () => {
      socket.terminate()
    },
  }
}

export const proof = (token: string, nonce: string): string => createHmac('sha256', token).update(nonce).digest('hex')

/** A program that was welcomed. */
export const openAgent = async (
  url: string,
  token: string,
  { patience, ...hello }: Record<string, unknown> & { patience?: number } = {},
) => {
  const program = await openProgram(url, patience === undefined ? { token } : { token, patience })
  const welcome = await program.join(token, hello)
  if (welcome.type !== 'welcome') throw new Error(`not welcome: ${JSON.stringify(welcome)}`)
  return Object.assign(program, { welcome })
}
