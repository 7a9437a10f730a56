import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { openHands } from '../../src/house/hands.ts'
import { openParts } from '../../src/house/parts.ts'
import { createSocial } from '../../src/house/social.ts'
import { startWorker } from '../../src/house/worker.ts'
import type { AgentGrant } from '../../src/shapes/principal.ts'
import { connect } from '../mcp/clients.ts'
import { scratch } from '../support/folder.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { slowRipgrep } from '../support/workspace.ts'

test('what a program asks for in a turn that another worker has taken over is not done beside it', async () => {
  using programs = scratch()
  const rg = slowRipgrep(programs)
  await using house = await startTestHouse({ worker: false })
  const worker = await startWorker({ ...house.settings, path: rg.path })
  const parts = await openParts(house.settings, 'worker')
  const hands = await openHands(
    parts,
    createSocial(parts, () => false),
  )
  try {
    writeFileSync(rg.hold, '')
    must(
      await createClient({ url: house.url, token: house.tokens.admin }).say({
        id: 'find',
        room: 'lobby',
        text: '@claude find pours',
      }),
    )
    await eventually('the turn to be under way', () => existsSync(rg.started))
    const session = (await house.store.turn('find.claude-1'))?.session ?? ''
    const grant: AgentGrant = {
      kind: 'agent',
      agent: 'claude-1',
      type: 'claude',
      room: 'lobby',
      peripheral: 'explore',
      peripherals: ['explore'],
      role: 'viewer',
      session,
    }
    const { url, token } = hands.give({ grant, runner: 'claude' })
    await using program = await connect({ url }, token, 'legacy')
    const read = async () =>
      JSON.stringify(await program.client.callTool({ name: 'read', arguments: { path: 'README.md' } }))
    // Between two turns, and where a worker that was frozen has lost the one it was at.
    expect(await read()).toContain('no peripheral is active')
    const left = hands.conduct(session, async () => false)
    expect(await read()).toContain('another worker has the session')
    left()
    const steps = async () => (await house.store.chain(session)).filter(({ body }) => body.event === 'step-intended')
    expect((await steps()).length).toBe(1)
    hands.conduct(session, async () => true)
    expect(await read()).toContain('It pours.')
    expect((await steps()).length).toBe(2)
  } finally {
    rmSync(rg.hold, { force: true })
    await hands.close()
    await parts.close()
    await worker.stop()
  }
})
