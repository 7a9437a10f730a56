// What a program may try to get out of the sandbox, with the real bubblewrap. Everything that must not be read holds a
// text that stands nowhere else, so a leak is that text in the output, and a change is a difference on the disk. No
// attempt does harm to the machine where it succeeds.

import { once } from 'node:events'
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Job } from '../../src/sandbox/job.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { createPlace, type Place, sh } from './place.ts'

let place: Place
let canary: ReturnType<typeof startCanary>
const tcp = createServer((socket) => socket.end(place.secret))
const abstract = createServer((socket) => socket.end(place.secret))
const file = createServer((socket) => socket.end(place.secret))

beforeAll(async () => {
  place = createPlace()
  place.git('init', '-q', '.')
  place.lay('.gitignore', '.env\nprivate\n.bellhop\ndeep\n')
  place.git('add', 'readme.txt', '.gitignore')
  place.git('commit', '-q', '-m', 'first')
  place.git('remote', 'add', 'origin', `https://somebody:${place.secret}@example.com/repo.git`)
  place.git('config', 'http.extraheader', `Authorization: Bearer ${place.secret}`)
  place.lay('tools/git', '')
  process.env['PLANTED'] = place.secret
  tcp.listen(0, '127.0.0.1')
  abstract.listen(`\0${place.top}`)
  file.listen(join(place.outside, 'socket'))
  await Promise.all([tcp, abstract, file].map((server) => once(server, 'listening')))
  canary = startCanary()
})

const startCanary = () => execa('sleep', ['1000'], { reject: false })

afterAll(async () => {
  delete process.env['PLANTED']
  canary.kill()
  await canary
  for (const server of [tcp, abstract, file]) server.close()
  place[Symbol.dispose]()
})

/** What stands on the disk: every name below a folder, with what it holds. */
const disk = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = lstatSync(join(folder, name))
      const held = stat.isFile() ? readFileSync(join(folder, name), 'latin1') : ''
      return `${name} ${stat.mode.toString(8)} ${stat.ino} ${held}`
    })

const guarded = (): string[][] => [
  readdirSync(place.top),
  ...[
    place.outside,
    join(place.root, '.bellhop'),
    join(place.root, 'private'),
    join(place.root, 'deep'),
    join(place.root, '.git'),
  ].map(disk),
]

const given = (): (string | number)[] => {
  const address = tcp.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return [place.root, place.outside, process.pid, canary.pid ?? 0, port, place.top]
}

