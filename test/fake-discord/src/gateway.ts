import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import type { Gateway } from './api.ts'
import { CLOSINGS, createLine, type Line } from './line.ts'
import { createSessions, OP } from './sessions.ts'
import type { World } from './state.ts'

const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

export type OwnGateway = Gateway & {
  /** How many more sessions may be opened. */
  readonly sessionsLeft: number
  /** Throws everyone out, since the token is another one now. */
  expel: () => void
  close: () => void
}

/** The gateway, at the server that REST is at, too. */
export const createGateway = (world: World, server: Server): OwnGateway => {
  const lines = new Set<Line>()
  const sessions = createSessions(world)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })
  let refusing = false

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (refusing) {
      socket.end(UNAVAILABLE)
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://gateway')
      const line = createLine({ world, sessions, socket: opened, query: searchParams })
      lines.add(line)
      opened.on('close', () => lines.delete(line))
    })
  })

  const tellAll = (payload: object): void => {
    for (const line of lines) line.say(payload)
  }

  return {
    get connections() {
      return [...lines].filter(({ socket }) => socket.readyState === WebSocket.OPEN).length
    },
    get identified() {
      return sessions.identified
    },
    get resumed() {
      return sessions.resumed
    },
    get sessionsLeft() {
      return sessions.left
    },
    get presence() {
      return sessions.presence
    },
    dropAll: (code) => {
      for (const { socket } of lines) {
        if (code === undefined) socket.terminate()
        else socket.close(code)
      }
    },
    reconnect: () => tellAll({ op: OP.reconnect, d: null }),
    invalidate: (resumable) => {
      for (const line of lines) line.letGo()
      if (!resumable) sessions.forgetAll()
      tellAll({ op: OP.invalidSession, d: resumable })
    },
    forget: () => sessions.forgetAll(),
    askHeartbeat: () => tellAll({ op: OP.heartbeat, d: null }),
    silence: () => {
      for (const line of lines) line.silence()
    },
    refuse: () => {
      refusing = true
    },
    admit: () => {
      refusing = false
    },
    dispatch: (name, data) => world.tell({ name, intents: 0, data }),
    expel: () => {
      sessions.forgetAll()
      for (const { socket } of lines) socket.close(...CLOSINGS.authenticationFailed)
    },
    close: () => {
      for (const { socket } of lines) socket.terminate()
      sockets.close()
    },
  }
}
