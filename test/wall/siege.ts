import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import type { Mind } from '../../src/agents/mind.ts'
import { roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import { approvalName } from '../../src/peripherals/approvals.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import type { RefusalCode } from '../../src/shapes/refusal.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { entry, openWorkshop, SESSION, stops } from '../peripherals/workshop.ts'
import { eventually } from '../support/poll.ts'
import type { TestRedis } from '../support/redis.ts'
import { ADA } from '../support/store.ts'
import { swapping } from '../workspace/swapping.ts'
import { type Attempt, call, run, write } from './attempt.ts'
import { leaksIn, openListeners, processesOf, secret, startCanary } from './canaries.ts'
import { differences, recordOf } from './record.ts'
import { wallsUnderSiege } from './walls.ts'

/** What came of some attempts, seen from outside. */
export type Aftermath = {
  /** How the last call of each was refused; null where it was not. */
  refused: Record<string, RefusalCode | null>
  /** Where a text of a canary turned up: in the reports, in the evidence, in what others see of a step while it runs. */
  leaked: string[]
  /** What is different around the workspace, in it where nobody may touch it, and on the rest of the machine. */
  changed: string[]
  met: string[]
  canary: 'alive' | 'dead'
  strays: string[]
}

export const UNHARMED: Omit<Aftermath, 'refused'> = { leaked: [], changed: [], met: [], canary: 'alive', strays: [] }

export type Siege = Awaited<ReturnType<typeof raiseSiege>>

/** A worker's workshop with secrets inside and all around it, and everything that would notice if somebody got out. */
export const raiseSiege = async (server: TestRedis) => {
  const mark = `mark-${randomBytes(6).toString('hex')}`
  const specs = wallsUnderSiege()
  const it = await openWorkshop(server, { specs, files: FILES })
  const { root, append } = it
  const top = it.folder.path
  const outside = join(top, 'outside')
  for (const [name, text] of Object.entries(AROUND)) it.folder.write(name, text)
  await makeRepository(root, join(top, 'remote.git'))
  await plantEvidence(it)
  const listeners = await openListeners(outside, mark)
  const door = await openDoor(listeners.port)
  const canary = startCanary()
  const home = process.env['HOME']
  Object.assign(process.env, { HOME: join(top, 'home'), PLANTED: secret('environment') })
  await execa('cp', ['-a', root, join(top, 'pristine')])
  it.runSteps()
  await it.accept()

  const names: Record<string, string> = {
    outside,
    root,
    mark,
    top,
    data: join(top, 'data'),
    home: join(top, 'home'),
    port: String(listeners.port),
    door: String(door.port),
    socket: listeners.socket,
    pid: String(canary.pid),
    house: String(process.pid),
    redis: server.address,
    // Secrets that git has kept are known by a name, too.
    blob: (await gitIn(root, 'rev-parse', 'HEAD~1:.env')).trim(),
  }
  const filled = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/@(\w+)@/g, (whole, name) => names[name] ?? whole))

  let turns = 0

  /** One turn with these calls, one breath after the other; what was reported of each. */
  const work = async ({ peripheral, breaths, person }: Work): Promise<Worked> => {
    const turn = `t${++turns}`
    const accepted = { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral, request: 'go on' } as const
    await append(entry(turn, ADA, { ...accepted, role: 'operator' }, 'm1'))
    const reports: StepReport[] = []
    const mind: Mind = function* () {
      for (const breath of breaths) reports.push(...(yield breath))
      return 'done'
    }
    const over = new AbortController()
    const asked = answering(
      breaths.flat().map((_, n) => `${turn}.${n}`),
      person,
      over.signal,
    )
    await it.turnsOf(mind).drain(SESSION, stops())
    over.abort()
    await asked
    return { turn, reports }
  }

  /** A person at hand, who says the same to every question of a turn; or nobody, until the time is up. */
  const answering = async (steps: readonly string[], person: Attempt['person'], over: AbortSignal) => {
    const open = new Set(steps)
    while (!over.aborted) {
      for (const step of open) if (await it.store.get(`${step}.approval`)) await answer(step)
      await new Promise((done) => setTimeout(done, 25))
    }
    async function answer(step: string): Promise<void> {
      open.delete(step)
      const decision = person === 'approves' ? 'approved' : 'denied'
      const body = {
        event: 'approval-decided',
        step,
        approval: approvalName(step),
        decision,
        role: 'approver',
      } as const
      if (person) await append(entry(`${step}.decision`, ADA, { ...body, note: '' }, `${step}.approval`))
      else it.time.now += 40 * 60_000
      await it.wake(SESSION)
    }
  }

  // An output of before that was too long to show: where it is kept is outside, too.
  await work({ peripheral: 'brief', breaths: [[call('list', {})]] })
  const around = () => recordOf(top, { without: isOwn, identity: true })
  const pristine = recordOf(root)
  const before = { around: around(), processes: processesOf(mark), kept: await keptByGit(root) }
  let seen = await it.store.head()

  /** Deploy can be entered once tests have passed on what is there, and cannot where something was changed since. */
  const prepare = async ({ peripheral, expect }: Attempt, holds: boolean): Promise<void> => {
    // Time goes on, and holds lapse.
    if (holds) await it.holds.take('s-lobby', 'codex-1', ['src/held.js', 'docs/guide.md'])
    const { tested } = await it.ledgers.of(SESSION)
    const wanted = peripheral === 'deploy' && expect !== 'entry-refused'
    if (wanted && !tested) await work({ peripheral: 'test', breaths: [[run('npm', 'test')]] })
    if (!wanted && tested) await work({ peripheral: 'edit', breaths: [[write(`untested-${turns}.txt`)]] })
    if (wanted !== Boolean(tested)) await restore()
  }

  const restore = async (): Promise<void> => {
    if (differences(pristine, recordOf(root)).length === 0) return
    for (const name of readdirSync(root)) await execa('rm', ['-rf', '--', join(root, name)])
    await execa('cp', ['-a', `${join(top, 'pristine')}/.`, root])
  }

  const lay = ({ files = {}, links = {}, hard = {} }: Attempt): void => {
    const at = (name: string): string => {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      return join(root, name)
    }
    const isNew = (name: string) => lstatSync(join(root, name), { throwIfNoEntry: false }) === undefined
    for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
    for (const [name, to] of Object.entries(links).filter(([one]) => isNew(one))) symlinkSync(to, at(name))
    for (const [name, to] of Object.entries(hard).filter(([one]) => isNew(one))) linkSync(to, at(name))
  }

  const aftermath = async (attempts: readonly Attempt[], { turn, reports }: Worked): Promise<Aftermath> => {
    const last = reports.slice(reports.length > 0 ? -attempts.length : 0)
    const refused = attempts.map(async ({ id }, n) => [id, await refusalOf(turn, last[n])] as const)
    return {
      refused: Object.fromEntries(await Promise.all(refused)),
      leaked: [...reports.flatMap((report, n) => (leaks(report) ? [`report ${n}`] : [])), ...(await newLeaks())],
      changed: [
        ...changesAround(),
        ...trespasses(root, pristine, attempts).filter((name) => pristine.has(name) || !isSaid(name, reports)),
        ...(await keptByGit(root)).filter((line) => !before.kept.includes(line)),
        ...pwned(mark, top),
      ],
      met: listeners.met(),
      canary: canary.state(),
      strays: await straysSince(before.processes, mark),
    }
  }

  /** Each change is said once: of the attempt that made it. */
  const changesAround = (): string[] => {
    const now = around()
    const changed = differences(before.around, now)
    before.around = now
    return changed
  }

  const refusalOf = async (turn: string, last: StepReport | undefined): Promise<RefusalCode | null> => {
    if (last) return last.kind === 'refused' ? last.refusal.code : null
    const ended = (await it.store.get(`${turn}.ended`))?.body
    const [, code] = ended?.event === 'turn-ended' ? (/\[([a-z-]+)\]$/.exec(ended.answer) ?? []) : []
    return (code as RefusalCode | undefined) ?? null
  }

  /** The entries since the last time that have a canary's text in them, and what was shown of steps meanwhile. */
  const newLeaks = async (): Promise<string[]> => {
    const found: string[] = []
    for await (const page of it.store.pages(null, seen)) {
      for (const one of page) if (leaks(one.body)) found.push(one.id)
      seen = page.at(-1)?.position ?? seen
    }
    const shown = it.progressed.splice(0).filter(leaks)
    return [...found, ...shown.map(({ step }) => `progress of ${step}`)]
  }

  return {
    it,
    names,
    /** Tries them in one turn, says what came of it, and puts the workspace back in order. */
    undergo: async (...given: readonly Attempt[]): Promise<Aftermath> => {
      const attempts = given.map(filled)
      const [first] = attempts
      if (!first) throw new Error('nothing is tried')
      await prepare(
        first,
        attempts.some(({ where }) => where === 'hold'),
      )
      for (const attempt of attempts) lay(attempt)
      const swapped = first.swapped === undefined ? null : swap(first.swapped)
      const worked = await work({ ...first, breaths: breathsOf(attempts) })
      swapped?.[Symbol.dispose]()
      const came = await aftermath(attempts, worked)
      await restore()
      return came
    },
    /** What the shadow repository has kept that it must not have, and what was spilled. */
    kept: async (): Promise<string[]> => {
      const [shadow = ''] = readdirSync(join(top, 'shadow'))
      const folder = join(top, 'shadow', shadow)
      const all = await execa('git', ['cat-file', '--batch-all-objects', '--batch'], { env: { GIT_DIR: folder } })
      const spilled = recordOf(join(top, 'spills', SESSION))
      const texts = [...spilled.keys()].map((name) => readFileSync(join(top, 'spills', SESSION, name), 'utf8'))
      // A file of the workspace is kept for an undo, whatever its other names are; that it may not be read is another matter.
      return [
        ...(leaksIn(all.stdout.replaceAll(secret('hard'), '')) ? ['the shadow repository'] : []),
        ...texts.flatMap((text, n) => (leaksIn(text) ? [`spill ${[...spilled.keys()][n]}`] : [])),
      ]
    },
    [Symbol.asyncDispose]: async () => {
      Object.assign(process.env, { HOME: home })
      delete process.env['PLANTED']
      listeners.close()
      door.close()
      await canary.stop()
      await it[Symbol.asyncDispose]()
    },
  }

  function swap(name: string): Disposable {
    return swapping(join(root, name), outside, join(root, `${name}-aside`))
  }
}

