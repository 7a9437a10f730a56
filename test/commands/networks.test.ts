import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { type Ngircd, startNgircd } from '../support/ngircd.ts'
import { comesTo, ircNetwork } from '../support/rooms.ts'

let server: Ngircd
beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
})
afterAll(() => server.stop())

type Finding = { name: string; state: string; fix: string | null }

const look = async (networks: object | null, ...more: string[]) => {
  using folder = scratch()
  const config = folder.write('bellhop.yaml', networks === null ? '{}\n' : `networks: ${JSON.stringify(networks)}\n`)
  // Awaited here: the folder is gone when this returns.
  return await bellhop(['doctor', '--networks', '--config', config, ...more], { cwd: folder.path })
}

test('doctor looks at every network of the config, says what is wrong with each, and ends with 1 where something is', async () => {
  await using keeper = await comesTo(server, 'keeper', { channel: '#closed' })
  keeper.mode('#closed', '+i')
  const { stdout, exitCode } = await look(
    {
      home: ircNetwork(server, { '#team': 'lobby' }),
      shut: ircNetwork(server, { '#closed': 'lobby' }),
      away: ircNetwork({ host: '127.0.0.1', port: 1 }, { '#team': 'lobby' }),
      guild: { kind: 'discord', token: 'NOT_SET', channels: { '100000000000000001': 'lobby' } },
    },
    '--json',
  )
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const missing = findings.filter(({ state }) => state === 'missing')
  expect([exitCode, missing.map(({ name }) => name.split(':')[0])]).toEqual([1, ['shut', 'away', 'guild']])
  expect(missing.map(({ fix }) => fix)).not.toContain(null)
  expect([...new Set(findings.map(({ name }) => name.split(':')[0]))]).toEqual(['home', 'shut', 'away', 'guild'])
})

test('doctor ends with 0 where all is well, and with a sentence where there are no networks', async () => {
  const [well, none] = [await look({ home: ircNetwork(server, { '#team': 'lobby' }) }), await look(null)]
  expect([well.exitCode, /^missing/m.test(well.stdout), none.exitCode]).toEqual([0, false, 1])
  expect(none.stderr).toContain('the config has no networks')
})
