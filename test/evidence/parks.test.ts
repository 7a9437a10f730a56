import { expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { circleOf, parkId, parkIn } from '../../src/evidence/parks.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { must } from '../support/store.ts'
import { openStage, type Stage } from '../tickle/stage.ts'

const UNTIL = '2026-01-03T03:04:05.000Z'

const draftIn = async ({ store }: Stage, turn: string, id: string, body: Body) => {
  const record = await store.turn(turn)
  if (!record) throw new Error(`there is no turn ${turn}`)
  const { session, room, agent } = record
  const author = { kind: 'agent', id: agent, face: 'rehearsal', via: null } as const
  return sessionDraft({ id, session, room, agent, author, body, inReplyTo: turn })
}

const parks = (stage: Stage, turn: string, step: string, job: string) =>
  draftIn(stage, turn, parkId(step), { event: 'parked', turn, step, jobs: [job], bell: null, until: UNTIL })

test('a circle is found out, however many steps of others have waited since it began', async () => {
  await using stage = await openStage()
  const { store, clock } = stage
  must(await stage.says('/edit @codex-1 one'))
  must(await stage.says('/edit @codex-2 two'))
  must(await stage.says('/explore @claude-1 three'))
  for (const turn of ['m1.codex-1', 'm2.codex-2', 'm3.claude-1']) await stage.starts(turn)
  must(await store.append([await parks(stage, 'm1.codex-1', 'm1.codex-1.1', 'm2.codex-2')]))
  for (let n = 1; n <= 210; n++) {
    const [turn, step] = ['m3.claude-1', `m3.claude-1.${n}`]
    const call = { tool: 'park', args: {} } as const
    const begun = await draftIn(stage, turn, `${step}.intent`, { event: 'step-intended', turn, step, call })
    must(await store.append([await parks(stage, turn, step, 'm2.codex-2'), begun]))
  }
  must(await store.append([await parks(stage, 'm2.codex-2', 'm2.codex-2.1', 'm1.codex-1')]))
  const last = parkIn(await store.get(parkId('m2.codex-2.1')))
  expect(last && (await circleOf(store, last, clock.now))).toEqual(['codex-2', 'codex-1', 'codex-2'])
})
