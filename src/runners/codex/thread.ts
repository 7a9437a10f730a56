import { z } from 'zod'
import type { Failure } from '../../shapes/runner.ts'
import { failed } from '../failures.ts'
import type { Opened, Opening } from '../runner.ts'
import { createConversation } from './conversation.ts'
import { failureOf } from './failures.ts'
import { serverSettings } from './flags.ts'
import { SERVER } from './names.ts'
import type { AppServer } from './server.ts'
import type { Answer } from './wire.ts'

/** Where it stands; and whether it is forgotten with the process. */
type Place = { empty: string; forgotten: boolean }

const OPEN_MS = 30_000

/** Begins a thread, or goes on with one. It has our tools and nobody else's, or it is not open. */
export const openThread = async (server: AppServer, opening: Opening, place: Place): Promise<Opened> => {
  const { model, resume } = opening
  if (model !== null && !server.windows.has(model)) return no(failed('wall', `${model} is not among the models`))
  // A thread that is open goes on as it is, with the token it has.
  if (resume !== null) await server.followerOf(resume)?.close()
  const opened = await begin(server, opening, place)
  if (!opened.ok) return opened
  const failure = await opened.ready()
  if (failure === null) return { ok: true, conversation: opened.conversation }
  await opened.conversation.close()
  return no(failure)
}

const begin = async (server: AppServer, opening: Opening, { empty, forgotten }: Place) => {
  const { instructions, hands, model, resume } = opening
  const settings = {
    cwd: empty,
    sandbox: 'read-only',
    approvalPolicy: 'never',
    environments: [],
    baseInstructions: instructions,
    model,
    config: { mcp_servers: { [SERVER]: serverSettings(hands) } },
  }
  const expected = server.expect()
  try {
    const answer =
      resume === null
        ? await server.ask('thread/start', { ...settings, ephemeral: forgotten }, OPEN_MS)
        : await server.ask('thread/resume', { ...settings, threadId: resume, excludeTurns: true }, OPEN_MS)
    if (!answer.ok) return no(failureToOpen(answer, resume))
    const { data } = Begun.safeParse(answer.result)
    if (!data) return no(failed('crashed', 'it answered what nobody understands'))
    const { thread, model: own, instructionSources: sources } = data
    const parts = { server, thread: thread.id, resumed: resume !== null, model: own, sources }
    return { ok: true as const, ...createConversation(parts) }
  } finally {
    expected()
  }
}

const Begun = z.object({
  thread: z.object({ id: z.string() }),
  model: z.string(),
  /** The files in which it found instructions. */
  instructionSources: z.array(z.string()).default([]),
})

const no = (failure: Failure) => ({ ok: false as const, failure })

const failureToOpen = ({ message, gone }: Extract<Answer, { ok: false }>, resume: string | null): Failure => {
  if (gone) return failed('crashed', message)
  if (resume !== null && UNKNOWN.test(message)) return failed('crashed', `no conversation ${resume}: ${message}`)
  if (UNANSWERED.test(message)) return failed('hung', message)
  const [, unreached] = UNREACHED.exec(message) ?? []
  if (unreached !== undefined) return failed('wall', `our tools are not connected: ${unreached}`)
  const untaken = UNTAKEN.test(message)
  return untaken ? failed('wall', `the program does not take its wall: ${message}`) : failureOf({ message })
}

/** Also one that the Codex of another worker has still open: it lets nobody else write to it. */
const UNKNOWN = /no rollout found|invalid session id|thread not found|already has an active writer/i
const UNANSWERED = /^no answer to /
const UNREACHED = /required MCP servers failed to initialize.*?(?:\] error: |: )([^\]]*)$/s
const UNTAKEN = /unknown configuration field|failed to load configuration|invalid params/i
