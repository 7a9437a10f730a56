import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProgram, freePort, HOST, ircFolder } from './ngircd.ts'

/** The name that the example of the documentation has. */
export const NAME = 'bellhop.example.org'

const DOC = join(import.meta.dirname, '../../docs/access.md')

/** The example of nginx as the documentation has it. */
const example = (): string => /```nginx\n([\s\S]*?)```/.exec(readFileSync(DOC, 'utf8'))?.[1] ?? ''

/** A port for the page by TLS, and one by plain HTTP. */
export const nginxPorts = async () => ({ tls: await freePort(), plain: await freePort() })

/** A real nginx with the documented example; ports and the certificate are all that differs. */
export const startNginx = async (ports: Awaited<ReturnType<typeof nginxPorts>>, house: string) => {
  const folder = ircFolder()
  const [key, certificate] = [join(folder.path, 'key.pem'), join(folder.path, 'certificate.pem')]
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', ...subject]
  execFileSync('/usr/bin/openssl', ['req', ...made, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  for (const file of [key, certificate]) folder.own(file)
  const replaced = [
    ['listen 80;', `listen ${HOST}:${ports.plain};`],
    ['listen 443 ssl http2;', `listen ${HOST}:${ports.tls} ssl http2;`],
    ['/etc/letsencrypt/live/bellhop.example.org/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/bellhop.example.org/privkey.pem', key],
    ['http://127.0.0.1:7070', house],
  ] as const
  let server = example()
  for (const [documented, here] of replaced) {
    if (!server.includes(documented)) throw new Error(`the documented example has no ${documented}`)
    server = server.replace(documented, here)
  }
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder.path}/${one};`,
  )
  const config = folder.write(
    'nginx.conf',
    `daemon off; master_process off; pid ${folder.path}/pid; error_log stderr;
events {}
http {
access_log off;
${kept.join('\n')}
${server}
}
`,
  )
  const program = createProgram(folder.path, ['/usr/sbin/nginx', '-e', 'stderr', '-c', config], async () => {
    const { status } = await fetch(`http://${HOST}:${ports.plain}/`, { redirect: 'manual' })
    return status === 301
  })
  const stop = async () => {
    await program.kill()
    folder[Symbol.dispose]()
  }
  await program.start().catch(async (cause) => {
    await stop()
    throw cause
  })
  return { [Symbol.asyncDispose]: stop }
}
