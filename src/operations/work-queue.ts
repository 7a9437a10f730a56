import { z } from 'zod'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import { authorOf, mayAct } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { Priority, Repository, type Source, WorkId, WorkState } from '../shapes/tickle.ts'
import { isOver, nextWorkId, type Work, workDraft } from '../tickle/work.ts'
import { type Move, transition } from '../tickle/work-states.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

const WorkRow = z.strictObject({
  id: WorkId,
  title: z.string(),
  state: WorkState,
  priority: Priority,
  room: Name,
  by: z.string(),
  after: z.array(WorkId),
  round: z.int(),
  agent: Name.nullable(),
  turn: z.string().nullable(),
  why: z.string(),
})
type WorkRow = z.infer<typeof WorkRow>

const Output = z.strictObject({ did: z.string(), work: z.array(WorkRow) })
type Output = z.infer<typeof Output>

const Input = z.strictObject({
  action: z
    .enum(['add', 'list', 'show', 'drop', 'retry', 'judge', 'from-mission', 'from-github'])
    .default('list')
    .describe('what to do with the work queue'),
  text: z.string().max(2000).default('').describe('a title; or which, and of judge approve or changes, and why'),
  priority: Priority.default('normal').describe('high, normal or low'),
  after: z.string().max(200).optional().describe('what must be done before: w-1,w-2'),
  agent: Name.optional().describe('who is to do it'),
  reviewer: Name.optional().describe('who is to look at it'),
  mission: z.string().max(100).optional().describe('the mission it is for'),
  label: z.string().max(100).optional().describe('of from-github: issues with this label'),
  repository: Repository.optional().describe('of from-github: such as owner/name'),
})
type Input = z.infer<typeof Input>

export const work = defineOperation({
  name: 'work',
  summary:
    'the work queue: add TITLE, list, show, drop, retry and judge ID approve|changes WHY, from-mission ID, from-github',
  example: 'work add Fix the lease test priority=high',
  positional: ['action', 'text'],
  rest: 'text',
  input: Input,
  output: Output,
  role: 'operator',
  reads: false,
  offline: false,
  run: (input, context) => actions[input.action](input, context),
  render: ({ did, work }) => [...(did === '' ? [] : [did]), ...work.map(lineOf)].join('\n') || 'there is no work',
})

type Act = (input: Input, context: Context) => Promise<Result<Output>>

const actions: Record<Input['action'], Act> = {
  add: async (input, context) => {
    const title = oneLine(input.text, TITLE)
    if (title === '') return refused(refusal('command-invalid', 'say what is to be done: /work add TITLE'))
    const added = await addAll(input, [{ from: context.newId(), title, text: '' }], context)
    return added.ok ? ok({ did: '', work: added.value }) : added
  },
  list: async (_input, { tickle }) =>
    ok({ did: '', work: (await tickle.works.all()).filter((one) => !isOver(one)).map(rowOf) }),
  show: async ({ text }, context) => {
    const found = await named(text, context)
    return found.ok ? ok({ did: '', work: [rowOf(found.value)] }) : found
  },
  drop: ({ text }, context) =>
    change(text, 'dropped', context, ({ id, title }, why) => ({
      event: 'work-ended',
      work: id,
      title,
      outcome: 'dropped',
      why: why || `${context.person.name} dropped it`,
    })),
  retry: ({ text }, context) =>
    change(text, 'afresh', context, ({ id }, why) => ({
      event: 'work-returned',
      work: id,
      why: why || `${context.person.name} wants it tried again`,
      people: false,
      afresh: true,
    })),
  judge: (input, context) => {
    const [, verdict = ''] = input.text.trim().split(/\s+/)
    if (verdict !== 'approve' && verdict !== 'changes')
      return Promise.resolve(refused(refusal('command-invalid', 'usage: /work judge w-1 approve|changes WHY')))
    return judge(input.text, verdict, context)
  },
  'from-mission': async (input, context) => {
    const mission = input.text.trim()
    const boxes = await context.tickle.boxesOf(mission)
    if (!boxes.ok) return boxes
    return takeOver({ ...input, mission }, boxes.value, `the mission ${mission}`, context)
  },
  'from-github': async (input, context) => {
    const repository = input.repository ?? context.tickle.repository
    if (repository === null)
      return refused(refusal('command-invalid', 'say which: /work from-github repository=OWNER/NAME [label=…]'))
    const issues = await context.tickle.issues(repository, input.label ?? null)
    return issues.ok ? takeOver(input, issues.value, repository, context) : issues
  },
}

const TITLE = 200

/** What others keep becomes work, each once. */
const takeOver = async (
  input: Input,
  sources: readonly Source[],
  where: string,
  context: Context,
): Promise<Result<Output>> => {
  const known = new Set(
    (await context.tickle.works.all()).filter(({ state }) => state !== 'dropped').map(({ from }) => from),
  )
  const fresh = sources.filter(({ from }) => !known.has(from))
  const added = await addAll(input, fresh, context)
  if (!added.ok) return added
  return ok({ did: `${count(added.value.length, 'piece')} of work from ${where}`, work: added.value })
}

/** Adds work, piece by piece. What the same line added before is not added again. */
const addAll = async (input: Input, sources: readonly Source[], context: Context): Promise<Result<WorkRow[]>> => {
  const wanted = await wishOf(input, context)
  if (!wanted.ok) return wanted
  const rows: WorkRow[] = []
  for (const source of sources) {
    const added = await addOne(wanted.value, source, context)
    if (!added.ok) return added
    rows.push(rowOf(added.value))
  }
  return ok(rows)
}

