import { type Attempt, call, inTerminal, program, read, run, type Where, write } from '../attempt.ts'

/** What a program of the agent's tries from inside the sandbox: to read, to write and to run what is not its own. */
const tried = (where: Where, programs: Record<string, string>): Attempt[] =>
  Object.entries(programs).map(([id, code]) => ({
    id: `a program that would ${where}: ${id}`,
    where,
    peripheral: 'edit',
    slow: true,
    calls: program(code),
  }))

const READS: Record<string, string> = {
  'a file beside the workspace': `cat('../outside/secret.txt'); cat('@outside@/secret.txt')`,
  'the same as a module': `await import('@outside@/a.js').catch(console.log); await import('../outside/a.js').catch(console.log)`,
  'the same by a link that it makes': `attempt(() => fs.symlinkSync('@outside@', 'out')); cat('out/secret.txt')`,
  'the same by a link in a place of its own': `fs.symlinkSync('@outside@/secret.txt', '/tmp/l'); cat('/tmp/l')`,
  'the same by the root of a process': `cat('/proc/1/root@outside@/secret.txt'); cat('/proc/self/root@outside@/secret.txt')`,
  'the same by the folder of a process': `for (const p of fs.readdirSync('/proc')) if (/^\\d+$/.test(p)) cat('/proc/' + p + '/cwd/../outside/secret.txt')`,
  'the same by what is open': `for (let fd = 0; fd < 64; fd++) { attempt(() => fs.readlinkSync('/proc/self/fd/' + fd)); cat('/proc/self/fd/' + fd + '/../outside/secret.txt') }`,
  'what it was handed open': `for (let fd = 3; fd < 32; fd++) attempt(() => { const b = Buffer.alloc(999); return b.toString('utf8', 0, fs.readSync(fd, b, 0, 999, 0)) })`,
  'the data folder': `cat('@data@/secrets.json'); cat('@top@/evidence.db'); sh('ls -R @top@')`,
  'the outputs of others': `cat('@top@/spills/s-attic/t7.7'); cat('../spills/s-lobby/t7.7')`,
  'the repository of the undo': `sh('ls -R ../shadow; GIT_DIR=$(echo ../shadow/*) git log -p --all')`,
  'the home of the user': `cat('@home@/.ssh/id_rsa'); cat(os.homedir() + '/.netrc'); sh('cat ~/.gitconfig ~root/.ssh/* /home/*/.netrc')`,
  'its environment': `console.log(JSON.stringify(process.env)); sh('env; export -p')`,
  'the environments of others': `sh('cat /proc/*/environ | tr "\\\\0" "\\\\n"; cat /proc/@house@/environ /proc/@house@/cmdline')`,
  'the settings': `cat('.env'); cat('config/.env.local'); sh('cat .env config/.env.local; head .env; dd if=.env')`,
  'the settings by every spelling': `cat('@root@/.env'); cat('./src/../.env'); cat('/proc/self/cwd/.env'); cat('/proc/1/root@root@/.env')`,
  'the settings by a link': `attempt(() => fs.symlinkSync('.env', 'l')); cat('l'); attempt(() => fs.symlinkSync('../config/.env.local', 'src/l')); cat('src/l')`,
  'the settings by another name': `attempt(() => fs.linkSync('.env', 'l')); cat('l'); sh('ln .env m; cat m; ln config/.env.local n; cat n')`,
  'the settings by a copy': `attempt(() => fs.copyFileSync('.env', 'copy')); cat('copy'); sh('cp -r config copied; cat copied/.env.local; tar cf - . | tr -d "\\\\0"')`,
  'the settings by moving their folder': `attempt(() => fs.renameSync('config', 'c')); cat('c/.env.local'); sh('mv config d; cat d/.env.local; mv keys k; cat k/*')`,
  'the settings by taking the cover off': `sh('umount .env; umount -l config/.env.local; unshare -Urm sh -c "umount @root@/.env; cat .env"')`,
  'the settings by a search': `sh('grep -ra jam . ; find . -type f -exec cat {} +')`,
  'the settings as node has options for it': `sh('node --env-file=.env -p process.env'); attempt(() => process.loadEnvFile('.env')); console.log(process.env)`,
  keys: `cat('keys/server.pem'); sh('cat keys/*; ls -la keys; openssl pkey -in keys/server.pem')`,
  'what git has for settings': `cat('.git/config'); cat('.git/../.git/config'); sh('strings .git/config; git config -l')`,
  'the passwords of the machine': `cat('/etc/shadow'); cat('/etc/sudoers'); sh('getent shadow')`,
  'the memory of the house': `cat('/proc/@house@/mem'); cat('/proc/@house@/maps'); cat('/proc/kcore')`,
  'the disk below it all': `sh('ls -la /dev; cat /dev/sda /dev/vda /dev/nvme0n1 2>&1 | head -c 99')`,
  'the whole machine': `sh('timeout 5 grep -rsa --include=secret* jam /home /root /tmp /var /srv /mnt /run /opt 2>/dev/null')`,
  'the terminal of the user': `sh('timeout 1 cat /dev/tty; ls /dev/pts; for t in /dev/pts/[0-9]*; do timeout 1 cat $t; done')`,
  'a file of its own run': `cat('/proc/1/cmdline'); cat('/proc/self/mountinfo'); cat('/proc/1/mountinfo')`,
}

