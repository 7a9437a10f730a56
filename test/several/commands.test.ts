import { expect, test } from 'vitest'
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