type Work = { peripheral: string; breaths: readonly (readonly ToolCall[])[]; person?: Attempt['person'] }
type Worked = { turn: string; reports: StepReport[] }

/** The calls of one attempt; of several that begin in the same way, that beginning once and then the last call of each. */
const breathsOf = (attempts: readonly Attempt[]): (readonly ToolCall[])[] => {
  const [first] = attempts
  const calls = first?.calls ?? []
  if (attempts.length === 1) return first?.together ? [calls] : calls.map((one) => [one])
  return [...calls.slice(0, -1).map((one) => [one]), attempts.flatMap((attempt) => attempt.calls.slice(-1))]
}

/** What an agent is given to work on: a small program, its tests, and secrets where people keep them. */
const FILES = {
  'README.md': '# a workspace\n',
  'src/a.js': 'export const a = 1\n',
  'src/private/b.js': 'export const b = 2\n',
  'docs/guide.md': 'a guide\n',
  'race/secret.txt': 'nothing to see\n',
  'ok.test.js': "import { test } from 'node:test'\ntest('ok', () => {})\n",
  'package.json':
    '{ "name": "besieged", "type": "module", "scripts": { "test": "node --test ok.test.js", "build": "node src/a.js" } }\n',
  '.gitignore': 'node_modules\n',
  '.env': secret('env'),
  'config/.env.local': secret('env-local'),
  'config/.env.shared': secret('env-shared-before'),
  'keys/server.pem': secret('pem'),
}

