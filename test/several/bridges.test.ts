import { expect, test } from 'vitest'
import { startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, hears, ircNetwork, saidTo } from '../support/rooms.ts'
import { startSeveral } from '../support/several.ts'
import { must } from '../support/store.ts'

test('of two bridges one is on a network; when it is killed the other is, and what is said twice says so', async () => {
  const server = await startNgircd({ penaltySeconds: 0 })
  try {
    const rooms = [{ id: 'lobby', faces: ['irc', 'cli', 'api'], mode: 'execute', listener: null }]
    const networks = { home: ircNetwork(server, { '#team': 'lobby' }) }
    await using it = await startSeveral({ config: { rooms, networks, lease: { ms: 3000, heartbeatMs: 500 } } })
    const [gateway, first] = await Promise.all([it.start('gateway'), it.start('bridge')])
    const client = it.clientOf(gateway)
    const isOn = async () =>
      must(await client.ask('networks')).networks.every(
        ({ state, detail }) => state === 'connected' && !detail.includes('NOT in'),
      )
    await eventually('the first bridge to be on the network', isOn)
    await it.start('bridge')
    await using ada = await comesTo(server, 'ada')
    must(await client.say({ room: 'lobby', text: '@grace one' }))
    await hears(ada, /@grace one$/)
    first.kill('SIGKILL')
    await first.ended
    must(await client.say({ room: 'lobby', text: '@grace two' }))
    await hears(ada, /@grace two$/)
    await eventually('the second bridge to be on the network', isOn)
    // What was in flight when it was killed may be said again, and says so.
    expect(
      saidTo(ada)
        .filter((line) => line.includes('@grace') && !line.startsWith('(again?) '))
        .map((line) => line.replace(/^<.*> /, '')),
    ).toEqual(['@grace one', '@grace two'])
  } finally {
    await server.stop()
  }
})
