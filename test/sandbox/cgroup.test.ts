import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Cgroups, candidatesIn, metLimit, openGroup } from '../../src/sandbox/cgroup.ts'
import { scratch } from '../support/folder.ts'

const limits = { seconds: 1, memoryMb: 64, processes: 10, outputBytes: 1 }

const v1Mounts = `30 29 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 30 0:29 / /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids
33 30 0:30 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw`

test.each<[string, string, string, Cgroups[]]>([
  [
    'of a service that systemd keeps, beside it',
    '0::/system.slice/bellhop.service/main\n',
    '30 29 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n',
    ['/sys/fs/cgroup/system.slice/bellhop.service/main', '/sys/fs/cgroup/system.slice/bellhop.service'].map(
      (place) => ({
        kind: 'cgroup-v2',
        memory: place,
        pids: place,
      }),
    ),
  ],
  [
    'of a container, which sees only its own',
    '0::/\n',
    '30 29 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n',
    [{ kind: 'cgroup-v2', memory: '/sys/fs/cgroup', pids: '/sys/fs/cgroup' }],
  ],
  [
    'of the older kind, next to a newer one without controllers',
    '9:name=systemd:/\n8:pids:/\n4:memory:/jobs/one\n0::/\n',
    v1Mounts,
    [
      { kind: 'cgroup-v2', memory: '/sys/fs/cgroup/unified', pids: '/sys/fs/cgroup/unified' },
      { kind: 'cgroup-v1', memory: '/sys/fs/cgroup/memory/jobs/one', pids: '/sys/fs/cgroup/pids' },
    ],
  ],
  [
    'of the older kind, in a container whose own folder is mounted',
    '8:pids:/docker/abc\n4:cpu,memory:/docker/abc\n',
    '31 30 0:28 /docker/abc /sys/fs/cgroup/cpu,memory ro - cgroup cgroup rw,cpu,memory\n32 30 0:29 /docker/abc /sys/fs/with\\040blank rw - cgroup cgroup rw,pids\n',
    [{ kind: 'cgroup-v1', memory: '/sys/fs/cgroup/cpu,memory', pids: '/sys/fs/with blank' }],
  ],
  ['of a kernel that has only one of the two', '8:pids:/\n', v1Mounts, []],
  ['of a system that is not Linux', '', '', []],
])('the place for groups %s', (_, groups, mounts, expected) => {
  expect(candidatesIn(groups, mounts)).toEqual(expected)
})

test('a group of the newer kind has its limits, and tells which was met', async () => {
  using folder = scratch()
  const group = await openGroup({ kind: 'cgroup-v2', memory: folder.path, pids: folder.path }, limits)
  const [name = ''] = readdirSync(folder.path)
  const place = join(folder.path, name)
  const written = Object.fromEntries(readdirSync(place).map((file) => [file, readFileSync(join(place, file), 'utf8')]))
  expect([name, written, group.join]).toEqual([
    expect.stringMatching(RegExp(`^bellhop-${process.pid}-[0-9a-f]{8}$`)),
    { 'memory.max': '67108864', 'memory.swap.max': '0', 'pids.max': '12' },
    [join(place, 'cgroup.procs')],
  ])
  const tell = (memory: string, pids: string) => {
    writeFileSync(join(place, 'memory.events'), memory)
    writeFileSync(join(place, 'pids.events'), pids)
    return metLimit(group)
  }
  expect([
    await metLimit(group),
    await tell('low 0\nmax 17\noom 1\noom_kill 0\noom_group_kill 0\n', 'max 0\n'),
    await tell('max 17\noom_kill 2\n', 'max 5\n'),
    await tell('oom_kill 0\n', 'max 5\n'),
  ]).toEqual([null, null, 'memory', 'processes'])
})

test('a group of the older kind has its limits in two places, and tells which was met', async () => {
  using folder = scratch()
  const [memory, pids] = [join(folder.path, 'memory'), join(folder.path, 'pids')]
  for (const place of [memory, pids]) mkdirSync(place)
  const group = await openGroup({ kind: 'cgroup-v1', memory, pids }, limits)
  expect([readdirSync(group.memory).sort(), readdirSync(group.pids), group.join]).toEqual([
    ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    ['pids.max'],
    [join(group.memory, 'cgroup.procs'), join(group.pids, 'cgroup.procs')],
  ])
  writeFileSync(join(group.memory, 'memory.oom_control'), 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n')
  expect(await metLimit(group)).toBe('memory')
})

test('where a group cannot be made it is an error, and nothing is left', async () => {
  using folder = scratch()
  const memory = join(folder.path, 'memory')
  mkdirSync(memory)
  const opened = openGroup({ kind: 'cgroup-v1', memory, pids: join(folder.path, 'missing') }, limits)
  await expect(opened).rejects.toThrow('ENOENT')
  expect(readdirSync(memory)).toEqual([])
})