/** $1 the workspace, $2 a folder beside it, $3 this process, $4 another one, $5 a port, $6 the name of a socket. */
const reads: Record<string, string> = {
  'the passwords of the machine': 'cat /etc/shadow /etc/gshadow /etc/sudoers && echo ESCAPED',
  'the homes of people': 'ls -A /root /home/* && echo ESCAPED',
  'what services keep': 'ls /var/lib /run/* && echo ESCAPED',
  'private keys of the machine': 'ls /etc/ssl/private /etc/ssh && echo ESCAPED',
  'a file beside the workspace': 'cat $2/secret.txt',
  'the same by way of dots': 'cat ../outside/secret.txt; cat ./deep/../../outside/secret.txt',
  'the same through a link that is there': 'cat link-out folder-out/secret.txt',
  'the same through a link that it makes in /tmp': 'ln -s $2/secret.txt /tmp/l; cat /tmp/l',
  'the same through the root of every process': 'cat /proc/*/root$2/secret.txt',
  'the same through the folder of every process':
    'cat /proc/*/cwd/../outside/secret.txt /proc/*/cwd/../../outside/secret.txt',
  'the same through what is open': 'for f in /proc/*/fd/*; do cat $f/secret.txt $f/../outside/secret.txt; done',
  'the data folder': 'cat .bellhop/store.txt; ls -A .bellhop | grep . && echo ESCAPED',
  'the data folder by another spelling': 'cat $1/./deep/..//.bellhop/store.txt',
  'the data folder through the root of a process':
    'cat /proc/self/root$1/.bellhop/store.txt /proc/1/root$1/.bellhop/store.txt',
  'a hidden file': 'cat .env; dd if=.env bs=1 count=100; head -c 100 <.env',
  'a hidden file through a link': 'cat link-hidden',
  'a hidden file through /proc': 'cat /proc/1/root$1/.env /proc/self/cwd/.env',
  'a hidden file that lies deeper': 'cat deep/conf/key.pem; cat deep/../deep/conf/key.pem',
  'a hidden folder': 'cat private/one.txt; ls -A private | grep . && echo ESCAPED',
  'all that there is':
    'grep -rs planted- . ; find / -xdev -type f -newermt "2 hours ago" -exec grep -ls planted- {} + 2>/dev/null',
  'all that there is, packed': 'tar cf - . 2>/dev/null | grep -a planted-',
  'hidden files by git':
    'git grep --no-index --untracked planted- ; git hash-object -w .env; git diff --no-index /dev/null .env',
  'what the house has in its environment': 'env; cat /proc/*/environ | tr "\\0" "\\n"',
  'this very process': 'cat /proc/$3/environ /proc/$3/cmdline /proc/$3/maps; ls /proc/$3/fd && echo ESCAPED',
  'credentials in the config of git':
    'cat .git/config; git config --list; git remote -v; git config --get-all http.extraheader',
  'the names of what is covered, on the command line':
    'tr "\\0" "\\n" </proc/1/cmdline | grep -x -e "$1/[.]env" -e "$1/[.]bellhop" && echo ESCAPED',
  'devices of the machine': 'ls /dev | grep -E "^(sd|vd|nvme|mem|kmem|port|kmsg|fuse|kvm|vsock|tun)" && echo ESCAPED',
  'the memory of the kernel': 'head -c 64 /proc/kcore /dev/mem /dev/kmsg && echo ESCAPED',
  'the log of the kernel': 'dmesg | grep . && echo ESCAPED',
  'the hardware, and the groups of processes': 'ls /sys/* && echo ESCAPED',
  'processes that are not its own': 'ls /proc | grep -E "^[0-9]+$" | grep -x -e $3 -e $4 && echo ESCAPED',
  'a file of the machine through a file handle': `perl -e 'syscall(304, -100, "x", 0) >= 0 and print "ESCAPED"'`,
  'the terminal of whoever started it': 'cat </dev/tty && echo ESCAPED',
}

