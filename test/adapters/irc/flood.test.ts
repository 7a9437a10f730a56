import { describe, expect, test } from 'vitest'
import { startInspircd } from '../../support/inspircd.ts'
import { startNgircd } from '../../support/ngircd.ts'
import { eventually } from '../../support/poll.ts'
import { AGENT, comeTo, startBot } from './stage.ts'

const LINES = process.env['BELLHOP_LONG'] === '1' ? 60 : 20

/** Says many long lines at once, faster than the server likes, and answers what others see of it. */
const flood = async (server: { host: string; port: number }) => {
  await using ada = await comeTo(server, 'ada')
  await using bot = await startBot({ server, config: { flood: { burst: 10, perSecond: 20 } } })
  const texts = Array.from({ length: LINES }, (_, i) => `line ${i} ${'long '.repeat(70)}end`)
  for (const text of texts) bot.house.post({ kind: 'answer', author: AGENT, text })
  await eventually('all to arrive', () => ada.heard('#team').length >= LINES, 120_000)
  expect(ada.heard('#team').map(({ text }) => text)).toEqual(texts.map((text) => `\x02claude-1\x02: ${text}`))
  expect(bot.house.states.map(({ state }) => state)).toEqual(['connecting', 'connected'])
  expect(bot.house.failed).toEqual([])
}

describe.concurrent('many long lines at once are too much for no server, and arrive in order', () => {
  test('ngIRCd, as it comes', async () => {
    await using server = await startNgircd()
    await flood(server)
  })

  test('InspIRCd, as it comes', async () => {
    await using server = await startInspircd()
    await flood(server)
  })
})