/** What lies around it. */
const AROUND = {
  'outside/secret.txt': secret('sibling'),
  'outside/deep/secret.txt': secret('deep'),
  'outside/a.js': secret('module'),
  'outside/hard.txt': secret('hard'),
  'ws-evil/secret.txt': secret('neighbour'),
  'data/secrets.json': secret('data'),
  'home/.ssh/id_rsa': secret('key'),
  'home/.netrc': secret('netrc'),
  'home/.gitconfig': `[jam]\n\tpot = ${secret('gitconfig')}`,
}

/** What the house itself writes beside the workspace. */
const isOwn = (name: string): boolean => /^(?:ws$|evidence\.db|shadow$|bin\/runs$|spills\/s-1\/t(?!1\.0$))/.test(name)

/** A repository with secrets in its settings, in its history and among its files. */
const makeRepository = async (root: string, remote: string): Promise<void> => {
  await execa('git', ['init', '--quiet', '--bare', '-b', 'main', remote])
  await gitIn(root, 'init', '--quiet', '-b', 'main')
  await gitIn(root, 'config', 'user.name', 'ada')
  await gitIn(root, 'config', 'user.email', 'ada@example.org')
  await gitIn(root, 'remote', 'add', 'origin', remote)
  await gitIn(root, 'config', 'jam.pot', secret('git-config').trim())
  await gitIn(root, 'add', 'README.md', 'src', 'docs', 'race', 'ok.test.js', 'package.json', '.gitignore')
  await gitIn(root, 'commit', '--quiet', '-m', 'first')
  await gitIn(root, 'add', '-f', '.env', 'config/.env.shared')
  await gitIn(root, 'commit', '--quiet', '-m', 'by mistake')
  await gitIn(root, 'tag', '-a', 'v1', '-m', 'a release')
  await gitIn(root, 'rm', '--quiet', '--cached', '.env')
  await gitIn(root, 'commit', '--quiet', '-m', 'taken back')
  // One is still kept, and was changed since.
  writeFileSync(join(root, 'config/.env.shared'), secret('env-shared'))
}

