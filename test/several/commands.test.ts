import { readFileSync } from 'node:fs'
import { createServer as createPlain } from 'node:http'
import { createServer as createTls } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { startSeveral } from '../support/several.ts'

test('where processes run by themselves, commands say that they need to know the gateway, and `up` does not begin beside them', async () => {
  await using it = await startSeveral()
  const gateway = await it.start('gateway')
  const at = ['--data', it.data]
  const open = [
    `processes of a Bellhop work on ${it.data}, which were started by themselves`,
    'say where their gateway is: BELLHOP_URL=http://127.0.0.1:7070',
  ]
  const who = await bellhop(['who', ...at])
  expect([who.exitCode, who.stderr]).toEqual([1, `bellhop: ${open.join('\n  ')}`])
  expect((await bellhop(['status', ...at])).stdout).toBe(open.join('\n'))
  const told = await bellhop(['rooms', ...at, '--json'], { env: { BELLHOP_URL: gateway.url } })
  expect(JSON.parse(told.stdout).rooms.map(({ id }: { id: string }) => id)).toEqual(it.rooms)

  // It would have a Redis of its own, and take the same work.
  const up = await bellhop(['up', ...at, '--workspace', it.workspace, '--config', it.configFile, '--port', '0'])
  expect([up.exitCode, up.stderr]).toEqual([
    1,
    `bellhop: processes of a Bellhop run on ${it.data}, on another Redis\n  give this one the same REDIS_URL, or end every gateway, worker and bridge that works on it first, or name another --data DIR`,
  ])
  expect(await it.clientOf(gateway).ask('who')).toMatchObject({ ok: true })
})

test.each([
  ['nonsense', 'nonsense is no address of a Bellhop', 'give BELLHOP_URL as http://127.0.0.1:7070'],
  [
    'http://127.0.0.1:1',
    'no Bellhop answers at http://127.0.0.1:1',
    'look whether its gateway runs there, or correct BELLHOP_URL',
  ],
])('an instance that is looked for at %s is said not to be there', async (url, message, fix) => {
  for (const command of [['say', 'hello'], ['status'], ['top', '--once']]) {
    const { exitCode, stdout, stderr } = await bellhop(command, {
      env: { BELLHOP_URL: url, BELLHOP_TOKEN: 'bhp_none' },
    })
    expect([command, exitCode, stdout, stderr]).toEqual([command, 1, '', `bellhop: ${message}\n  ${fix}`])
  }
})

test('what keeps commands from a gateway is said as it is: its certificate, its port, its name', async () => {
  using folder = scratch()
  const [key, certificate] = [join(folder.path, 'key.pem'), join(folder.path, 'certificate.pem')]
  const subject = ['-subj', '/CN=bellhop.example.org', '-addext', 'subjectAltName=DNS:bellhop.example.org']
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', ...subject]
  await execa('openssl', ['req', ...made, '-keyout', key, '-out', certificate])
  const plain = createPlain()
  const tls = createTls({ key: readFileSync(key), cert: readFileSync(certificate) })
  const gone = createPlain()
  const [plainPort, tlsPort, gonePort] = await Promise.all([plain, tls, gone].map(listening))
  gone.close()
  const tries: [string, Record<string, string>, string, string][] = [
    [
      `https://127.0.0.1:${tlsPort}`,
      {},
      'nobody whom this machine knows has signed its certificate',
      'name the certificate of whoever did: NODE_EXTRA_CA_CERTS=FILE',
    ],
    [
      `https://127.0.0.1:${tlsPort}`,
      { NODE_EXTRA_CA_CERTS: certificate },
      'its certificate is for another name',
      'give BELLHOP_URL with the name that it is for',
    ],
    [`https://127.0.0.1:${plainPort}`, {}, 'it speaks no TLS', 'give BELLHOP_URL with http://, or correct its port'],
    [
      `http://127.0.0.1:${gonePort}`,
      {},
      'nothing listens there',
      'look whether its gateway runs there, or correct BELLHOP_URL',
    ],
    ['http://nowhere.invalid', {}, 'that name is not found', 'correct BELLHOP_URL'],
  ]
  try {
    for (const [url, env, why, fix] of tries) {
      const said = await bellhop(['who'], { env: { BELLHOP_URL: url, BELLHOP_TOKEN: 'bhp_none', ...env } })
      expect([said.exitCode, said.stderr]).toEqual([1, `bellhop: cannot ask the Bellhop at ${url}: ${why}\n  ${fix}`])
    }
  } finally {
    for (const server of [plain, tls]) server.close()
  }
})

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  return (server.address() as AddressInfo).port
}
