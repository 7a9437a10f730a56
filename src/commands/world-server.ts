import { Problem } from '../lib/problem.ts'
import { startWorldServer } from '../world/server.ts'
import { print } from './print.ts'

type How = { port: number; json: boolean; ends: AbortSignal }

/** `bellhop world-server`: the text world of our own as a server by itself, on this machine alone, until it is ended. */
export const serveWorld = async ({ port, json, ends }: How): Promise<void> => {
  const server = await startWorldServer({ port }).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(`port ${port} cannot be listened on: ${error.code ?? error.message}`, 'give another with --port')
  })
  print(json ? JSON.stringify({ url: server.url }) : `a text world is at ${server.url}; Ctrl-C ends it`)
  await new Promise<void>((done) => {
    ends.addEventListener('abort', () => done())
    if (ends.aborted) done()
  })
  await server.close()
}
