import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Client, createClient } from '../client/client.ts'
import { converse } from '../client/converse.ts'
import type { Settings } from '../house/parts.ts'
import { count } from '../lib/count.ts'
import { Problem } from '../lib/problem.ts'
import { Entry } from '../shapes/evidence.ts'
import type { Post } from '../shapes/post.ts'
import { startInstance } from '../up/instance.ts'

type Options = { json: boolean; write: (text: string) => void; ends: AbortSignal }

/** What is said in the demo. What is answered is up to the agents: the steps are real, on the files that are there. */
const LINES = ['@claude where is withRetry defined?', '@codex find TODOs in src', '@tickle read README.md']

const ROOM = 'lobby'

/**
 * The tri-agent scenario on a scratch copy of a small repository: three agents side by side, three sessions, three
 * chains of evidence in one store; then each chain is verified. Everything it made is gone afterwards.
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
  const show = (post: Post) => tell(transcript(post))
  const heard = await Promise.all(
    LINES.map((text) => {
      tell(`<you> ${text}`)
      return converse(client, { room: ROOM, text }, ends, show)
    }),
  )
  const sessions = heard.flatMap((said) => {
    if (!said.ok) throw new Problem(said.refusal.message, said.refusal.remedy)
    return said.value.receipt.assignments.map(({ agent, session }) => ({ agent, session }))
  })

  tell('\nThe chains, one a session, all in one store:')
  const chains = await Promise.all(sessions.map(({ session }) => chainOf(client, session)))
  sessions.forEach(({ agent, session }, i) => {
    tell(`\n${agent} ${session}`)
    for (const { seq, hash, author, body } of chains[i] ?? [])
      tell(`  ${seq}  ${hash.slice(0, 12)}  ${author.id}  ${body.event}`)
  })

  tell('\nThe verdict:\n')
  const verdicts = await Promise.all(sessions.map(({ session }) => verdictOf(client, session)))
  verdicts.forEach(({ ok, entries, steps }, i) => {
    tell(
      `${sessions[i]?.agent}: ${ok ? 'whole' : 'BROKEN'}, ${count(entries, 'entry', 'entries')}, ${count(steps, 'step')} within explore`,
    )
  })
  const ok = verdicts.length === LINES.length && verdicts.every((verdict) => verdict.ok && verdict.steps > 0)
  if (json) write(JSON.stringify({ ok, sessions, chains, verdicts }))
  return ok ? 0 : 1
}

const transcript = ({ kind, author, text }: Post): string => {
  const [first = '', ...rest] = text.split('\n')
  if (kind === 'answer') return [`<${author.id}> ${first}`, ...rest.map((line) => `    ${line}`)].join('\n')
  return kind === 'accepted' ? `  * ${text}` : `  * ${author.id} ${first}`
}

const chainOf = async (client: Client, session: string): Promise<Entry[]> => {
  const answer = await client.read('evidence', { session, order: 'oldest', limit: '1000' })
  if (!answer.ok) throw new Problem(answer.refusal.message, answer.refusal.remedy)
  return z.object({ entries: z.array(Entry) }).parse(answer.value).entries
}

const Verdicts = z.object({ verdicts: z.tuple([z.object({ ok: z.boolean(), entries: z.int(), steps: z.int() })]) })

const verdictOf = async (client: Client, session: string) => {
  const answer = await client.read('verify', { session })
  if (!answer.ok) throw new Problem(answer.refusal.message, answer.refusal.remedy)
  return Verdicts.parse(answer.value).verdicts[0]
}