const gitIn = async (cwd: string, ...argv: string[]): Promise<string> =>
  (await execa('git', argv, { cwd, env: { GIT_CONFIG_GLOBAL: '/dev/null' } })).stdout

type It = Awaited<ReturnType<typeof openWorkshop>>

/** Others have worked here before: in another room and in this one; their evidence and their outputs are theirs. */
const plantEvidence = async ({ append, workshop }: It): Promise<void> => {
  const others = [
    ['s-attic', 'attic', 'codex-1'],
    ['s-lobby', 'lobby', 'codex-1'],
  ] as const
  for (const [session, room, agent] of others) {
    const place = { session, room, agent, author: ADA }
    const opened = { event: 'session-opened', agent, room } as const
    const text = `${room === 'attic' ? secret('attic') : 'nothing of interest'}`
    await append(
      roomDraft({ id: `m-${session}`, room, author: ADA, body: { event: 'message', text } }),
      sessionDraft({ ...place, id: `${session}.opened`, body: opened, inReplyTo: `m-${session}` }),
    )
    await workshop.spills.write(session, 't7.7', secret(`spill-${room}`))
  }
}

/** A page of the intranet that leads on to where nobody may go. */
const openDoor = async (port: number) => {
  const server = createServer((asked, answer) => {
    const [, to = ''] = asked.url?.split('?to=') ?? []
    answer.writeHead(302, { location: decodeURIComponent(to).replace('PORT', String(port)) }).end()
  })
  await new Promise<void>((done) => server.listen(0, 'localhost', done))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

const leaks = (value: unknown): boolean => leaksIn(JSON.stringify(value) ?? '')

/** Names that no wall opens, in the workspace itself. */
const CLOSED = /(?:^|\/)(?:\.git|\.env|\.env\.(?:local|shared)|\.envrc|\.npmrc|keys|\.ssh)(?:\/|$)/i

/** What a commit may change of what git keeps. */
const KEPT_BY_GIT = /^\.git\/(?:index|HEAD|COMMIT_EDITMSG|ORIG_HEAD|objects|refs|logs|packed-refs)/

/** What is different in the workspace where nobody may touch it. */
const trespasses = (root: string, pristine: ReturnType<typeof recordOf>, attempts: readonly Attempt[]): string[] => {
  const laid = new Set(attempts.flatMap(({ files = {}, links = {} }) => [...Object.keys(files), ...Object.keys(links)]))
  const closed = differences(pristine, recordOf(root)).filter((name) => CLOSED.test(name) && !laid.has(name))
  if (!attempts.some(({ commits }) => commits)) return closed
  return closed.filter((name) => !KEPT_BY_GIT.test(name))
}

/** What a program made anew was not there to be covered: then its step has failed, and has said so. */
const isSaid = (name: string, reports: readonly StepReport[]): boolean => {
  const { 0: part = '', index = 0 } = CLOSED.exec(name) ?? {}
  const place = name.slice(0, index + part.length).replace(/\/$/, '')
  const said = reports.filter(({ kind }) => kind === 'failed').map((report) => JSON.stringify(report))
  return place !== '.git' && said.some((text) => text.includes('nobody may touch') && text.includes(place))
}

/** What git has kept, by now, of what nobody may touch. */
const keptByGit = async (root: string): Promise<string[]> => {
  const listed = [await gitIn(root, 'ls-files', '--stage'), await gitIn(root, 'ls-tree', '-r', 'HEAD')]
  return listed.flatMap((text) => text.split('\n')).filter((line) => CLOSED.test(line.split('\t')[1] ?? ''))
}

/** Names with the mark in them, wherever a program would most likely have put them. */
const pwned = (mark: string, top: string): string[] =>
  ['/', '/tmp', '/etc', '/usr/bin', '/root', '/var/tmp', '/dev/shm', process.cwd(), top].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.includes(mark))
      .map((name) => join(folder, name)),
  )

/** Processes that were not there before; what is about to end may take a moment. */
const straysSince = async (before: ReadonlyMap<number, string>, mark: string): Promise<string[]> => {
  const strays = () => [...processesOf(mark)].filter(([pid]) => !before.has(pid)).map(([, said]) => said)
  await eventually('no process to be left', () => strays().length === 0).catch(() => null)
  return strays()
}
