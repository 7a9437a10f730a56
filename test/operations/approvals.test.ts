import { describe, expect, test } from 'vitest'
import { houseDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import { startDraft } from '../../src/evidence/threads.ts'
import { approvalName } from '../../src/peripherals/approvals.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { Role } from '../../src/shapes/person.ts'
import { LOBBY, QUIET } from '../support/social.ts'
import { ADA, CLAUDE, must } from '../support/store.ts'
import { type Asking, atHome, openAsking, sender } from './asking.ts'

const OPS = { ...QUIET, id: 'ops', approvers: ['ada', 'grace'] }
const ROOMS = [LOBBY, QUIET, OPS]
const UNTIL = '2026-01-02T03:34:05.000Z'

/** A turn in a room, which waits for a person under a name. */
const ask = async ({ store }: Asking, approval: string, room: string, agent = 'claude-1') => {
  const itself = { ...CLAUDE, id: agent }
  const turn = `t-of-${approval}`
  const session = `s-${approval}`
  const draft = (id: string, author: typeof ADA, body: Body) => sessionDraft({ id, session, room, agent, author, body })
  const call = { tool: 'write', args: {} }
  const question = { turn, step: `${turn}.0`, approval, call, why: 'edit asks', opens: 'change a.txt', until: UNTIL }
  const request = { agent, room, peripheral: 'edit', request: 'go' }
  must(
    await store.append([
      draft(`${session}.opened`, ADA, { event: 'session-opened', agent, room }),
      draft(turn, ADA, { event: 'accepted', ...request }),
      draft(`${turn}.started`, itself, { event: 'turn-started', turn }),
      draft(`${turn}.0.approval`, itself, { event: 'approval-asked', ...question }),
    ]),
  )
}

const decisions = async ({ store }: Asking) =>
  must(await store.query({ event: 'approval-decided', order: 'oldest' })).entries.map(({ id, author, body }) => [
    id,
    author.id,
    body,
  ])

describe('a name', () => {
  test('is five letters that spell no word and are not mistaken for each other', () => {
    const names = Array.from({ length: 500 }, (_, i) => approvalName(`m${i}.claude-1.0`))
    expect(names.filter((name) => !/^[bcdfghjkmnpqrstvwxz]{5}$/.test(name))).toEqual([])
    expect(approvalName('m0.claude-1.0')).toBe(names[0])
    expect(new Set(names).size).toBeGreaterThan(490)
  })
})

describe('a decision', () => {
  test('is for the call of that name, however it is written, and the first one stands', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    await ask(it, 'kqzfm', 'quiet')
    expect([
      await it.answer('deny KQZFM not on a Friday', atHome('ada', 'approver')),
      await it.answer('approve kqzfm', atHome('grace', 'admin')),
    ]).toEqual(['kqzfm is denied: claude-1 may not change a.txt', 'approval-closed: kqzfm was denied by ada'])
    const body = { event: 'approval-decided', step: 't-of-kqzfm.0', approval: 'kqzfm', decision: 'denied' }
    expect(await decisions(it)).toEqual([
      ['t-of-kqzfm.0.decision', 'ada', { ...body, role: 'approver', note: 'not on a Friday' }],
    ])
    expect(it.enqueued).toEqual(['steps of s-kqzfm'])
  })

  test('without a name is never guessed: it is said what waits here', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    const said = [await it.answer('approve')]
    await ask(it, 'kqzfm', 'quiet')
    await ask(it, 'bdgtr', 'lobby')
    said.push(await it.answer('approve'), await it.answer('deny'))
    await ask(it, 'vwxzb', 'quiet', 'codex-1')
    said.push(await it.answer('deny'))
    expect(said).toEqual([
      'command-invalid: nothing waits here for an approval; usage: /approve APPROVAL [note]',
      'command-invalid: say which: /approve kqzfm is for claude-1, who asks to change a.txt',
      'command-invalid: say which: /deny kqzfm is for claude-1, who asks to change a.txt',
      'command-invalid: say which of kqzfm, vwxzb; usage: /deny APPROVAL [note]',
    ])
    expect(await decisions(it)).toEqual([])
  })

  test('by a name that is not there is refused, and a near one is named', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    await ask(it, 'kqzfm', 'quiet')
    expect([await it.answer('approve kqzmf'), await it.answer('approve yes please')]).toEqual([
      'approval-unknown: nothing by the name of kqzmf waits for an approval; did you mean kqzfm?',
      'approval-unknown: nothing by the name of yes waits for an approval',
    ])
  })

  test.each<[name: string, role: Role, may: boolean]>([
    ['ada', 'approver', true],
    ['grace', 'approver', true],
    ['bob', 'approver', false],
    ['bob', 'admin', true],
  ])('by %s, %s, in a room that names who decides, also in its threads: %s', async (name, role, may) => {
    await using it = await openAsking({ rooms: ROOMS })
    const begun = { thread: 't-1', agent: 'claude-1', name: '', room: 'ops', mode: 'execute', from: null } as const
    must(await it.store.append([startDraft(begun, ADA)]))
    await ask(it, 'kqzfm', 'ops')
    await ask(it, 'bdgtr', 't-1')
    const refusal = (room: string) => `role-too-low: in ${room} it is for ada, grace or an admin to decide`
    expect([
      await it.answer('approve kqzfm', atHome(name, role), 'lobby'),
      await it.answer('approve bdgtr', atHome(name, role), 't-1'),
    ]).toEqual(
      may
        ? ['kqzfm is approved: claude-1 may change a.txt', 'bdgtr is approved: claude-1 may change a.txt']
        : [refusal('ops'), refusal('t-1')],
    )
  })

  test('from a network goes by the role in the room where it was asked, and not where it is decided', async () => {
    const people = { ada: { role: 'operator', roles: { lobby: 'approver' }, accounts: ['libera/ada'] } }
    await using it = await openAsking({ rooms: ROOMS, people })
    await ask(it, 'kqzfm', 'quiet')
    await ask(it, 'bdgtr', 'lobby')
    const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
    expect([await it.answer('approve kqzfm', ada, 'lobby'), await it.answer('approve bdgtr', ada, 'lobby')]).toEqual([
      'role-too-low: to decide in quiet needs the role approver; you are operator',
      'bdgtr is approved: claude-1 may change a.txt',
    ])
  })

  test('from a network goes by what that account was paired with, and not by another one of the same person', async () => {
    await using it = await openAsking({ rooms: ROOMS })
    for (const role of ['operator', 'approver'] as const) {
      const body = { event: 'paired', person: 'root', role, identity: `libera/${role}` } as const
      must(await it.store.append([houseDraft(`pair.${role}`, body, [], ADA)]))
    }
    await ask(it, 'kqzfm', 'quiet')
    const decide = async (account: string) =>
      it.answer('approve kqzfm', await it.fromNetwork(sender({ account }), 'lobby'), 'lobby')
    expect([await decide('operator'), await decide('approver')]).toEqual([
      'role-too-low: to decide in quiet needs the role approver; you are operator',
      'kqzfm is approved: claude-1 may change a.txt',
    ])
  })
})

test('what waits is shown with who may decide', async () => {
  await using it = await openAsking({ rooms: ROOMS })
  await ask(it, 'kqzfm', 'quiet')
  await ask(it, 'bdgtr', 'ops')
  expect((await it.answer('approvals', atHome('ada', 'viewer'), null)).split('\n')).toEqual([
    `kqzfm: claude-1 asks to change a.txt (edit asks), until ${UNTIL}`,
    `bdgtr: claude-1 asks to change a.txt (edit asks), until ${UNTIL}, for ada, grace to decide`,
  ])
})