type Wish = {
  priority: Priority
  after: string[]
  agent: string | null
  reviewer: string | null
  mission: string | null
}

const wishOf = async (input: Input, { tickle, who }: Context): Promise<Result<Wish>> => {
  const works = await tickle.works.all()
  const after = (input.after ?? '').split(',').filter((id) => id !== '')
  const unknown = after.find((id) => !works.some((one) => one.id === id))
  if (unknown !== undefined) return refused(refusal('work-unknown', `there is no ${unknown} that it could come after`))
  const here = await who()
  const names = [input.agent, input.reviewer].map((name) => (name === undefined ? null : agentNamed(name, here)))
  const [agent = null, reviewer = null] = names
  const stranger = names.find((name) => name !== null && !here.some(({ id }) => id === name))
  if (stranger !== undefined)
    return refused(
      refusal('agent-unknown', `there is no agent ${stranger}; there is ${here.map(({ id }) => id).join(', ')}`),
    )
  if (agent !== null && agent === reviewer)
    return refused(refusal('command-invalid', `${agent} cannot review its own work: name another reviewer`))
  return ok({ priority: input.priority, after, agent, reviewer, mission: input.mission ?? null })
}

const addOne = async (wish: Wish, source: Source, context: Context): Promise<Result<Work>> => {
  const { room, person, store, tickle } = context
  if (room === null) return refused(refusal('room-unknown', 'work belongs to a room: ask in one'))
  for (;;) {
    const works = await tickle.works.all()
    const before = works.find(({ from, state }) => from === source.from && state !== 'dropped')
    if (before) return ok(before)
    const work = nextWorkId(works)
    const body = { event: 'work-added', work, ...source, ...wish, role: person.role } as const
    const written = await store.append([workDraft({ id: work, room, entries: 0 }, authorOf(person), body)])
    // Somebody else had this number first: there is another.
    if (!written.ok && written.refusal.code !== 'id-conflict') return written
  }
}

type Change = (work: Work, why: string) => Parameters<typeof workDraft>[2]

/** Does something to a piece of work, where that can be done to it as it stands. */
const change = async (text: string, move: Move, context: Context, bodyOf: Change): Promise<Result<Output>> => {
  const found = await named(text, context)
  if (!found.ok) return found
  const work = found.value
  if (transition(work.state, move) === null)
    return refused(refusal('work-refused', `${work.id} is ${stateText(work)}: that cannot be done to it now`))
  const objection = move === 'dropped' ? null : tooLow(work, context)
  if (objection) return refused(objection)
  const [, ...why] = text.trim().split(/\s+/)
  const body = bodyOf(work, oneLine(why.join(' '), TITLE))
  const written = await context.store.append([workDraft(work, authorOf(context.person), body)])
  if (!written.ok)
    return written.refusal.code === 'id-conflict'
      ? refused(refusal('work-refused', `something else happened to ${work.id} just now: look at it, and say it again`))
      : written
  const after = await named(work.id, context)
  return after.ok ? ok({ did: '', work: [rowOf(after.value)] }) : after
}

/** It is done in the role it was added with: nobody says how it goes on in the name of a higher one. */
const tooLow = ({ id, role }: Work, { person }: Context): Refusal | null =>
  mayAct(person.role, role)
    ? null
    : refusal('role-too-low', `to say how ${id} goes on needs the role ${role}; you are ${person.role}`)

const judge = (text: string, verdict: 'approve' | 'changes', context: Context): Promise<Result<Output>> => {
  const [id = '', , ...why] = text.trim().split(/\s+/)
  const said = why.join(' ') || `${context.person.name} says ${verdict === 'approve' ? 'it is right' : 'it is not'}`
  return change(`${id} ${said}`, verdict, context, (work, words) => ({
    event: 'work-judged',
    work: work.id,
    round: work.round,
    verdict,
    why: words,
    turn: null,
    people: false,
  }))
}

const named = async (text: string, { tickle }: Context): Promise<Result<Work>> => {
  const [id = ''] = text.trim().split(/\s+/)
  const found = (await tickle.works.all()).find((one) => one.id === id)
  return found
    ? ok(found)
    : refused(refusal('work-unknown', id === '' ? 'say which, such as w-1' : `there is no ${id}`))
}

const rowOf = (work: Work): WorkRow => {
  const { id, title, state, priority, room, by, after, round, given, why } = work
  const at = state === 'working' || state === 'reviewing' ? given : null
  return {
    id,
    title,
    state,
    priority,
    room,
    by,
    after: [...after],
    round,
    agent: at?.agent ?? work.agent,
    turn: given?.turn ?? null,
    why: oneLine(why, TITLE),
  }
}

const stateText = ({ state }: Pick<Work, 'state'>): string => (state === 'people' ? 'waiting for a person' : state)

const lineOf = ({ id, title, state, priority, agent, after, round, why }: WorkRow): string => {
  const parts = [
    stateText({ state }),
    ...(priority === 'normal' ? [] : [priority]),
    ...(agent === null ? [] : [agent]),
    ...(after.length === 0 || state !== 'open' ? [] : [`after ${after.join(', ')}`]),
    ...(round === 1 ? [] : [`round ${round}`]),
  ]
  return `${id} [${parts.join(', ')}] ${title}${why === '' ? '' : `: ${why}`}`
}
