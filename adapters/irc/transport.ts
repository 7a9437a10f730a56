import { EventEmitter } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Where a server is, and what is shown to it. */
export type Place = {
  host: string
  port: number
  tls: boolean
  /** The certificate of the server, or of who signed it, as PEM. */
  ca?: string | undefined
  /** A certificate of our own and its key, as PEM. */
  certificate?: string | undefined
}

/** What a transport is made for: irc-framework hands it its options, and these are among them. */
export type TransportOptions = {
  place: Place
  /** What irc-framework itself has to say: how it registers, and what it answers a PING. */
  say: (line: string) => void
  /** That a line could not be made sense of. */
  lost: (cause: unknown) => void
}

/** A server that sends more than this without ending a line is no IRC server. */
const LONGEST_LINE = 65_536

/**
 * The socket, as irc-framework wants one. Its own knows no certificates besides those that everybody knows, and lets what
 * it cannot read end the process.
 */
export class Transport extends EventEmitter {
  readonly #options: TransportOptions
  #socket: Socket | undefined
  #pending = Buffer.alloc(0)

  constructor(options: TransportOptions) {
    super()
    this.#options = options
  }

  connect(): void {
    try {
      this.#open()
    } catch (cause) {
      // A certificate that is none is noticed before there is a socket.
      setImmediate(() => this.emit('close', cause))
    }
  }

  #open(): void {
    const { tls, host, port } = this.#options.place
    const socket = tls ? this.#openTls() : connect({ host, port })
    let failed: Error | null = null
    this.#socket = socket
    socket.setKeepAlive(true, 60_000)
    socket.on(tls ? 'secureConnect' : 'connect', () => this.emit('open'))
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('error', (error) => {
      failed = error
    })
    socket.on('close', () => this.emit('close', failed))
  }

  writeLine(line: string, written?: () => void): void {
    this.#options.say(line)
    if (written) setImmediate(written)
  }

  /** What is sent is one line, whatever is in it. */
  write(line: string): void {
    if (this.#socket?.writable) this.#socket.write(`${line.replace(/[\r\n\0]+/g, ' ')}\r\n`)
  }

  close(force?: boolean): void {
    if (force) this.#socket?.destroy()
    else this.#socket?.end()
  }

  disposeSocket(): void {
    this.#socket?.destroy()
  }

  setEncoding(): boolean {
    return true
  }

  #openTls(): Socket {
    const { host, port, ca, certificate } = this.#options.place
    return connectTls({
      host,
      port,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
      ...(certificate !== undefined && { cert: certificate, key: certificate }),
    })
  }

  #take(bytes: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, bytes])
    for (let end = this.#pending.indexOf(10); end >= 0; end = this.#pending.indexOf(10)) {
      const line = this.#pending.subarray(0, end).toString('utf8')
      this.#pending = this.#pending.subarray(end + 1)
      this.#read(line)
    }
    if (this.#pending.length > LONGEST_LINE) this.#socket?.destroy(new Error('it sent a line without an end'))
  }

  #read(line: string): void {
    try {
      this.emit('line', line)
    } catch (cause) {
      this.#options.lost(cause)
    }
  }
}