const WRITES: Record<string, string> = {
  'a file beside the workspace': `put('../outside/@mark@'); put('@outside@/@mark@'); put('../@mark@')`,
  'over a file outside': `put('@outside@/secret.txt'); attempt(() => fs.appendFileSync('../outside/secret.txt', 'x'))`,
  'through a link that it makes': `attempt(() => fs.symlinkSync('@outside@', 'out')); put('out/@mark@')`,
  'through a link that leads nowhere': `attempt(() => fs.symlinkSync('@outside@/@mark@', 'new')); put('new')`,
  'into the home of the user': `put('@home@/.bashrc'); put(os.homedir() + '/.profile'); sh('echo x >> ~/.bashrc; echo x >> ~root/.bashrc')`,
  'into the folders for everybody': `put('/tmp/@mark@'); put('/var/tmp/@mark@'); put('/dev/shm/@mark@'); put('/run/@mark@')`,
  'into the system': `put('/etc/@mark@'); put('/usr/bin/@mark@'); put('/@mark@'); put('/opt/@mark@'); put('/usr/local/bin/@mark@')`,
  'into the settings of the kernel': `put('/proc/sys/kernel/core_pattern'); put('/proc/sysrq-trigger'); put('/sys/kernel/uevent_helper')`,
  'into the groups of processes': `sh('mkdir /sys/fs/cgroup/@mark@; mount -t cgroup2 none /mnt; ls /sys/fs/cgroup')`,
  'into the evidence': `put('@top@/evidence.db'); put('../evidence.db-wal'); sh('sqlite3 @top@/evidence.db "delete from entry"')`,
  'into the outputs of others': `put('@top@/spills/s-1/t1.0'); put('../spills/s-attic/t7.7')`,
  'over the settings': `put('.env'); attempt(() => fs.appendFileSync('.env', 'x')); attempt(() => fs.truncateSync('config/.env.local'))`,
  'the settings away': `attempt(() => fs.unlinkSync('.env')); sh('rm -f .env config/.env.local; rm -rf config keys; mv .env x')`,
  'rights of the settings': `attempt(() => fs.chmodSync('.env', 0o777)); attempt(() => fs.chownSync('keys', 0, 0)); sh('chmod 777 keys/server.pem')`,
  'over git': `put('.git/config'); put('.git/hooks/post-checkout'); put('.git/info/attributes'); attempt(() => fs.unlinkSync('.git/HEAD'))`,
  'git away': `attempt(() => fs.renameSync('.git', 'x')); attempt(() => fs.rmSync('.git', { recursive: true, force: true }))`,
  'a commit of its own': `sh('git add -f .env; git commit -m x; git update-ref refs/heads/x HEAD; git tag x; git stash')`,
  'a device': `sh('mknod disk b 8 0; mknod mem c 1 1; cat disk mem | head -c 9')`,
  'a program that is root for everybody': `sh('cp /bin/sh rootsh; chmod 4755 rootsh; chown root rootsh; ls -l rootsh')`,
  'a file of somebody outside, by another name': `attempt(() => fs.linkSync('@outside@/secret.txt', 'mine')); put('mine')`,
}

