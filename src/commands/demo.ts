import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../client/client.ts'
import { converse } from '../client/converse.ts'
import type { Settings } from '../house/parts.ts'
import { count } from '../lib/count.ts'
import { Problem } from '../lib/problem.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Post } from '../shapes/post.ts'
import type { Verdict } from '../shapes/verdict.ts'
import { startInstance } from '../up/instance.ts'

type Options = { json: boolean; write: (text: string) => void; ends: AbortSignal }

/**
 * What is said in the demo: what the room works on; then what is done, side by side; then how it stands. What is answered is
 * up to the agents: the steps are real, on the files that are there.
 */
const FIRST = '/mission focus M-green'
const LINES = [
  '@claude where is withRetry defined?',
  '@codex replace "green: 4" with "green: 2" in src/brew.js, then run the tests',
  '@codex use write {"path": ".git/hooks/pre-commit", "text": "#!/bin/sh\\nid\\n"}',
]
const LAST = '/mc review'

const ROOM = 'lobby'

/**
 * The tri-agent scenario on a scratch copy of a small repository: three agents side by side, three sessions, three
 * chains of evidence in one store. One of them changes a file, hops to where it can run the tests, and then tries what
 * its wall does not let through; the third looks at all of it from mission control. Then each chain is verified. Everything
 * it made is gone afterwards.
 */
export const demo = async (settings: Settings, { json, write, ends }: Options): Promise<number> => {
  const scratch = mkdtempSync(join(tmpdir(), 'bellhop-demo-'))
  const workspace = join(scratch, 'teapot')
  mkdirSync(workspace)
  cpSync(join(settings.root, 'docs/demo/teapot'), workspace, { recursive: true })
  const tell = json ? () => {} : write
  try {
    const within = { ...settings, workspace, data: join(scratch, 'data'), evidence: null, port: 0 }
    const instance = await startInstance(within, (line) => tell(`bellhop: ${line}`))
    try {
      return await play(createClient({ url: instance.url, token: instance.secrets.admin, face: 'cli' }), {
        json,
        write,
        ends,
      })
    } finally {
      await instance.stop()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const play = async (client: Client, { json, write, ends }: Options): Promise<number> => {
  const tell = json ? () => {} : write
  tell('\nThe room:\n')
  const sessions = await converseAll(client, tell, ends)
  const found = await Promise.all([...sessions].map(([agent, session]) => look(client, agent, session)))

  tell('\nThe chains, one a session, all in one store:')
  for (const { agent, session, chain } of found) {
    tell(`\n${agent} ${session}`)
    for (const { seq, hash, author, body } of chain) {
      tell(`  ${seq}  ${hash.slice(0, 12)}  ${author.id}  ${body.event}${callOf(body)}`)
    }
  }

  tell('\nWhat changed:\n')
  const changed = await client.say({ room: ROOM, text: '/diff codex-1' })
  tell(changed.ok ? (changed.value.answer ?? '') : changed.refusal.message)

  tell('\nThe verdict:\n')
  for (const one of found) tell(verdictLine(one))
  const ok = isTriAgent(found) && found.every(({ verdict }) => verdict.ok && verdict.steps > 0)
  if (json) {
    const verdicts = found.map(({ verdict }) => verdict)
    const chains = found.map(({ chain }) => chain)
    write(JSON.stringify({ ok, sessions: found.map(({ agent, session }) => ({ agent, session })), chains, verdicts }))
  }
  return ok ? 0 : 1
}

/** Says all the lines, those of the work side by side; answers the session of each agent. */
const converseAll = async (
  client: Client,
  tell: (text: string) => void,
  ends: AbortSignal,
): Promise<Map<string, string>> => {
  const say = (text: string) => {
    tell(`<you> ${text}`)
    return converse(client, { room: ROOM, text }, ends, (post) => tell(transcript(post)))
  }
  const heard = [await say(FIRST), ...(await Promise.all(LINES.map(say))), await say(LAST)]
  const sessions = new Map<string, string>()
  for (const said of heard) {
    if (!said.ok) throw new Problem(said.refusal.message, said.refusal.remedy)
    for (const { agent, session } of said.value.receipt.assignments) sessions.set(agent, session)
  }
  return sessions
}

type Looked = Awaited<ReturnType<typeof look>>

const verdictLine = ({ agent, chain, verdict }: Looked): string => {
  const walls = wallsOf(chain)
  const refused = chain.filter(({ body }) => body.event === 'step-refused').length
  const within = `${count(verdict.steps, 'step')} within ${[...new Set(walls)].join(' and ')}`
  return `${agent}: ${verdict.ok ? 'whole' : 'BROKEN'}, ${count(verdict.entries, 'entry', 'entries')}, ${within}, ${refused} refused`
}

/** Three agents, each behind a wall of its own, in three chains of one store: no two entries have one place in it. */
const isTriAgent = (found: readonly Looked[]): boolean => {
  const entries = found.flatMap(({ chain }) => chain)
  const walls = new Set(found.map(({ chain }) => wallsOf(chain)[0]))
  const positions = new Set(entries.map(({ position }) => position))
  return found.length === 3 && walls.size === 3 && positions.size === entries.length
}

/** The peripherals that a session was in, in its order. */
const wallsOf = (chain: readonly Entry[]): string[] =>
  chain.flatMap(({ body }) => (body.event === 'peripheral-started' ? [body.peripheral] : []))

/** A session's chain, and what reading it backwards comes to. */
const look = async (client: Client, agent: string, session: string) => {
  const chain = await chainOf(client, session)
  return { agent, session, chain, verdict: await verdictOf(client, session) }
}

const callOf = (body: Entry['body']): string => {
  if (body.event === 'step-intended') return ` ${body.call.tool}`
  if (body.event === 'step-refused') return ` ${body.call.tool} [${body.refusal.code}]`
  return body.event === 'peripheral-started' ? ` ${body.peripheral}` : ''
}

const transcript = ({ kind, author, text }: Post): string => {
  const [first = '', ...rest] = text.split('\n')
  if (kind === 'answer') return [`<${author.id}> ${first}`, ...rest.map((line) => `    ${line}`)].join('\n')
  return kind === 'accepted' || kind === 'notice' ? `  * ${text}` : `  * ${author.id} ${first}`
}

const chainOf = async (client: Client, session: string): Promise<Entry[]> => {
  const answer = await client.ask('evidence', { session, order: 'oldest', limit: 1000 })
  if (!answer.ok) throw new Problem(answer.refusal.message, answer.refusal.remedy)
  return answer.value.entries
}

const verdictOf = async (client: Client, session: string): Promise<Pick<Verdict, 'ok' | 'entries' | 'steps'>> => {
  const answer = await client.ask('verify', { session })
  if (!answer.ok) throw new Problem(answer.refusal.message, answer.refusal.remedy)
  const [verdict] = answer.value.verdicts
  if (!verdict) throw new Problem(`nothing was verified of ${session}`, 'look at it with `bellhop verify`')
  const { ok, entries, steps } = verdict
  return { ok, entries, steps }
}
