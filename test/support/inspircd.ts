import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { ircPerson, type Person } from './irc-person.ts'
import { createProgram, freePort, HOST, type IrcServer, ircFolder, OPERATOR, passerby } from './ngircd.ts'
import { eventually } from './poll.ts'

type Options = {
  /** Whether it has a port for TLS, too. */
  tls?: boolean
  /** Whether it offers SASL. Without it, NickServ is the only way to an account. */
  sasl?: boolean
  /** What differs from the limits in InspIRCd's own example: attributes of its `<connect>`. */
  flood?: Partial<typeof LIMITS>
}

export type Inspircd = IrcServer & {
  tlsPort: number | null
  /** What the server shows on that port; it vouches for itself. */
  caFile: string | null
  /** Makes an account. */
  register: (nick: string, password: string) => Promise<void>
  /** Makes a certificate that is as good as the account's password (SASL EXTERNAL, on the port for TLS). */
  certify: (nick: string, password: string) => Promise<{ certFile: string; keyFile: string }>
}

const LIMITS = { threshold: 10, commandrate: 1000, fakelag: 'yes', recvq: 8192, softsendq: 8192, hardsendq: 1_048_576 }

/**
 * A real InspIRCd with the services of a real Atheme, both run as their packages' user:
 * `await using server = await startInspircd()`. It is ready when NickServ answers.
 */
export const startInspircd = async ({ tls = false, sasl = true, flood = {} }: Options = {}): Promise<Inspircd> => {
  const folder = ircFolder()
  const port = await freePort()
  const tlsPort = tls ? await freePort() : null
  const linkPort = await freePort()
  const caFile = tls ? (await makeCertificate(folder, 'irc.test')).certFile : null
  const address = { host: HOST, port, password: null }

  const config = folder.write(
    'inspircd.conf',
    serverConfig({ path: folder.path, port, tlsPort, linkPort, sasl, flood }),
  )
  const server = createProgram(folder.path, ['/usr/sbin/inspircd', '--nofork', '--config', config], () => opens(port))
  const isServed = async () => {
    await using person = await passerby(address)
    await ask(person, 'HELP')
    // What was offered at first may be from before the services were there.
    const since = person.lines.length
    person.raw('CAP LS 302')
    await person.until(({ command, params }) => command === 'CAP' && params[1] === 'LS', 'CAP LS', since)
    return !sasl || 'sasl' in person.offered
  }
  const services = createProgram(folder.path, servicesProgram(folder, linkPort), isServed)

  const stop = async () => {
    await Promise.all([server.kill(), services.kill()])
    folder[Symbol.dispose]()
  }
  const start = async () => {
    await server.start()
    await services.start()
  }
  await start().catch(async (cause) => {
    await stop()
    throw cause
  })
  return {
    host: HOST,
    port,
    tlsPort,
    caFile,
    operator: OPERATOR,
    kill: server.kill,
    restart: async () => {
      await server.stop()
      await server.start()
      await eventually('the services to be back', () => isServed().catch(() => false))
    },
    stop,
    register: async (nick, password) => {
      await using person = await ircPerson({ host: HOST, port, nick })
      await ask(person, `REGISTER ${password} ${nick}@example.org`, /is now registered/)
      await person.quit()
    },
    certify: async (nick, password) => {
      const files = await makeCertificate(folder, nick)
      const { fingerprint256 } = new X509Certificate(readFileSync(files.certFile))
      await using person = await passerby(address)
      await ask(person, `IDENTIFY ${nick} ${password}`, /You are now/)
      await ask(person, `CERT ADD ${fingerprint256.replaceAll(':', '').toLowerCase()}`, /Added fingerprint/)
      return files
    },
    [Symbol.asyncDispose]: stop,
  }
}

const opens = async (port: number): Promise<boolean> => {
  const socket = connect(port, HOST)
  await once(socket, 'connect')
  socket.destroy()
  return true
}

/** Says something to NickServ and waits for the answer; fails where it is not the one that is meant. */
const ask = async (person: Person, words: string, meant = /./): Promise<void> => {
  const since = person.lines.length
  person.say('NickServ', words)
  const { raw, command, params } = await person.until(
    ({ command, nick }) => command === '401' || (command === 'NOTICE' && nick === 'NickServ'),
    `NickServ to answer ${words}`,
    since,
  )
  if (command === '401' || !meant.test(params[1] ?? '')) throw new Error(raw)
}

type Folder = ReturnType<typeof ircFolder>

