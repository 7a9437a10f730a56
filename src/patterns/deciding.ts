import { roomDraft, sessionDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import { oneLine } from '../lib/plain.ts'
import type { PatternId, Proposal } from '../shapes/pattern.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Standpoint, Told } from '../tools/control.ts'
import type { Composed, Library } from '../tools/library.ts'
import { type Known, no, told } from './known.ts'
import { proposalLine, proposalsText } from './lines.ts'
import { patternNamed } from './named.ts'
import { fileOf, parsePattern } from './parse.ts'

type Options = {
  store: Store
  at: Standpoint
  known: () => Promise<Known>
  proposed: (known: Known) => Promise<Proposal[]>
}

const WHY = 500

/** What people decide about the library: what is proposed, what becomes a pattern, and what is no longer offered. */
export const deciding = ({
  store,
  at,
  known,
  proposed,
}: Options): Pick<Library, 'proposals' | 'decline' | 'retire' | 'compose' | 'added'> => {
  const { room, turn, step } = at
  const inReplyTo = `${step}.intent`

  const proposalFor = async (name: string): Promise<Result<Proposal>> => {
    const all = await proposed(await known())
    const found = all.find(({ pattern }) => pattern === name)
    if (found) return ok(found)
    const there = all.map(({ pattern }) => pattern).join(', ') || 'nothing'
    return no('pattern-unknown', `nothing is proposed under ${oneLine(name, 80)}; proposed is ${there}`)
  }

  return {
    proposals: async (name): Promise<Result<Told>> => {
      if (name === null) return told(proposalsText(await proposed(await known())))
      const proposal = await proposalFor(name)
      return proposal.ok ? told(proposalLine(proposal.value)) : proposal
    },

    decline: async (name, why): Promise<Result<Told>> => {
      const proposal = await proposalFor(name)
      if (!proposal.ok) return proposal
      const asked = await store.get(turn)
      const who = asked?.author
      // It is theirs only where they said just that: not where an agent thinks of it on the way.
      const words = asked?.body?.event === 'accepted' && /^pattern\s+decline\b/i.test(asked.body.request)
      if (who?.kind !== 'person' || !words)
        return no('role-too-low', 'what becomes of a proposal is for a person to say')
      const { kind, pattern, evidence } = proposal.value
      const body = { event: 'pattern-declined', kind, pattern, evidence, why: oneLine(why, WHY), by: who.id } as const
      const author = { ...who, via: who.via ?? at.agent }
      at.keep({ ...roomDraft({ id: `${step}.declined`, room, author, body, inReplyTo }), pattern })
      return told(`${kind} ${pattern} is declined: it is not proposed again for what it was proposed for`)
    },

    retire: async (name, why, back): Promise<Result<Told>> => {
      const { patterns, retired } = await known()
      const pattern = patternNamed(patterns, name)
      if (!pattern.ok) return pattern
      const { id } = pattern.value
      if (retired.has(id) !== back) return no('pattern-refused', `${id} is ${back ? 'not retired' : 'retired already'}`)
      const body = {
        event: 'pattern-retired',
        turn,
        step,
        pattern: id,
        retired: !back,
        why: oneLine(why, WHY),
      } as const
      at.keep({ ...sessionDraft({ ...at, id: `${step}.retired`, body, inReplyTo }), pattern: id })
      return told(`${id} is ${back ? 'offered again' : 'no longer offered; its file stays as it is'}`)
    },

    compose: async (id, words): Promise<Result<Composed>> => {
      const { patterns } = await known()
      if (patterns.some((pattern) => pattern.id === id))
        return no('pattern-refused', `there is a pattern ${id} already: give the new one another name`)
      if (words) return fitting(id, fileOf(id, words.description, words.text), [])
      const proposal = await proposalFor(id)
      if (!proposal.ok) return proposal
      const { says, sessions, evidence } = proposal.value
      return fitting(id, fileOf(id, says, templateOf(id, says, sessions)), evidence)
    },

    added: (pattern, path, evidence): void => {
      const body = { event: 'pattern-added', turn, step, pattern, path, evidence } as const
      at.keep({ ...sessionDraft({ ...at, id: `${step}.added`, body, inReplyTo }), pattern })
    },
  }
}

/** A file that is read again as what it was meant to be. */
const fitting = (id: PatternId, text: string, evidence: string[]): Result<Composed> => {
  const { pattern, complaints } = parsePattern({ id, home: 'workspace', path: id, since: '' }, text)
  const [first] = complaints
  if (pattern && !first) return ok({ text, evidence })
  return no('pattern-refused', `what was given makes no pattern: it ${first?.what ?? 'cannot be read'}`)
}

/** A pattern made of a solution: what is known of it, where it comes from, and what whoever knows it should make better. */
const templateOf = (id: PatternId, says: string, sessions: readonly string[]): string => `# ${id}

${says}

## When to use it

Where the sessions below would have wanted it.

## Steps

1. ${says}

## How one sees that it worked

By a step that ended well, and would not have without it.

## Where it comes from

${sessions.map((session) => `- ${session}`).join('\n')}
`
