/** The little of irc-framework that is used here: it has no types of its own. */
declare module 'irc-framework' {
  /** A line of the server, taken apart. */
  export type Message = {
    tags: Record<string, string>
    prefix: string
    nick: string
    ident: string
    hostname: string
    command: string
    params: string[]
  }

  export class Client {
    connection: { on: (event: 'message', heard: (message: Message) => void) => void }
    network: {
      cap: { isEnabled: (name: string) => boolean; available: Map<string, string> }
      supports: (name: string) => unknown
    }
    requestCap: (names: string[]) => void
    connect: (options: Record<string, unknown>) => void
    on: (event: 'socket close', heard: (error: unknown) => void) => void
    caseLower: (name: string) => string
  }
}
