import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ownCgroups } from '../../src/sandbox/cgroup.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { isKeptFrom } from '../../src/sandbox/supervise.ts'
import { eventually } from '../support/poll.ts'
import { createPlace, type Place, sh } from './place.ts'
import { processesWith } from './running.ts'

const NOBODY = 65_534
const cgroups = await ownCgroups()
const ways =
  cgroups === null ? [['supervised', null] as const] : [['supervised', null] as const, [cgroups.kind, cgroups] as const]

const limited = (place: Place, change: Partial<ReturnType<Place['job']>['limits']>) => ({
  limits: { ...place.job([]).limits, ...change },
})

/** Programs that go on in every way there is to: in the background, in a session of their own, as nobody's children. */
const DAEMONS = `
nohup sh -c ': $0; exec sleep 1000 </dev/null' $1 >/dev/null 2>&1 &
setsid sh -c ': $0; sleep 1000; :' $1 >/dev/null 2>&1 </dev/null &
(setsid sh -c '(trap "" TERM HUP INT; sleep 1000; : $0) & ' $1 >/dev/null 2>&1 </dev/null &)
perl -e 'fork and exit; use POSIX; setsid(); fork and exit; $0 = "daemon $ARGV[0]"; close STDOUT; close STDERR; sleep 1000' $1
echo started`

/**
 * Twice as many with each generation, up to one: without a group root's bombs are only watched, and one that went on while the
 * watcher did not get its turn would take the machine, and every other test, with it.
 */
const BOMB = 'bomb() { if [ "$2" -gt 0 ]; then bomb "$1" $(($2 - 1)) | bomb "$1" $(($2 - 1)) & else sleep 1000; fi; }'

describe.each(ways)('limited by %s', (_, way) => {
  const run = (place: Place, script: string, change: Partial<ReturnType<Place['job']>> = {}) =>
    execute(place.job(sh(script, place.secret), change), Promise.resolve(way))

  test('a program that takes too long is ended, and all that came from it', async () => {
    using place = createPlace()
    const ran = await run(place, `${DAEMONS}; sleep 1000`, limited(place, { seconds: 1 }))
    expect([ran, processesWith(place.secret)]).toEqual([{ exit: null, ended: 'time', output: 'started\n' }, []])
  })

  test('a program that is cancelled is ended, and all that came from it', async () => {
    using place = createPlace()
    const controller = new AbortController()
    const said = (text: string) => (text.includes('started') ? controller.abort() : undefined)
    const ran = await run(place, `${DAEMONS}; sleep 1000`, { signal: controller.signal, said })
    expect([ran, processesWith(place.secret)]).toEqual([{ exit: null, ended: 'cancelled', output: 'started\n' }, []])
  })

  test('what a program leaves running when it ends by itself is ended as well', async () => {
    using place = createPlace()
    const ran = await run(place, DAEMONS)
    expect([ran, processesWith(place.secret)]).toEqual([{ exit: 0, ended: 'exit', output: 'started\n' }, []])
  })

  test('one that was cancelled before it began does nothing', async () => {
    using place = createPlace()
    const ran = await run(place, 'echo started; sleep 1000', { signal: AbortSignal.abort() })
    expect([ran.ended, processesWith(place.secret)]).toEqual(['cancelled', []])
  })

  test('endless output is cut at its bound, and ends the program', async () => {
    using place = createPlace()
    const ran = await run(place, 'yes', limited(place, { outputBytes: 10_001 }))
    expect(ran).toEqual({ exit: null, ended: 'output', output: `${'y\n'.repeat(5000)}y` })
  })

  test('output that just fits is no reason to end anything', async () => {
    using place = createPlace()
    const ran = await run(place, 'printf 12345; printf 67890 >&2', limited(place, { outputBytes: 10 }))
    expect(ran).toEqual({ exit: 0, ended: 'exit', output: '12345\n67890' })
  })

  test('a program that takes too much memory is ended', async () => {
    using place = createPlace()
    const hog = 'exec perl -e \'my @a; while (1) { push @a, "x" x (4 << 20); select undef, undef, undef, 0.01 }\''
    const { ended } = await run(place, hog, limited(place, { memoryMb: 96 }))
    expect(ended).toBe('memory')
  })

  test('so is one whose children take too much together', async () => {
    using place = createPlace()
    const hog = `perl -e 'for (1 .. 6) { fork or do { my $x = "x" x (25 << 20); sleep 1000 } } wait; exit 1' $1`
    const { ended } = await run(place, hog, limited(place, { memoryMb: 96 }))
    expect([ended, processesWith(place.secret)]).toEqual(['memory', []])
  })

  test.each(['/tmp', '/dev/shm'])('scratch files in %s have no more room than memory', async (folder) => {
    using place = createPlace()
    const script = `head -c 200000000 /dev/zero >${folder}/big && echo fits`
    const { ended, exit, output } = await run(place, script, limited(place, { memoryMb: 64 }))
    expect({ fits: output.includes('fits'), fine: ended === 'exit' && exit === 0 }).toEqual({
      fits: false,
      fine: false,
    })
  })

  test('memory that a program has and does not exceed is its own', async () => {
    using place = createPlace()
    const some = `perl -e 'my $x = "x" x (40 << 20); select undef, undef, undef, 0.3; print length $x'`
    expect(await run(place, some, limited(place, { memoryMb: 256 }))).toEqual({
      exit: 0,
      ended: 'exit',
      output: String(40 << 20),
    })
  })

  test('a program that becomes too many is ended, or kept from it', async () => {
    using place = createPlace()
    const many = 'i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; wait; exit 1'
    const { ended } = await run(place, many, limited(place, { processes: 20, seconds: 20 }))
    expect([ended, processesWith(place.secret)]).toEqual(['processes', []])
  })

  test('a fork bomb does not go on', async () => {
    using place = createPlace()
    const bomb = `${BOMB}; bomb "$1" 11; sleep 1000`
    const { ended } = await run(place, bomb, limited(place, { processes: 40, seconds: 3 }))
    // Whoever only cannot become more may still wait for what it has become.
    expect(['processes', 'time']).toContain(ended)
    expect(processesWith(place.secret)).toEqual([])
  })

  test('as many processes as are allowed are allowed', async () => {
    using place = createPlace()
    const some = 'i=0; while [ $i -lt 10 ]; do sleep 0.3 & i=$((i+1)); done; wait; echo all'
    expect(await run(place, some, limited(place, { processes: 12 }))).toEqual({
      exit: 0,
      ended: 'exit',
      output: 'all\n',
    })
  })

  test('many programs at once, ended at every moment of their start, leave nothing', async () => {
    using place = createPlace()
    const starts = Array.from({ length: 24 }, async (_, index) => {
      const controller = new AbortController()
      const running = run(place, 'echo started; sleep 1000', { signal: controller.signal })
      setTimeout(() => controller.abort(), index * 4)
      return (await running).ended
    })
    expect(new Set(await Promise.all(starts))).toEqual(new Set(['cancelled']))
    await eventually('all of them to be gone', () => processesWith(place.secret).length === 0)
  })
})

