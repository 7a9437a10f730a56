import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { below, entryAt } from '../../src/backup/found.ts'
import { unpackInto, verifyBackup } from '../../src/backup/read.ts'
import { restoreInstance } from '../../src/backup/restore.ts'
import { saveInstance } from '../../src/backup/save.ts'
import { type Packed, pack, unpack } from '../../src/backup/tar.ts'
import { openStore, versionsOf } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openShadow } from '../../src/workspace/shadow.ts'
import { engines } from '../evidence/engines.ts'
import { startWriter } from '../evidence/writers.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, CLI } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { smallDisk } from '../support/small-disk.ts'
import { must, said, testStore } from '../support/store.ts'
import { PATH, testShadow } from '../workspace/shadow-folders.ts'

const AT = '2026-02-03T04:05:06.789Z'
const clock = () => Date.parse(AT)
const quiet = { force: false, dryRun: false, evidence: null, clock, progress: () => {} }

/** A data folder with something of each kind in it. */
const filled = () => {
  const data = scratch()
  data.write('secrets.json', '{"instance":"i"}')
  data.write('evidence.key', 'key')
  data.write('agents/claude-1/session.json', '{}')
  data.write('uploads/lobby/notes.txt', 'notes')
  data.write('checkouts/codex-1/run.sh', '#!/bin/sh\n')
  data.write('log/gateway.log', 'not taken along')
  data.write('redis/appendonly.aof', 'not taken along')
  data.write('up.json', 'not taken along')
  symlinkSync('run.sh', join(data.path, 'checkouts/codex-1/link'))
  mkdirSync(join(data.path, 'checkouts/codex-1/empty'))
  return data
}

const saving = (
  data: string,
  file: string,
  store: Awaited<ReturnType<typeof openStore>>,
  { secrets = true, secretsFile = null }: { secrets?: boolean; secretsFile?: string | null } = {},
) =>
  saveInstance({
    file,
    data,
    store,
    configFile: null,
    secretsFile,
    secrets,
    version: '1.2.3',
    at: AT,
    progress: () => {},
  })

describe.each(engines)('a backup of an instance with evidence in $name', (engine) => {
  test('restores into an empty folder, whole: every entry and every file', async () => {
    await using house = await engine.testStore()
    must(await house.store.append([said('m1', 'hello'), said('m2', 'x'.repeat(100_000))]))
    using data = filled()
    using out = scratch()
    for (const name of ['one.tar', 'two.tar.gz']) {
      const file = join(out.path, name)
      const saved = await saving(data.path, file, house.store)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(await verifyBackup(file, () => {})).toEqual(saved)
      using empty = scratch()
      expect(await restoreInstance(file, { ...quiet, data: empty.path })).toEqual({ ...saved, aside: null })
      expect(readdirSync(empty.path).sort()).toEqual(
        ['agents', 'checkouts', 'evidence.db', 'evidence.key', 'secrets.json', 'uploads'].sort(),
      )
      expect(readFileSync(join(empty.path, 'checkouts/codex-1/link'), 'utf8')).toBe('#!/bin/sh\n')
      expect(readdirSync(join(empty.path, 'checkouts/codex-1/empty'))).toEqual([])
      const store = await openStore({ url: join(empty.path, 'evidence.db'), clock, readonly: true })
      expect(await store.tip()).toEqual(await house.store.tip())
      await store.close()
    }
    expect(readdirSync(out.path).sort()).toEqual(['one.tar', 'two.tar.gz'])
  })

  test('goes back into the same kind of store', async () => {
    await using house = await engine.testStore()
    must(await house.store.append([said('m1', 'hello')]))
    using data = filled()
    using out = scratch()
    const file = join(out.path, 'it.tar')
    await saving(data.path, file, house.store)
    await using place = await engine.newUrl()
    using empty = scratch()
    const evidence = engine.name === 'PostgreSQL' ? place.url : null
    await restoreInstance(file, { ...quiet, data: empty.path, evidence, dryRun: true })
    expect(readdirSync(empty.path)).toEqual([])
    if (evidence !== null) expect((await versionsOf(evidence)).version).toBe(0)
    await restoreInstance(file, { ...quiet, data: empty.path, evidence })
    expect(existsSync(join(empty.path, 'evidence.db'))).toBe(evidence === null)
    const store = await openStore({ url: evidence ?? join(empty.path, 'evidence.db'), clock })
    expect(await store.tip()).toEqual(await house.store.tip())
    await store.close()
  })
})