const acts: Record<string, string> = {
  'write programs of the machine':
    'echo x >/usr/bin/x-planted && echo ESCAPED; : >>/bin/sh && echo ESCAPED; touch /usr/bin/env && echo ESCAPED',
  'write settings of the machine': ': >>/etc/passwd && echo ESCAPED; mkdir /etc/x-planted && echo ESCAPED',
  'write beside everything':
    'echo x >/x && echo ESCAPED; mkdir /var /root && echo ESCAPED; echo x >/dev/x && echo ESCAPED',
  'write beside the workspace': 'echo x >$2/new; echo x >../outside/new; echo x >../new',
  'write through a link': 'echo x >link-out; echo x >folder-out/new',
  'write into the data folder':
    'echo x >.bellhop/new && echo ESCAPED; rm -rf .bellhop; mv .bellhop gone && echo ESCAPED',
  'write a hidden file': 'echo x >.env && echo ESCAPED; : >.env && echo ESCAPED; truncate -s 0 .env && echo ESCAPED',
  'take a hidden file away': 'rm -f .env && echo ESCAPED; mv .env x && echo ESCAPED; unlink .env && echo ESCAPED',
  'put another in its place':
    'echo x >/tmp/x; mv /tmp/x .env; rm -f /tmp/x; ln -sf /etc/passwd .env; cp -f /etc/passwd .env; ls -l .env | grep passwd && echo ESCAPED',
  'carry a hidden file away with its folder':
    'mv deep/conf deep/other && echo ESCAPED; mv deep elsewhere && echo ESCAPED; cat deep/other/key.pem elsewhere/conf/key.pem',
  'carry a hidden folder away': 'mv private elsewhere && echo ESCAPED',
  'exchange a folder for another': `perl -e 'syscall(316, -100, "deep", -100, "tools", 2) == 0 and print "ESCAPED"'`,
  'give a hidden file another name':
    'ln .env other && cat other; ln deep/conf/key.pem other2 && cat other2; cp -l .env other3; cp -al deep deeper; cat deeper/conf/key.pem',
  'give a file of the machine another name': 'ln /etc/passwd mine && echo ESCAPED',
  'change the settings of git':
    'echo x >>.git/config && echo ESCAPED; git config core.pager evil && echo ESCAPED; git remote set-url origin x && echo ESCAPED',
  'leave a hook':
    'echo "touch $2/hooked" >.git/hooks/pre-commit && echo ESCAPED; mkdir -p .git/hooks && cp /bin/sh .git/hooks/post-checkout && echo ESCAPED',
  'move a branch':
    'git commit --allow-empty -m x && echo ESCAPED; git update-ref refs/heads/x HEAD && echo ESCAPED; git branch x && echo ESCAPED',
  'put another repository in the place of this one':
    'mv .git old && echo ESCAPED; rm -rf .git; ln -sfn /tmp .git/x && echo ESCAPED; rmdir .git && echo ESCAPED',
  'mount something':
    'mount -t tmpfs x /tmp && echo ESCAPED; mount -t proc x /proc && echo ESCAPED; mount --bind / /tmp && echo ESCAPED',
  'open what is read-only':
    'mount -o remount,rw / && echo ESCAPED; mount -o remount,rw,bind $1 && echo ESCAPED; mount -o remount,rw /proc && echo ESCAPED',
  'take covers off':
    'umount .env && echo ESCAPED; umount -l $1/.bellhop && echo ESCAPED; umount -l $1 && echo ESCAPED; cat .env .bellhop/store.txt',
  'make namespaces':
    'unshare -Ur true && echo ESCAPED; unshare -m true && echo ESCAPED; unshare -Urm sh -c "umount -l $1/.env; cat .env"; unshare -n true && echo ESCAPED',
  'enter those of others': 'nsenter -t 1 -m true && echo ESCAPED; nsenter -t $3 -m -p true && echo ESCAPED',
  'change its root':
    'chroot /proc/1/root true && echo ESCAPED; pivot_root . . && echo ESCAPED; chroot / true && echo ESCAPED',
  'make a device': 'mknod /tmp/disk b 254 0 && echo ESCAPED; mknod disk c 1 1 && echo ESCAPED',
  'become somebody':
    'su -c "echo ESCAPED" </dev/null; sudo -n echo ESCAPED; setpriv --reuid 1 echo ESCAPED; newgrp root </dev/null; perl -e \'$> = 1; $> == 1 and print "ESCAPED"\'',
  'gain what root can do':
    'grep -E "^Cap(Prm|Eff|Bnd|Amb|Inh):" /proc/self/status | grep -v 0000000000000000 && echo ESCAPED; grep -q "^NoNewPrivs:.1" /proc/self/status || echo ESCAPED',
  'gain it by a program that gives it':
    'cp /bin/sh /tmp/s; chmod 6755 /tmp/s; /tmp/s -c "grep ^CapEff /proc/self/status" | grep -v 0000000000000000 && echo ESCAPED; rm -f /tmp/s',
  'set the kernel':
    'v=$(cat /proc/sys/kernel/core_pattern); echo "$v" >/proc/sys/kernel/core_pattern && echo ESCAPED; sysctl -w vm.swappiness=$(sysctl -n vm.swappiness) && echo ESCAPED',
  'write anything in /proc':
    'find /proc -maxdepth 5 -not -path "/proc/[0-9]*" -type f -writable 2>/dev/null | grep . && echo ESCAPED; echo 0 >/proc/self/oom_score_adj && echo ESCAPED',
  'set the clock': `perl -e 'syscall(227, 0, pack("qq", time, 0)) == 0 and print "ESCAPED"'; date -s now && echo ESCAPED`,
  'load code into the kernel': `perl -e 'syscall(175, "x", 1, "") == 0 and print "ESCAPED"; syscall(321, 5, "x" x 128, 128) >= 0 and print "ESCAPED"'`,
  'end processes outside': 'kill -0 $3 && echo ESCAPED; kill -9 $4 && echo ESCAPED',
  'end everything it can': 'grep -q bwrap /proc/1/cmdline && kill -9 -1',
  'end the one that holds it': 'kill -9 1; kill -STOP 1; cat .env $2/secret.txt; true',
  'look into another process': `perl -e 'syscall(101, 16, $ARGV[0], 0, 0) == 0 and print "ESCAPED"' $3`,
  'type into a terminal': `perl -e 'open(T, "+<", "/dev/tty") or exit; ioctl(T, 0x5412, "x") and print "ESCAPED"'`,
  'type into what it was given': `perl -e 'for (*STDIN, *STDOUT, *STDERR) { ioctl($_, 0x5412, "x") and print "ESCAPED" }'`,
  'reach a port of the machine': `node -e 'require("net").connect(+process.argv[1], "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", console.log)' $5`,
  'reach a port of the machine by another address':
    "for a in ::1 0.0.0.0 localhost 127.1.1.1; do perl -MIO::Socket::IP -e 'my $s = IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1], Timeout => 2) or exit; print <$s>' $a $5; done",
  'reach a socket without a file': `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("S a*", AF_UNIX, "\\0$ARGV[0]")) or die $!; print <S>' $6`,
  'reach a socket beside the workspace': `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("$ARGV[0]/socket")) or die $!; print <S>' $2`,
  'reach the world':
    'getent hosts example.com && echo ESCAPED; tail -n +3 /proc/net/dev | grep -v " lo:" && echo ESCAPED; tail -n +2 /proc/net/route | grep . && echo ESCAPED',
  'see packets': `perl -e 'socket(S, 17, 3, 0x0300) and print "ESCAPED"; socket(S, 2, 3, 1) and print "ESCAPED"'`,
  'share memory with others':
    'ipcs -m | grep 0x && echo ESCAPED; ls /dev/shm /dev/mqueue | grep planted && echo ESCAPED',
  'change its name for others': 'hostname "$(hostname)" && echo ESCAPED',
  'read the keys of the user': `perl -e 'syscall(250, 0, -3, 0) >= 0 and print "ESCAPED"; syscall(250, 11, -3, 0, 0) >= 0 and print "ESCAPED"'; cat /proc/keys | grep planted && echo ESCAPED`,
  'speak to the host of a virtual machine, or to devices around': `perl -e 'for (40, 31, 29, 38, 5) { socket(S, $_, 1, 0) and print "ESCAPED $_" }'`,
  'have the kernel do what the program may not': `perl -e 'syscall(425, 1, "x" x 120) >= 0 and print "ESCAPED"; syscall(323, 0) >= 0 and print "ESCAPED"; syscall(298, "x" x 112, 0, -1, -1, 0) >= 0 and print "ESCAPED"'`,
  'call it by other numbers': `perl -e 'syscall(0x40000000 + 41, 40, 1, 0) >= 0 and print "ESCAPED"'`,
  'ask git to run a program by an address':
    'git ls-remote "ext::sh -c echo% ESCAPED% >&2" 2>&1 | grep -v "not allowed"',
  'ask git for credentials': 'printf "protocol=https\\nhost=example.com\\n\\n" | git credential fill',
}