describe.runIf(isKeptFrom(NOBODY))('without a group, and not as root', () => {
  /** Where this is root, what it starts is nobody's. */
  const asNobody = (place: Place): string => {
    const path = process.env['PATH'] ?? ''
    if (process.getuid?.() !== 0) return path
    vi.spyOn(process, 'getuid').mockReturnValue(NOBODY)
    chmodSync(place.top, 0o755)
    const as = `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups`
    writeFileSync(
      join(place.outside, 'bwrap'),
      `#!/bin/sh\n[ "$1" = --version ] || PATH='${path}' exec ${as} bwrap "$@"\n`,
      { mode: 0o755 },
    )
    return `${place.outside}:${path}`
  }
  const run = (place: Place, script: string, limits: Parameters<typeof limited>[1]) =>
    execute(
      place.job(sh(script, place.secret), {
        path: asNobody(place),
        mode: 'read-only',
        ...limited(place, limits),
      }),
      Promise.resolve(null),
    )
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  test('a program is kept from becoming more than twice what it may be, before anybody looks', async () => {
    using place = createPlace()
    // So nobody ever does.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const many = `perl -e 'for (1 .. 500) { my $p = fork; defined $p or print("kept at $_") and last; $p or sleep(1000) }'`
    expect(await run(place, many, { processes: 10 })).toEqual({ exit: 0, ended: 'exit', output: 'kept at 22' })
  })

  test('a fork bomb does not go on, however many generations it would have', async () => {
    using place = createPlace()
    const { ended } = await run(place, `${BOMB}; bomb "$1" 1000; exec sleep 1000`, { processes: 40, seconds: 5 })
    // What cannot become more gives up, and what is left of it may be few again when somebody looks.
    expect(['processes', 'time']).toContain(ended)
    expect(processesWith(place.secret)).toEqual([])
  })
})

test.runIf(cgroups !== null)('no group is left when the programs have ended', () => {
  const folders = cgroups === null ? [] : [cgroups.memory, cgroups.pids]
  const left = folders.filter(existsSync).flatMap((folder) => readdirSync(folder))
  expect(left.filter((name) => name.startsWith(`bellhop-${process.pid}-`))).toEqual([])
})