const postgres = engines.find(({ name }) => name === 'PostgreSQL')

test.runIf(postgres)('a server that has other evidence is found out before anything is changed', async () => {
  await using house = await testStore()
  must(await house.store.append([said('m1', 'hello')]))
  using data = filled()
  using out = scratch()
  const file = join(out.path, 'it.tar')
  await saving(data.path, file, house.store)
  await using other = await (postgres as NonNullable<typeof postgres>).testStore()
  must(await other.store.append([said('n1', 'of another')]))
  using full = scratch()
  full.write('secrets.json', 'of another')
  for (const dryRun of [true, false]) {
    const options = { ...quiet, data: full.path, evidence: other.url, force: true, dryRun }
    await expect(restoreInstance(file, options)).rejects.toThrow('there is other evidence where this should go')
    expect(readdirSync(full.path)).toEqual(['secrets.json'])
  }
})

test('made while others write, it has all that was acknowledged before it began', async () => {
  await using house = await testStore()
  using data = filled()
  using out = scratch()
  const writer = await startWriter(house.url, 'writer', 1_000_000)
  writer.go()
  for (const round of [1, 2, 3]) {
    const before = await eventually('more to be acknowledged', () => {
      const acknowledged = [...writer.acknowledged()]
      return acknowledged.length > 20 * round && acknowledged
    })
    const file = join(out.path, `${round}.tar`)
    await saving(data.path, file, house.store)
    await verifyBackup(file, () => {})
    using empty = scratch()
    await restoreInstance(file, { ...quiet, data: empty.path })
    const store = await openStore({ url: join(empty.path, 'evidence.db'), clock: systemClock, readonly: true })
    const there = new Set((await store.chain('room-lobby')).map(({ id }) => id))
    await store.close()
    expect(before.filter((id) => !there.has(id) && !there.has(`${id}-a`))).toEqual([])
  }
  writer.kill()
})

test('without secrets, nobody who has it can act as the instance or as its agents', async () => {
  await using house = await testStore()
  using data = filled()
  using out = scratch()
  const file = join(out.path, 'it.tar')
  expect((await saving(data.path, file, house.store, { secrets: false })).secrets).toBe(false)
  using empty = scratch()
  await restoreInstance(file, { ...quiet, data: empty.path })
  expect(readdirSync(empty.path).sort()).toEqual(['checkouts', 'evidence.db', 'uploads'])
})

test('the secrets that several machines share are in it, and what undo needs of every set of files', async () => {
  await using house = await testStore()
  using data = filled()
  data.write(`shadow/${'0'.repeat(32)}/objects/a`, 'a')
  data.write(`shadow-docs/${'1'.repeat(32)}/objects/b`, 'b')
  using out = scratch()
  const file = join(out.path, 'it.tar')
  await saving(data.path, file, house.store, {
    secretsFile: out.write('shared.json', '{"instance":"shared"}\n'),
  })
  using empty = scratch()
  await restoreInstance(file, { ...quiet, data: empty.path })
  expect(readFileSync(join(empty.path, 'secrets.json'), 'utf8')).toBe('{"instance":"shared"}')
  for (const [set, name] of [
    ['shadow', 'a'],
    ['shadow-docs', 'b'],
  ] as const) {
    const [repository = '', ...more] = readdirSync(join(empty.path, set))
    expect([more, readFileSync(join(empty.path, set, repository, 'objects', name), 'utf8')]).toEqual([[], name])
  }
  await expect(saving(data.path, `${file}.2`, house.store, { secretsFile: join(out.path, 'none') })).rejects.toThrow(
    'which BELLHOP_SECRETS_FILE names: ENOENT',
  )
  expect(readdirSync(out.path).sort()).toEqual(['it.tar', 'shared.json'])
})