describe.each<Job['mode']>(['read-only', 'workspace-write'])('in %s a program does not get to', (mode) => {
  test.each(Object.entries(reads))('read %s', (_, script) => attempt(script, mode))
  test.each(Object.entries(acts))('%s', (_, script) => attempt(script, mode))
})

/** In full, what the user may do is allowed; what is covered is not, and neither is what belongs to the house. */
const evenInFull = [
  'the data folder',
  'the data folder by another spelling',
  'the data folder through the root of a process',
  'a hidden file',
  'a hidden file through a link',
  'a hidden file through /proc',
  'a hidden file that lies deeper',
  'a hidden folder',
  'this very process',
  'processes that are not its own',
  'the names of what is covered, on the command line',
  'devices of the machine',
  'write into the data folder',
  'write a hidden file',
  'take a hidden file away',
  'put another in its place',
  'carry a hidden file away with its folder',
  'carry a hidden folder away',
  'exchange a folder for another',
  'take covers off',
  'make namespaces',
  'enter those of others',
  'make a device',
  'gain what root can do',
  'gain it by a program that gives it',
  'set the kernel',
  'write anything in /proc',
  'end processes outside',
  'end everything it can',
  'look into another process',
  'type into a terminal',
  'reach a port of the machine',
  'reach a socket without a file',
  'see packets',
  'read the keys of the user',
  'speak to the host of a virtual machine, or to devices around',
]