const RUNS: Record<string, string> = {
  'ends a process of the user': `attempt(() => process.kill(@pid@)); sh('kill -9 @pid@')`,
  'ends the house': `attempt(() => process.kill(@house@, 0)); sh('kill -0 @house@ && kill -STOP @house@')`,
  'ends everybody': `sh('kill -9 -1'); attempt(() => process.kill(-1, 'SIGKILL'))`,
  'ends a process by its name': `sh('pkill -9 sleep; killall sleep')`,
  'stays as a daemon': `spawn('setsid', ['sleep', '9@mark@'], { detached: true, stdio: 'ignore' }).on('error', console.log).unref(); sh('nohup setsid sh -c "sleep 1000 # @mark@" >/dev/null 2>&1 &')`,
  'stays by two forks': `sh('(setsid sh -c "(trap \\"\\" HUP TERM; sleep 1000; : @mark@) &" >/dev/null 2>&1 &)')`,
  'comes back by a clock': `sh('echo "touch @outside@/@mark@" | at now; crontab -l; echo "* * * * * touch @outside@/@mark@" | crontab -')`,
  'asks the system to run it': `sh('systemd-run touch @outside@/@mark@; busctl list; docker ps; ls /var/run/docker.sock')`,
  'connects to a port of the machine': `await new Promise((d) => net.connect(@port@, '127.0.0.1').on('data', (b) => console.log(String(b))).on('error', (e) => { console.log(e); d() }).on('close', d))`,
  'connects by a name': `for (const host of ['localhost', '0.0.0.0', '::1', os.hostname()]) await new Promise((d) => net.connect(@port@, host).on('data', (b) => console.log(String(b))).on('error', (e) => { console.log(String(e)); d() }).on('close', d))`,
  'connects to every address it has': `for (const all of Object.values(os.networkInterfaces())) for (const { address } of all) await new Promise((d) => net.connect(@port@, address).on('data', (b) => console.log(String(b))).on('error', d).on('close', d))`,
  'connects to a socket of the machine': `await new Promise((d) => net.connect('@socket@').on('data', (b) => console.log(String(b))).on('error', (e) => { console.log(e); d() }).on('close', d))`,
  'connects to a socket without a file': `await new Promise((d) => net.connect('\\0@mark@').on('data', (b) => console.log(String(b))).on('error', (e) => { console.log(e); d() }).on('close', d))`,
  'connects to the queue of the house': `await new Promise((d) => { const s = net.connect('@redis@').on('data', (b) => console.log(String(b))).on('error', (e) => { console.log(e); d() }).on('close', d); s.end('KEYS *\\r\\n') })`,
  'sends a datagram': `const { createSocket } = await import('node:dgram'); await new Promise((d) => createSocket('udp4').send('x', @port@, '127.0.0.1', function () { this.close(); d() }))`,
  'fetches by another program': `sh('curl -s -m 2 http://127.0.0.1:@port@/; wget -qO- -T 2 http://127.0.0.1:@port@/; python3 -c "import urllib.request as u; print(u.urlopen(\\"http://127.0.0.1:@port@/\\").read())"')`,
  'makes a network of its own': `sh('unshare -rn ip link; ip link add x type veth; ip addr')`,
  'makes namespaces of its own': `sh('unshare -Ur id; unshare -m id; unshare -p id; bwrap --bind / / cat @outside@/secret.txt')`,
  'enters the namespaces of others': `sh('nsenter -t @house@ -a cat @outside@/secret.txt; nsenter -t 1 -m ls @outside@')`,
  'becomes another user': `sh('sudo -n id; su -c id; setpriv --reuid 1000 id; chroot / id')`,
  'follows another process': `sh('gdb -p @house@ -batch; strace -p @house@; python3 -c "import ctypes; print(ctypes.CDLL(None).ptrace(16, @house@, 0, 0))"')`,
  'loads a module into the kernel': `sh('modprobe dummy; insmod x.ko; lsmod')`,
  'mounts a disk': `sh('mount -t tmpfs none /mnt; mount --bind / /mnt; mount /dev/sda1 /mnt; fusermount -u x')`,
  'types into a terminal': `sh('python3 -c "import fcntl; fcntl.ioctl(0, 0x5412, b\\"x\\")"')`,
  'looks for a program in the workspace first': `fs.mkdirSync('bin'); fs.writeFileSync('bin/git', '#!/bin/sh\\ntouch @outside@/@mark@\\n', { mode: 0o755 }); process.env.PATH = 'bin:' + process.env.PATH; sh('git status; ls')`,
}