test('what cannot be taken along is left out and told, and the rest of it is whole', async () => {
  await using house = await testStore()
  using data = filled()
  using disk = scratch()
  disk.write('notes.txt', 'on another disk')
  rmSync(join(data.path, 'uploads'), { recursive: true })
  symlinkSync(disk.path, join(data.path, 'uploads'))
  const inside = (name: string) =>
    Buffer.concat([Buffer.from(`${data.path}/checkouts/codex-1/`), Buffer.from(name, 'latin1')])
  writeFileSync(inside('caf\xe9'), 'no name of ours')
  mkdirSync(inside('d\xe9p'))
  writeFileSync(inside('d\xe9p/in'), 'below no name of ours')
  symlinkSync(Buffer.from('caf\xe9', 'latin1'), inside('way'))
  execFileSync('mkfifo', [join(data.path, 'checkouts/codex-1/pipe')])
  using out = scratch()
  const file = join(out.path, 'it.tar')
  const { left } = await saving(data.path, file, house.store)
  expect(left).toEqual(['caf\ufffd', 'd\ufffdp', 'pipe', 'way'].map((name) => `checkouts/codex-1/${name}`))
  expect((await verifyBackup(file, () => {})).left).toEqual(left)
  using empty = scratch()
  await restoreInstance(file, { ...quiet, data: empty.path })
  expect(readdirSync(join(empty.path, 'checkouts/codex-1')).sort()).toEqual(['.restored', 'empty', 'link', 'run.sh'])
  expect(readFileSync(join(empty.path, 'uploads/notes.txt'), 'utf8')).toBe('on another disk')
})

test('what an agent closed to others is left out, and keeps no backup from being made', async () => {
  using data = filled()
  using out = scratch()
  const store = await openStore({ url: join(data.path, 'evidence.db'), clock })
  must(await store.append([said('m1', 'hello')]))
  await store.close()
  data.write('checkouts/codex-1/shut/in', 'x')
  data.write('checkouts/codex-1/shut-file', 'x')
  const shut = ['shut', 'shut-file'].map((name) => join(data.path, 'checkouts/codex-1', name))
  for (const path of shut) chmodSync(path, 0)
  const file = join(out.path, 'it.tar')
  // Nothing is closed to root, but where that is taken from it.
  const root = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
  const [program = '', ...args] = [...root, process.execPath, CLI, 'backup', file, '--json', '--data', data.path]
  const { stdout } = await execa(program, args, {
    env: { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' },
    extendEnv: false,
  })
  const left = ['checkouts/codex-1/shut', 'checkouts/codex-1/shut-file']
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, left })
  expect((await verifyBackup(file, () => {})).left).toEqual(left)
  for (const path of shut) chmodSync(path, 0o700)
})

