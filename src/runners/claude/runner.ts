import { randomUUID } from 'node:crypto'
import { failed } from '../failures.ts'
import type { RunnerOptions } from '../options.ts'
import type { Program } from '../program.ts'
import type { Conversation, Opened, Opening, Runner } from '../runner.ts'
import { createConversation } from './conversation.ts'
import { launch } from './launch.ts'
import { probeClaude } from './probe.ts'

/** The program `claude`: one process for each conversation, which is there for as long as that is open. */
export const createClaudeRunner = (options: RunnerOptions): Runner => {
  const programs = new Set<Program>()
  const conversations = new Set<Conversation>()
  let version: string | null = null
  let closed = false

  const started = (program: Program): void => {
    programs.add(program)
    void program.ended.then(() => programs.delete(program))
    // Somebody may have closed it while this one was being started.
    if (closed) void program.end(0)
  }

  const open = async (opening: Opening): Promise<Opened> => {
    if (closed) return { ok: false, failure: failed('crashed', 'it was closed') }
    const { instructions, hands, model, resume } = opening
    const id = resume ?? randomUUID()
    const talk = createConversation({ id, resumed: resume !== null, model })
    const launched = await launch(options, {
      id: randomUUID(),
      hands,
      instructions,
      model,
      conversation: resume === null ? { begin: id } : { resume },
      heard: talk.heard,
    })
    if (!launched) return { ok: false, failure: failed('crashed', `${options.program} cannot be started`) }
    const { program, tidy } = launched
    started(program)
    talk.follow(program)
    const objection = await talk.ready()
    await tidy()
    if (objection) {
      await program.end(0)
      return { ok: false, failure: objection }
    }
    conversations.add(talk.conversation)
    void program.ended.then(() => conversations.delete(talk.conversation))
    return { ok: true, conversation: talk.conversation }
  }

  return {
    probe: (hands, expected) => {
      const found = (one: string): void => {
        version = one
      }
      return probeClaude({ options, hands, expected, started, found })
    },
    version: () => version,
    open,
    pids: () => [...programs].map(({ pid }) => pid),
    close: async () => {
      closed = true
      await Promise.all([...conversations].map((conversation) => conversation.close()))
      await Promise.all([...programs].map((program) => program.end(0)))
    },
  }
}
