import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
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
import { type Attempt, run, write } from './attempt.ts'
import { leaksIn, openListeners, processesOf, secret, startCanary } from './canaries.ts'
import { differences, recordOf } from './record.ts'
import { wallsUnderSiege } from './walls.ts'

/** What came of an attempt, seen from outside. */
export type Aftermath = {
  /** How the last call was refused; null where it was not. */
  refused: RefusalCode | null
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
  const { root } = it
  const top = it.folder.path
  const outside = join(top, 'outside')
  for (const [name, text] of Object.entries(AROUND)) it.folder.write(name, text)
  await makeRepository(root, join(top, 'remote.git'))
  await plantEvidence(it, outside)
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

  const around = () => recordOf(top, { without: isOwn, identity: true })
  const pristine = recordOf(root)
  const before = { around: around(), processes: processesOf(mark) }
  let seen = await it.store.head()
  let turns = 0

  /** One turn with these calls, in that order; what was reported of each. */
  const work = async (attempt: Pick<Attempt, 'peripheral' | 'calls' | 'together' | 'person'>): Promise<Worked> => {
    const turn = `t${++turns}`
    const { peripheral, calls } = attempt
    const accepted = { event: 'accepted', agent: 'claude-1', room: 'lobby', peripheral, request: 'go on' } as const
    await it.append(entry(turn, ADA, { ...accepted, role: 'operator' }, 'm1'))
    const reports: StepReport[] = []
    const mind: Mind = function* () {
      for (const batch of attempt.together ? [calls] : calls.map((one) => [one])) reports.push(...(yield batch))
      return 'done'
    }
    const over = new AbortController()
    const asked = answering(turn, attempt, over.signal)
    await it.turnsOf(mind).drain(SESSION, stops())
    over.abort()
    await asked
    return { turn, reports }
  }

  /** A person at hand, who says the same to every question of a turn; or nobody, until the time is up. */
  const answering = async (turn: string, { calls, person }: Pick<Attempt, 'calls' | 'person'>, over: AbortSignal) => {
    const steps = calls.map((_, n) => `${turn}.${n}`)
    const open = new Set(steps)
    while (!over.aborted) {
      for (const step of open) if (await it.store.get(`${step}.approval`)) await answer(step)
      await new Promise((done) => setTimeout(done, 25))
    }
    async function answer(step: string): Promise<void> {
      open.delete(step)
      const decision = person === 'approves' ? 'approved' : 'denied'
      const body = { event: 'approval-decided', step, approval: approvalName(step), decision, role: 'approver' } as const
      if (person) await it.append(entry(`${step}.decision`, ADA, { ...body, note: '' }, `${step}.approval`))
      else it.time.now += 40 * 60_000
      await it.wake(SESSION)
    }
  }

  /** Deploy can be entered once tests have passed on what is there, and cannot where something was changed since. */
  const prepare = async ({ peripheral, expect }: Attempt): Promise<void> => {
    const { tested } = await it.ledgers.of(SESSION)
    const wanted = peripheral === 'deploy' && expect !== 'entry-refused'
    if (wanted && !tested) await work({ peripheral: 'test', calls: [run('npm', 'test')] })
    if (!wanted && tested) await work({ peripheral: 'edit', calls: [write(`untested-${turns}.txt`)] })
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
    for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
    for (const [name, to] of Object.entries(links)) symlinkSync(to, at(name))
    for (const [name, to] of Object.entries(hard)) linkSync(to, at(name))
  }

  const aftermath = async (attempt: Attempt, { turn, reports }: Worked): Promise<Aftermath> => {
    const changed = [
      ...differences(before.around, around()),
      ...(await trespasses(root, pristine, attempt)),
      ...pwned(mark, [top, root]),
    ]
    return {
      refused: await refusalOf(turn, reports.at(-1)),
      leaked: [...reports.flatMap((report, n) => (leaks(report) ? [`report ${n}`] : [])), ...(await newLeaks())],
      changed,
      met: listeners.met(),
      canary: canary.state(),
      strays: await straysSince(before.processes, mark),
    }
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
    /** Tries it, says what came of it, and puts the workspace back in order. */
    undergo: async (given: Attempt): Promise<Aftermath> => {
      const attempt = filled(given)
      await prepare(attempt)
      lay(attempt)
      using _swapping = attempt.swapped === undefined ? null : swap(attempt.swapped)
      const worked = await work(attempt)
      _swapping?.[Symbol.dispose]()
      const came = await aftermath(attempt, worked)
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
      return [
        ...(leaksIn(all.stdout) ? ['the shadow repository'] : []),
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

type Worked = { turn: string; reports: StepReport[] }

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
  'keys/server.pem': secret('pem'),
}

/** What lies around it. */
const AROUND = {
  'outside/secret.txt': secret('sibling'),
  'outside/deep/secret.txt': secret('deep'),
  'outside/a.js': secret('module'),
  'ws-evil/secret.txt': secret('neighbour'),
  'data/secrets.json': secret('data'),
  'home/.ssh/id_rsa': secret('key'),
  'home/.netrc': secret('netrc'),
  'home/.gitconfig': `[jam]\n\tpot = ${secret('gitconfig')}`,
}

/** What the house itself writes beside the workspace. */
const isOwn = (name: string): boolean => /^(?:ws$|evidence\.db|shadow$|bin\/runs$|spills\/s-1\/t\d)/.test(name)

/** A repository with a secret in its history and in its settings, which is no longer among its files. */
const makeRepository = async (root: string, remote: string): Promise<void> => {
  await execa('git', ['init', '--quiet', '--bare', '-b', 'main', remote])
  await gitIn(root, 'init', '--quiet', '-b', 'main')
  await gitIn(root, 'config', 'user.name', 'ada')
  await gitIn(root, 'config', 'user.email', 'ada@example.org')
  await gitIn(root, 'remote', 'add', 'origin', remote)
  await gitIn(root, 'config', 'jam.pot', secret('git-config').trim())
  await gitIn(root, 'add', 'README.md', 'src', 'docs', 'race', 'ok.test.js', 'package.json', '.gitignore')
  await gitIn(root, 'commit', '--quiet', '-m', 'first')
  await gitIn(root, 'add', '-f', '.env')
  await gitIn(root, 'commit', '--quiet', '-m', 'by mistake')
  await gitIn(root, 'tag', '-a', 'v1', '-m', 'a release')
  await gitIn(root, 'rm', '--quiet', '--cached', '.env')
  await gitIn(root, 'commit', '--quiet', '-m', 'taken back')
}

const gitIn = async (cwd: string, ...argv: string[]): Promise<string> =>
  (await execa('git', argv, { cwd, env: { GIT_CONFIG_GLOBAL: '/dev/null' } })).stdout

type It = Awaited<ReturnType<typeof openWorkshop>>

/** Others have worked here before: in another room and in this one; their evidence and their outputs are theirs. */
const plantEvidence = async (it: It, outside: string): Promise<void> => {
  const others = [
    ['s-attic', 'attic', 'codex-1'],
    ['s-lobby', 'lobby', 'codex-1'],
  ] as const
  for (const [session, room, agent] of others) {
    const place = { session, room, agent, author: ADA }
    const opened = { event: 'session-opened', agent, room } as const
    const text = `${room === 'attic' ? secret('attic') : 'nothing of interest'}`
    await it.append(
      roomDraft({ id: `m-${session}`, room, author: ADA, body: { event: 'message', text } }),
      sessionDraft({ ...place, id: `${session}.opened`, body: opened, inReplyTo: `m-${session}` }),
    )
    await it.workshop.spills.write(session, 't1.0', secret(`spill-${room}`))
  }
  await it.workshop.spills.write(SESSION, 'earlier.0', 'an earlier output, as it was\n')
  await it.holds.take('s-lobby', 'codex-1', ['src/held.js', 'docs/guide.md'])
  mkdirSync(outside, { recursive: true })
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
const CLOSED = /(?:^|\/)(?:\.git|\.env|\.env\.local|\.envrc|\.npmrc|keys|\.ssh)(?:\/|$)/i

/** What a commit may change of what git keeps. */
const KEPT_BY_GIT = /^\.git\/(?:index|HEAD|COMMIT_EDITMSG|ORIG_HEAD|objects|refs|logs|packed-refs)/

/** What is different in the workspace where nobody may touch it, or is now kept by git although nobody may. */
const trespasses = async (root: string, pristine: ReturnType<typeof recordOf>, attempt: Attempt) => {
  const closed = differences(pristine, recordOf(root)).filter((name) => CLOSED.test(name))
  if (!attempt.commits) return closed.filter((name) => attempt.files?.[name] === undefined)
  const listed = [await gitIn(root, 'ls-files'), await gitIn(root, 'ls-tree', '-r', '--name-only', 'HEAD')]
  const committed = listed.flatMap((text) => text.split('\n')).filter((name) => CLOSED.test(name))
  return [...closed.filter((name) => !KEPT_BY_GIT.test(name)), ...committed.map((name) => `${name} in git`)]
}

/** Names with the mark in them, wherever a program would most likely have put them. */
const pwned = (mark: string, places: readonly string[]): string[] =>
  ['/', '/tmp', '/etc', '/usr/bin', '/root', '/var/tmp', '/dev/shm', process.cwd(), ...places.slice(0, 1)].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.includes(mark))
      .map((name) => join(folder, name)),
  )

/** Processes that were not there before; what is about to end may take a moment. */
const straysSince = async (before: ReadonlyMap<number, string>, mark: string): Promise<string[]> => {
  const strays = () => [...processesOf(mark)].filter(([pid]) => !before.has(pid)).map(([, said]) => said)
  await eventually('no process to be left', () => strays().length === 0, 3000).catch(() => null)
  return strays()
}