test('what is there is not overwritten: it stays, or is moved aside as a whole', async () => {
  await using house = await testStore()
  must(await house.store.append([said('m1', 'hello')]))
  using data = filled()
  using out = scratch()
  const file = join(out.path, 'it.tar')
  await saving(data.path, file, house.store)
  using full = scratch()
  full.write('secrets.json', 'of another')
  full.write('evidence.db', 'evidence of another')
  full.write('log/gateway.log', 'stays')
  full.write('redis/appendonly.aof', 'knows of what was after the backup')
  const there = () => readdirSync(full.path).sort()
  await expect(restoreInstance(file, { ...quiet, data: full.path })).rejects.toMatchObject({
    message: `there is an instance in ${full.path} already`,
  })
  await restoreInstance(file, { ...quiet, data: full.path, force: true, dryRun: true })
  expect(there()).toEqual(['evidence.db', 'log', 'redis', 'secrets.json'])
  const { aside } = await restoreInstance(file, { ...quiet, data: full.path, force: true })
  expect(aside).toBe(join(full.path, 'before-restore-2026-02-03T04-05-06-789Z'))
  expect(readdirSync(aside ?? '').sort()).toEqual(['evidence.db', 'redis', 'secrets.json'])
  expect(readFileSync(join(full.path, 'secrets.json'), 'utf8')).toBe('{"instance":"i"}')
  expect(there()).toEqual(
    [
      'agents',
      'before-restore-2026-02-03T04-05-06-789Z',
      'checkouts',
      'evidence.db',
      'evidence.key',
      'log',
      'secrets.json',
      'uploads',
    ].sort(),
  )
})

test('a dry run changes nothing, also where there is no folder yet or one that nothing ever ran on', async () => {
  await using house = await testStore()
  must(await house.store.append([said('m1', 'hello')]))
  using data = filled()
  using out = scratch()
  const file = join(out.path, 'it.tar')
  const { file: _, ...saved } = await saving(data.path, file, house.store)
  mkdirSync(join(out.path, 'empty'), { mode: 0o755 })
  out.write('file', 'a file')
  const everything = () => readdirSync(out.path, { recursive: true }).sort()
  const before = everything()
  const dry = async (folder: string) => {
    const run = ['restore', file, '--dry-run', '--json', '--data', join(out.path, folder)]
    return JSON.parse((await bellhop(run)).stdout)
  }
  for (const folder of ['none', 'none/below/none', 'empty'])
    expect(await dry(folder)).toEqual({ ok: true, file, ...saved, aside: null })
  expect(await dry('file/below')).toEqual({
    ok: false,
    problem: `cannot write to the data folder ${join(out.path, 'file/below')}: ENOTDIR`,
    fix: 'choose another with --data DIR, or make it writable',
  })
  expect([everything(), statSync(join(out.path, 'empty')).mode & 0o777]).toEqual([before, 0o755])
})

/** The same archive with something else in it. */
const changed = async (file: string, to: string, change: (entries: Packed[]) => Packed[]): Promise<void> => {
  const entries: Packed[] = []
  const chunks = async function* () {
    yield readFileSync(file)
  }
  for await (const entry of unpack(chunks())) {
    if (entry.kind !== 'file') entries.push(entry)
    else {
      const bytes: Buffer[] = []
      for await (const chunk of entry.data) bytes.push(chunk)
      entries.push(fileOf(entry.path, Buffer.concat(bytes)))
    }
  }
  const out: Buffer[] = []
  const all = async function* () {
    yield* change(entries)
  }
  for await (const chunk of pack(all())) out.push(chunk)
  writeFileSync(to, Buffer.concat(out))
}

const manifestIn = async (file: string): Promise<string> => {
  using folder = scratch()
  return JSON.stringify(await unpackInto(file, folder.path))
}

const fileOf = (path: string, content: Buffer): Packed => ({
  path,
  mode: 0o600,
  kind: 'file',
  size: content.length,
  data: (async function* () {
    yield content
  })(),
})