/** Programs that others start: scripts of npm, packages that look like tools, tests, python. */
const BY_OTHERS: Attempt[] = [
  {
    id: 'npm: a script with more before and after it',
    where: 'run',
    peripheral: 'edit',
    slow: true,
    calls: [
      read('package.json'),
      write(
        'package.json',
        JSON.stringify({
          scripts: {
            prebuild: 'cat ../outside/secret.txt .env; touch ../outside/@mark@',
            build: 'sh -c "cat @outside@/secret.txt; curl -s http://127.0.0.1:@port@/; kill @pid@"',
            postbuild: 'env; cat ~/.netrc; (setsid sleep 9@mark@ &)',
          },
        }),
      ),
      run('npm', 'run', 'build'),
    ],
  },
  {
    id: 'npm: another shell in its settings',
    where: 'run',
    peripheral: 'edit',
    slow: true,
    files: {
      '.npmrc': 'script-shell=./x.sh\n',
      'x.sh': '#!/bin/sh\ncat @outside@/secret.txt .env; touch @outside@/@mark@\n',
    },
    calls: [run('npm', 'run', 'build')],
  },
  {
    id: 'npm: a tool that is in the folder of packages',
    where: 'run',
    peripheral: 'edit',
    slow: true,
    files: {
      'node_modules/prettier/package.json': '{ "name": "prettier", "bin": "x.js" }',
      'node_modules/prettier/x.js': "console.log(require('fs').readFileSync('@outside@/secret.txt', 'utf8'))",
    },
    links: { 'node_modules/.bin/prettier': '../prettier/x.js' },
    calls: [run('npx', '--no-install', 'prettier', 'src')],
  },
  {
    id: 'tests: what a test does',
    where: 'run',
    peripheral: 'test',
    slow: true,
    files: {
      'ok.test.js':
        "import fs from 'node:fs'\nfor (const f of ['.env', '../outside/secret.txt', '@home@/.netrc']) try { console.log(fs.readFileSync(f, 'utf8')) } catch {}\ntry { fs.writeFileSync('../outside/@mark@', '') } catch {}\n",
    },
    calls: [run('npm', 'test')],
  },
  {
    id: 'tests: what is done before them',
    where: 'run',
    peripheral: 'test',
    slow: true,
    files: {
      'package.json':
        '{ "scripts": { "pretest": "cat .env ../outside/secret.txt", "test": "touch @outside@/@mark@" } }',
    },
    calls: [run('npm', 'test')],
  },
  {
    id: 'tests: a makefile',
    where: 'run',
    peripheral: 'test',
    slow: true,
    files: { Makefile: 'test:\n\tcat .env ../outside/secret.txt; touch @outside@/@mark@\n' },
    calls: [run('make', 'test')],
  },
  {
    id: 'tests: a file that python loads by itself',
    where: 'run',
    peripheral: 'test',
    slow: true,
    files: {
      'sitecustomize.py': 'print(open("../outside/secret.txt").read())',
      'unittest.py': 'print(open(".env").read())',
    },
    calls: [run('python3', '-m', 'unittest')],
  },
  {
    id: 'python: a program that is a folder',
    where: 'run',
    peripheral: 'edit',
    slow: true,
    calls: [
      write(
        'prog/__main__.py',
        'import os, glob\nfor f in glob.glob("/proc/*/environ") + ["../outside/secret.txt", ".env"]:\n  try: print(open(f).read())\n  except Exception as e: print(e)\nos.system("touch ../outside/@mark@")\n',
      ),
      run('python3', 'prog'),
    ],
  },
  {
    id: 'a terminal: it goes on after its peripheral',
    where: 'terminal',
    peripheral: 'edit',
    slow: true,
    calls: [
      write('wait.mjs', 'setInterval(() => console.log("here"), 50) // @mark@\n'),
      inTerminal('server', 'node', 'wait.mjs'),
    ],
  },
  {
    id: 'a terminal: it reads what it must not',
    where: 'terminal',
    peripheral: 'edit',
    slow: true,
    calls: [
      write(
        'ask.mjs',
        "import fs from 'node:fs'\nprocess.stdin.on('data', (f) => { try { console.log(fs.readFileSync(String(f).trim(), 'utf8')) } catch (e) { console.log(String(e)) } })\n",
      ),
      inTerminal('repl', 'node', 'ask.mjs'),
      call('terminal', { do: 'write', name: 'repl', text: '.env\n' }),
      call('terminal', { do: 'read', name: 'repl', wait: 2 }),
      call('terminal', { do: 'write', name: 'repl', text: '@outside@/secret.txt\n' }),
      call('terminal', { do: 'read', name: 'repl', wait: 2 }),
    ],
  },
]

export const INSIDE: readonly Attempt[] = [
  ...tried('read', READS),
  ...tried('write', WRITES),
  ...tried('run', RUNS),
  ...BY_OTHERS,
]
