import { createHmac } from 'node:crypto'
import type { Attended, Options, Told } from '../agents/attend.ts'
import { briefingFor } from '../context/briefing.ts'
import { instructionsFor } from '../context/instructions.ts'
import { recapFor } from '../context/recap.ts'
import { goOnText, LATE_TEXT, steerText } from '../context/say.ts'
import { BELLHOP, sessionDraft } from '../evidence/drafts.ts'
import type { TurnRecord } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { conditions } from '../peripherals/conditions.ts'
import { hintsFor } from './library.ts'
import type { Parts } from './parts.ts'

/** What the programs of agents are told, on the parts of this process. */
export const tellingOf = (parts: Parts): Pick<Options, 'tell' | 'isForked'> => {
  const { store, config, specs, places, clock, secrets, settings } = parts

  /** The word that the marks of a session are made with: the same after a restart, and known to nobody in the room. */
  const nonceOf = (session: string): string =>
    createHmac('sha256', secrets.agents).update(`marks of ${session}`).digest('hex').slice(0, 12)

  const made = async ({ turn }: Attended): Promise<string> => {
    const agent = config.agents.find(({ id }) => id === turn.agent)
    if (!agent) throw new Error(`there is no agent ${turn.agent}`)
    const own = agent.peripherals ?? [...specs.keys()]
    return instructionsFor({
      agent,
      room: turn.room,
      peripherals: new Map([...specs].filter(([id]) => own.includes(id))),
      says: (when) => conditions[when].says,
      workspace: (await places.inTurn(turn.agent, turn.id)).workspace,
      path: settings.path,
      now: clock(),
      nonce: nonceOf(turn.session),
      store,
    })
  }

  /** Made once for a session, and then the same to the byte: whoever serves the model may remember it. */
  const instructions = async (work: Attended): Promise<string> => {
    const { session, room, agent, id: turn } = work.turn
    const id = `${session}.instructed`
    const known = (await store.get(id))?.body
    if (known?.event === 'instructed') return known.text
    const body = { event: 'instructed', text: await made(work) } as const
    const entry = sessionDraft({ id, session, room, agent, author: BELLHOP, body, inReplyTo: turn })
    const written = await store.append([entry])
    if (!written.ok) throw new Error(written.refusal.message)
    // As it was written: what reads like a secret was taken out of it.
    const kept = (await store.get(id))?.body
    return kept?.event === 'instructed' ? kept.text : body.text
  }

  const briefing = ({ turn, spec }: Attended): Promise<Told> =>
    briefingFor({
      store,
      turn,
      spec,
      agents: config.agents,
      nonce: nonceOf(turn.session),
      patterns: hintsFor(parts, turn, spec),
    })

  return {
    isForked: async ({ room }: TurnRecord) => (await threadOf(store, room))?.from != null,
    tell: {
      instructions,
      briefing,
      recap: ({ turn }) => recapFor({ store, session: turn.session, within: turn.id, nonce: nonceOf(turn.session) }),
      steer: ({ turn }, { author, text }) => steerText({ author, text, nonce: nonceOf(turn.session) }),
      goOn: goOnText,
      late: LATE_TEXT,
    },
  }
}
