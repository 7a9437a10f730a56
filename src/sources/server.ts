import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Described } from '../evidence/pins.ts'
import { oneLine } from '../lib/plain.ts'
import type { Job } from '../sandbox/job.ts'
import type { Said } from '../tools/source.ts'
import { Answer, saidIn } from './answer.ts'
import { startTalk } from './talk.ts'

/** An MCP server that runs in the sandbox. */
export type Server = {
  /** What its tools are, by name; a sentence where it does not say. */
  list: () => Promise<ReadonlyMap<string, Described> | string>
  call: (tool: string, args: Record<string, unknown>, within: Within) => Promise<Said>
  runs: () => boolean
  /** Ends it, and all that came from it; answers what is to be said of what it did, mostly nothing. */
  end: () => Promise<string>
}

type Within = { seconds: number; signal: AbortSignal }

/** How long a server may take to start, and to say what its tools are. */
const START: Within = { seconds: 20, signal: new AbortController().signal }
const MOST_PAGES = 20
const SHOWN = 300

const Listing = z.object({
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().default(''),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    )
    .max(1000),
  nextCursor: z.string().optional(),
})

/** Starts a server and greets it; answers a sentence where it cannot be started. */
export const startServer = async (job: Job): Promise<Server | string> => {
  // Only who has a server needs it.
  const { Client, parseJSONRPCMessage, ProtocolError } = await import('@modelcontextprotocol/client')
  const talk = await startTalk(job, parseJSONRPCMessage)
  if (typeof talk === 'string') return talk
  const client = new Client({ name: 'bellhop', version: '1' }, { capabilities: {} })

  /** Waits for an answer. An error is an answer; whoever gives none is ended, and it is said why. */
  const answer = async <T>(work: () => Promise<T>, { seconds, signal }: Within): Promise<Answered<T>> => {
    try {
      return { ok: true, value: await work() }
    } catch (error) {
      if (error instanceof ProtocolError) return no(`answered with an error: ${oneLine(error.message, SHOWN)}`)
      return no(await talk.giveUp(signal.aborted ? 'was cancelled' : wordsOf(error as Error, seconds)))
    }
  }

  const greeted = await answer(() => client.connect(talk.pipe, timed(START)), START)
  if (!greeted.ok) {
    await talk.end()
    return greeted.why
  }
  return {
    list: async () => {
      const listed = await answer(() => listing(client), START)
      return listed.ok ? listed.value : listed.why
    },
    call: async (name, args, within) => {
      const call = { method: 'tools/call', params: { name, arguments: args } }
      const said = await answer(() => client.request(call, Answer, timed(within)), within)
      return said.ok ? saidIn(said.value) : { text: '', failed: said.why }
    },
    runs: talk.runs,
    end: talk.end,
  }
}

type Answered<T> = { ok: true; value: T } | { ok: false; why: string }

const no = (why: string) => ({ ok: false, why }) as const

const timed = ({ seconds, signal }: Within) => ({ timeout: seconds * 1000, maxTotalTimeout: seconds * 1000, signal })

const wordsOf = (error: Error & { code?: unknown }, seconds: number): string =>
  error.code === 'REQUEST_TIMEOUT'
    ? `took longer than ${seconds} s and was ended`
    : `gave no answer that can be read: ${oneLine(error.message, SHOWN)}`

/** Page by page, as its tools may come. What else it says of them is nothing that an agent is told. */
const listing = async (client: Client): Promise<ReadonlyMap<string, Described>> => {
  const tools = new Map<string, Described>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed = await client.request({ method: 'tools/list', params }, Listing, timed(START))
    for (const { name, description, inputSchema } of listed.tools) {
      if (!tools.has(name)) tools.set(name, { name, description, inputSchema })
    }
    cursor = listed.nextCursor
    if (cursor === undefined) break
  }
  return tools
}