describe('in full a program does not get to', () => {
  const all = { ...reads, ...acts }
  test.each(evenInFull)('%s', (title) => attempt(all[title] ?? '', 'full'))

  test('take its limits off', () => {
    const script = `find /sys/fs/cgroup \\( -name cgroup.procs -o -name "*limit_in_bytes" -o -name pids.max -o -name memory.max \\) -writable | grep . && echo ESCAPED`
    return attempt(script, 'full')
  })

  test('use the folder above the data folder to carry it away', async () => {
    const job = place.job(sh('mv $1 $1-gone && echo ESCAPED; mv $2 $2-gone && echo ESCAPED', place.root, place.top), {
      mode: 'full',
    })
    expect((await execute(job)).output).not.toContain('ESCAPED')
  })
})

const attempt = async (script: string, mode: Job['mode']): Promise<void> => {
  // The numbers of calls are those of one kind of machine.
  if (script.includes('syscall(') && process.arch !== 'x64') return
  const before = guarded()
  const { output, ended } = await execute(place.job(sh(script, ...given()), { mode }))
  expect(output).not.toContain(place.secret)
  expect(output).not.toContain('ESCAPED')
  expect(ended).not.toBe('time')
  expect(guarded()).toEqual(before)
  expect(canary.exitCode).toBe(null)
}

test.each([
  'a file beside the workspace',
  'the same through a link that is there',
  'the same through the folder of every process',
  'the data folder',
  'a hidden file',
  'a hidden file through a link',
  'a hidden folder',
  'all that there is, packed',
  'credentials in the config of git',
  'this very process',
])('the attempts are good ones: without a sandbox one does read %s', (title) => {
  const { stdout } = execaSync('sh', sh(reads[title] ?? '', ...given()).slice(1), { cwd: place.root, reject: false })
  expect(stdout).toMatch(RegExp(`${place.secret}|ESCAPED`))
})

test('with a network the port of the machine is reached: it is the switch that keeps it away', async () => {
  const job = place.job(sh(acts['reach a port of the machine'] ?? '', ...given()), { network: true })
  expect((await execute(job)).output).toBe(`${place.secret}\n`)
})

test('a program of the workspace is not taken for one of the machine', async () => {
  for (const name of ['tools/git', 'tools/bwrap', 'tools/sh', 'tools/true']) place.program(name, 'echo ESCAPED')
  symlinkSync(join(place.root, 'tools'), join(place.outside, 'tools'))
  const tools = [
    join(place.root, 'tools'),
    'tools',
    './tools',
    '',
    '.',
    join(place.outside, 'tools'),
    `${place.root}/./tools`,
  ]
  const path = [...tools, process.env['PATH']].join(':')
  const ran = await Promise.all(
    ([['git', '--version'], ['true'], sh('git --version; echo $PATH')] as const).map((argv) =>
      execute(place.job(argv, { path })),
    ),
  )
  expect(ran.map(({ exit, output }) => [exit, output.includes('ESCAPED'), output.includes('tools')])).toEqual(
    ran.map(() => [0, false, false]),
  )
})

test('what this process was started with is not handed on: neither a folder nor a pipe', async () => {
  const script = `
    import { execute } from '${realpathSync('src/sandbox/sandbox.ts')}'
    const job = JSON.parse(process.argv[1])
    console.log((await execute({ ...job, signal: new AbortController().signal })).output)`
  const look = sh(
    'cat /proc/self/fd/*/secret.txt /proc/self/fd/41 2>/dev/null; readlink /proc/self/fd/40 /proc/self/fd/41',
  )
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, JSON.stringify(place.job(look))]
  const open = [place.outside, join(place.outside, 'secret.txt')].map((path) => openSync(path, 'r'))
  // Node keeps the first few to itself, so these come later.
  const later = [...Array(37).fill('ignore'), ...open] as 'ignore'[]
  const { stdout } = await execa(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', ...later] })
  open.forEach(closeSync)
  expect(stdout).toBe('/dev/null\n/dev/null\n')
})