/** A key and a certificate that is signed with it. */
const makeCertificate = async (folder: Folder, name: string) => {
  const [certFile, keyFile] = [join(folder.path, `${name}.cert`), join(folder.path, `${name}.key`)]
  const files = ['-keyout', keyFile, '-out', certFile]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=IP:${HOST},DNS:localhost`]
  await execa('/usr/bin/openssl', ['req', '-x509', ...kind, ...names, ...files])
  return { certFile: folder.own(certFile), keyFile: folder.own(keyFile) }
}

type Settings = Required<Pick<Options, 'sasl' | 'flood'>> & {
  path: string
  port: number
  tlsPort: number | null
  linkPort: number
}

const MODULES = `
  blockcolor botmode cap chghost cloaking ircv3 ircv3_accounttag ircv3_batch ircv3_capnotify ircv3_chghost ircv3_ctctags
  ircv3_echomessage ircv3_invitenotify ircv3_labeledresponse ircv3_msgid ircv3_servertime md5 monitor namesx
  redirect services_account setname sha256 spanningtree svshold uhnames
`

const serverConfig = ({ path, port, tlsPort, linkPort, sasl, flood }: Settings): string => {
  const modules = [
    ...MODULES.trim().split(/\s+/),
    ...(sasl ? ['sasl'] : []),
    ...(tlsPort ? ['ssl_gnutls', 'sslinfo'] : []),
  ]
  const limits = Object.entries({ ...LIMITS, ...flood }).map(([name, value]) => `${name}="${value}"`)
  const certificate = `certfile="${path}/irc.test.cert" keyfile="${path}/irc.test.key"`
  return `
<server name="irc.test" description="a server for tests" network="test" id="1AA">
<admin name="test" nick="test" email="test@example.org">
<path configdir="${path}" datadir="${path}" logdir="${path}" runtimedir="${path}">
<pid file="${path}/inspircd.pid">
<dns server="${HOST}" timeout="1">
<bind address="${HOST}" port="${port}" type="clients">
<bind address="${HOST}" port="${linkPort}" type="servers">
<connect allow="*" timeout="60" pingfreq="120" localmax="5000" globalmax="5000" resolvehostnames="no" ${limits.join(' ')}>
<class name="all" commands="*" privs="*" usermodes="*" chanmodes="*">
<type name="all" classes="all">
<oper name="${OPERATOR.name}" password="${OPERATOR.password}" host="*@*" type="all">
<cloak mode="full" key="${'a key of the tests '.repeat(3)}">
<link name="services.test" ipaddr="${HOST}" port="${linkPort}" allowmask="${HOST}" sendpass="link" recvpass="link">
<uline server="services.test" silent="yes">
<sasl target="services.test" requiressl="no">
${modules.map((name) => `<module name="${name}">`).join('\n')}
${
  tlsPort === null
    ? ''
    : `
<sslprofile name="tls" provider="gnutls" hash="sha256" requestclientcert="yes" ${certificate}>
<bind address="${HOST}" port="${tlsPort}" type="clients" sslprofile="tls">`
}
`
}

const SERVICES = `
  backend/opensex protocol/inspircd crypto/pbkdf2v2
  nickserv/main nickserv/cert nickserv/enforce nickserv/ghost nickserv/group nickserv/identify nickserv/info
  nickserv/logout nickserv/register nickserv/status
  saslserv/main saslserv/external saslserv/plain
`

/** How Atheme is started. It does not count what it is told: tests are quicker than people. */
const servicesProgram = ({ path, write }: Folder, linkPort: number): string[] => {
  const config = `
${SERVICES.trim()
  .split(/\s+/)
  .map((name) => `loadmodule "modules/${name}";`)
  .join('\n')}
serverinfo {
  name = "services.test"; desc = "services"; numeric = "00A"; netname = "test"; hidehostsuffix = "users.test";
  adminname = "test"; adminemail = "test@example.org"; registeremail = "test@example.org"; mta = "/bin/false";
  recontime = 1; maxlogins = 100; maxusers = 0; maxnicks = 100; maxchans = 100; casemapping = rfc1459;
  auth = none; mdlimit = 30; emaillimit = 100; emailtime = 300; loglevel = { error; };
};
uplink "irc.test" { host = "${HOST}"; port = ${linkPort}; send_password = "link"; receive_password = "link"; };
nickserv { nick = "NickServ"; user = "NickServ"; host = "services.test"; real = "services"; };
saslserv { nick = "SaslServ"; user = "SaslServ"; host = "services.test"; real = "services"; };
general { join_chans = no; flood_msgs = 0; ratelimit_uses = 0; default_clone_allowed = 5000; default_clone_warn = 5000; };
`
  const files = ['-D', path, '-l', join(path, 'atheme.log'), '-p', join(path, 'atheme.pid')]
  return ['/usr/bin/atheme-services', '-n', '-c', write('atheme.conf', config), ...files]
}