test('an archive that somebody made up writes nowhere else, and what was changed in it is found', async () => {
  await using house = await testStore()
  must(await house.store.append([said('m1', 'hello')]))
  using data = filled()
  using out = scratch()
  const file = join(out.path, 'it.tar')
  await saving(data.path, file, house.store)
  const evil = join(out.path, 'evil.tar')
  const before = (path: string, entries: Packed[], entry: Packed) => {
    const at = entries.findIndex((one) => one.path === path)
    return [...entries.slice(0, at), entry, ...entries.slice(at)]
  }
  const outside = join(out.path, 'outside')
  mkdirSync(outside)
  const manifest = await manifestIn(file)
  /** With so many links more, also in what it says of itself. */
  const linked = (entries: Packed[], links: Packed[]): Packed[] =>
    links
      .reduce((all, one) => before('evidence.db', all, one), entries)
      .map((one) =>
        one.path === 'manifest.json'
          ? fileOf(one.path, Buffer.from(manifest.replace('"links":1', `"links":${1 + links.length}`)))
          : one,
      )
  const way = (path: string, to: string): Packed => ({ path, mode: 0o777, kind: 'link', to })
  const link: Packed = { path: 'checkouts/way', mode: 0o777, kind: 'link', to: '../../outside' }
  type Try = [string, (entries: Packed[]) => Packed[]]
  const tries: Try[] = [
    ['../outside', (entries) => before('evidence.db', entries, fileOf('../outside/x', Buffer.from('x')))],
    ['/tmp', (entries) => before('evidence.db', entries, fileOf('/tmp/bellhop-evil', Buffer.from('x')))],
    [
      'more than it says',
      (entries) =>
        before('evidence.db', before('evidence.db', entries, link), fileOf('checkouts/way/x', Buffer.from('x'))),
    ],
    [
      'not what it was',
      (entries) => entries.map((one) => (one.path === 'secrets.json' ? fileOf(one.path, Buffer.from('{}')) : one)),
    ],
    [
      '"checkouts/way/a/b" goes through the link "checkouts/way"',
      (entries) => linked(entries, [way('checkouts/way', outside), way('checkouts/way/a/b', 'payload')]),
    ],
    [
      '"checkouts/way/a" goes through the link "checkouts/way"',
      (entries) => linked(entries, [way('checkouts/way/a', 'payload'), way('checkouts/way', outside)]),
    ],
    [
      'it has "checkouts", which no backup has',
      (entries) =>
        linked(
          entries.filter(({ path }) => path !== 'checkouts'),
          [way('checkouts', outside)],
        ),
    ],
    [
      'it has "checkouts/way" twice',
      (entries) => linked(entries, [way('checkouts/way', outside), way('checkouts/way', 'payload')]),
    ],
    ...['redis/appendonly.aof', 'up.json', 'lock.db', 'processes.db', 'beside.db', 'evidence.db/x', 'backup.json'].map(
      (name): Try => [
        `it has "${name}", which no backup has`,
        (entries) => before('evidence.db', entries, fileOf(name, Buffer.from('x'))),
      ],
    ),
    ['it has "log", which no backup has', (entries) => linked(entries, [way('log', outside)])],
    ['ends before', (entries) => entries.slice(0, -1)],
    ['no backup of Bellhop', (entries) => entries.slice(1)],
    ['after its end', (entries) => [...entries, fileOf('late', Buffer.from('x'))]],
  ]
  for (const [why, change] of tries) {
    await changed(file, evil, change)
    using folder = scratch()
    mkdirSync(join(folder.path, 'in'))
    mkdirSync(join(folder.path, 'outside'))
    await expect(unpackInto(evil, join(folder.path, 'in'))).rejects.toThrow(why)
    await expect(verifyBackup(evil, () => {})).rejects.toThrow(why)
    expect([readdirSync(join(folder.path, 'outside')), readdirSync(outside)]).toEqual([[], []])
  }
})

test('nothing that a backup says to git is obeyed, and what it kept is found', async () => {
  await using house = await testStore()
  using ws = await testShadow({ 'a.txt': 'before\n' })
  using data = scratch()
  using out = scratch()
  const open = (above: string) =>
    openShadow({ folder: join(above, 'shadow'), workspace: ws.workspace, path: PATH, deny: [] })
  const tree = await (await open(data.path)).tree()
  const [name = ''] = readdirSync(join(data.path, 'shadow'))
  const ran = join(out.path, 'ran')
  const config = readFileSync(join(data.path, 'shadow', name, 'config'), 'utf8')
  for (const folder of [`shadow/${name}`, 'checkouts/.git-own']) {
    data.write(`${folder}/config`, `${config}[filter "evil"]\n\tclean = touch ${ran} && cat\n`)
    data.write(`${folder}/info/attributes`, '* filter=evil\n')
    data.write(`${folder}/hooks/post-index-change`, `#!/bin/sh\ntouch ${ran}\n`)
    data.write(`${folder}/objects/info/alternates`, `${out.path}\n`)
  }
  const file = join(out.path, 'it.tar')
  await saving(data.path, file, house.store)
  using empty = scratch()
  await restoreInstance(file, { ...quiet, data: empty.path })
  const shadow = await open(empty.path)
  ws.write('a.txt', 'after\n')
  const changes = await shadow.changes(tree, await shadow.tree())
  expect(changes.map(({ path, added, removed }) => [path, added, removed])).toEqual([['a.txt', 1, 1]])
  expect([existsSync(ran), readdirSync(join(empty.path, 'checkouts'))]).toEqual([false, []])
})

test('what is cut off, is another file or is not there is told in a sentence, in JSON where that was asked for', async () => {
  await using house = await testStore()
  using data = filled()
  using out = scratch()
  const file = join(out.path, 'it.tar.gz')
  await saving(data.path, file, house.store)
  const bytes = readFileSync(file)
  const cut = join(out.path, 'cut.tar.gz')
  writeFileSync(cut, bytes.subarray(0, bytes.length / 2))
  const torn = join(out.path, 'torn.tar.gz')
  writeFileSync(torn, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length, 'x')]))
  const nowhere = join(out.path, 'nowhere/x.tar')
  const name = 'name a file that `bellhop backup` made'
  const older = 'take an older one; `bellhop backup --verify FILE` says which are whole'
  const tries = [
    [cut, 'the backup is damaged: unexpected end of file', older],
    [torn, expect.stringMatching(/^the backup is damaged: /), older],
    [nowhere, `cannot read ${nowhere}: ENOENT`, name],
    [out.path, `cannot read ${out.path}: EISDIR`, name],
  ] as const
  for (const [given, problem, fix] of tries)
    for (const [command = '', ...args] of [
      ['backup', '--verify'],
      ['restore', '--data', join(out.path, 'new')],
    ]) {
      const { exitCode, stdout, stderr } = await bellhop([command, given, ...args, '--json'])
      expect([exitCode, JSON.parse(stdout)]).toEqual([1, { ok: false, problem, fix }])
      expect(stderr.split('\n')).toEqual([expect.stringMatching(/^bellhop: /), `  ${fix}`])
    }
  expect(readdirSync(out.path).sort()).toEqual(['cut.tar.gz', 'it.tar.gz', 'new', 'torn.tar.gz'])
})

test('ended before it is done, nothing is left of it: not of one that is made, and not of one that is looked at', async () => {
  using data = filled()
  using out = scratch()
  const store = await openStore({ url: join(data.path, 'evidence.db'), clock })
  must(await store.append([said('m1', 'hello')]))
  await saving(data.path, join(out.path, 'whole.tar'), store)
  await store.close()
  // Nothing on the disk, and much to compress.
  truncateSync(data.write('uploads/large', ''), 8 * 2 ** 30)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const file = join(out.path, 'it.tar.gz')
    const made = execa(process.execPath, [CLI, 'backup', file, '--data', data.path, '--json'], { reject: false })
    await eventually('it to be under way', () => existsSync(`${file}.${made.pid}.part`))
    expect(readdirSync(out.path)).toContain(`it.tar.gz.${made.pid}.part.db`)
    made.kill(signal)
    const { exitCode, stdout } = await made
    const told = { problem: 'it was ended before it was done', fix: 'run it again: nothing of it is left' }
    expect([exitCode, JSON.parse(stdout)]).toEqual([1, { ok: false, ...told }])
    expect(readdirSync(out.path)).toEqual(['whole.tar'])
  }
  const whole = join(out.path, 'whole.tar')
  const ends = AbortSignal.abort()
  using empty = scratch()
  await expect(verifyBackup(whole, () => {}, ends)).rejects.toThrow('aborted')
  await expect(restoreInstance(whole, { ...quiet, data: empty.path, ends })).rejects.toThrow('aborted')
  expect([readdirSync(out.path), readdirSync(empty.path)]).toEqual([['whole.tar'], []])
})

test('a backup without the config says so, and one into a folder that is not there is refused', async () => {
  using data = filled()
  using out = scratch()
  await (await openStore({ url: join(data.path, 'evidence.db'), clock })).close()
  const none = '  no config file was named: none is in it'
  const bare = await bellhop(['backup', join(out.path, 'bare.tar'), '--data', data.path])
  const config = out.write('team.yaml', '{}\n')
  const full = await bellhop(['backup', join(out.path, 'full.tar'), '--data', data.path, '--config', config])
  expect([bare, full].map(({ stdout }) => stdout.split('\n').includes(none))).toEqual([true, false])
  const folder = join(out.path, 'not-yet')
  const refused = await bellhop(['backup', `${folder}/`, '--data', data.path])
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    `bellhop: ${folder} is no folder\n  make it first (\`install -d -m 700 ${folder}\`), or name a file`,
  ])
  expect(readdirSync(out.path).sort()).toEqual(['bare.tar', 'full.tar', 'team.yaml'])
})

test.each(['refs', 'objects'])(
  'a commit that is made when it has come to the %s is in it as a whole, or not at all',
  async (at) => {
    using data = scratch()
    using copy = scratch()
    const git = (folder: string, ...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=codex', '-c', 'user.email=codex@bellhop.invalid', ...args])
    const commit = () => git(data.path, 'commit', '--quiet', '--allow-empty', '--message', 'one more')
    git(data.path, 'init', '--quiet')
    commit()
    for await (const path of below(data.path, '.')) {
      if (path === join('.git', at)) commit()
      const entry = await entryAt(join(data.path, path), path)
      if (entry === null || entry === 'odd') continue
      if (entry.kind === 'folder') mkdirSync(join(copy.path, path), { recursive: true })
      if (entry.kind === 'file') await writeFile(join(copy.path, path), entry.data)
    }
    git(copy.path, 'fsck', '--connectivity-only')
    expect(Number(git(copy.path, 'rev-list', '--count', 'HEAD'))).toBe(at === 'refs' ? 2 : 1)
  },
)

test('what does not fit on the disk to its last byte is not taken for unpacked', async (context) => {
  const disk = smallDisk(1)
  if (typeof disk === 'string') return context.skip(disk)
  using small = disk
  using out = scratch()
  const contents = { 'evidence.db': Buffer.from('evidence'), 'uploads/large': Buffer.alloc(40_000, 'x') }
  const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
  const opening = { bellhop: 'backup', format: 1, version: '1.2.3', at: AT, secrets: false }
  const manifest = {
    ...opening,
    engine: 'sqlite',
    evidence: { entries: 0, position: 0, root: '' },
    config: null,
    files: Object.entries(contents).map(([path, content]) => ({ path, size: content.length, sha256: sha256(content) })),
    links: 0,
    left: [],
  }
  const all = async function* () {
    yield fileOf('bellhop-backup.json', Buffer.from(JSON.stringify(opening)))
    for (const [path, content] of Object.entries(contents)) yield fileOf(path, content)
    yield fileOf('manifest.json', Buffer.from(JSON.stringify(manifest)))
  }
  const file = join(out.path, 'it.tar')
  await writeFile(file, pack(all()))
  const { bavail, bsize } = statfsSync(small.path)
  writeFileSync(join(small.path, 'filler'), Buffer.alloc(bavail * bsize - 30_000))
  mkdirSync(join(small.path, 'in'))
  await expect(unpackInto(file, join(small.path, 'in'))).rejects.toThrow('ENOSPC')
})
