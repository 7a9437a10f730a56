import { expect, test } from 'vitest'
import { createPace } from '../../../adapters/irc/pace.ts'
import { startFakeIrcd } from '../../fake-ircd/fake-ircd.ts'
import { eventually } from '../../support/poll.ts'
import { beginBot, comeTo, startBot } from './stage.ts'

test('what a server tells of a channel that it was thrown out of makes nobody known', async () => {
  await using ircd = await startFakeIrcd({ caps: ['message-tags'] })
  await using grace = await comeTo(ircd, 'grace')
  await using bot = await startBot({ server: ircd })
  const lines = [
    ':grace!~grace@users.fake KICK #team bellhop :out',
    ':irc.fake 353 bellhop = #team :@grace',
    ':irc.fake 354 bellhop 742 #team ~grace users.fake grace H grace',
    ':grace!~grace@users.fake PRIVMSG bellhop :!pair',
  ]
  ircd.send(Buffer.from(lines.map((line) => `${line}\r\n`).join('')), 'bellhop')
  const told = await eventually('the answer', () => grace.heard('grace')[0])
  expect(told.text).toBe('talk to me in a channel that I am in; here I only hear !pair, from whoever is there')
  expect(bot.house.heard).toEqual([])
})

test('a nick that is free again and again is not asked for as often', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using other = await comeTo(ircd, 'bellhop')
  await using bot = await startBot({ server: ircd })
  const quit = ':bellhop!~bellhop@users.fake QUIT :gone\r\n'
  ircd.send(Buffer.from(`${quit.repeat(500)}:ada!~b@c PRIVMSG #team :end\r\n`), 'bellhop_')
  await eventually('the end', () => bot.house.heard.some(({ text }) => text === 'end'))
  // What it says after that comes after all that it asked for.
  bot.house.post({ kind: 'notice', text: 'heard' })
  await eventually('it to be said', () => other.heard('#team').some(({ text }) => text === 'heard'))
  const asked = ircd.received.filter(({ command, nick }) => command === 'NICK' && nick === 'bellhop_')
  expect(asked.length).toBeLessThan(100)
})

test('a server that takes no nick of ours is not asked for ever', async () => {
  await using ircd = await startFakeIrcd({ caps: [], nickLength: 2 })
  await using bot = beginBot({ server: ircd })
  const { detail } = await eventually('it to give up', () => bot.house.states.find(({ state }) => state === 'lost'))
  expect(detail).toContain('as bellhop: it takes no nick like bellhop; tried again in')
})

test('without anything to sign in with, it does not try to, in however many lines SASL is offered', async () => {
  await using ircd = await startFakeIrcd({ caps: ['batch', 'message-tags', 'server-time', 'sasl'], splitCaps: true })
  await using bot = await startBot({ server: ircd })
  expect(bot.house.states.at(-1)?.detail).toBe(`as bellhop on ${ircd.host}; in #team`)
  expect(ircd.received.filter(({ params }) => params[0] === 'REQ').map(({ params }) => params[1])).toEqual([
    'batch message-tags server-time',
  ])
})

test('what is for one person alone takes turns with what is for everybody', async () => {
  const written: string[] = []
  const pace = createPace({ burst: 1, perSecond: 50 }, (line) => written.push(line))
  const aside = ['a1', 'a2', 'a3', 'a4'].map((line) => pace.putAside([line]))
  const main = ['m1', 'm2', 'm3'].map((line) => pace.put([line]))
  expect(await Promise.all([...aside, ...main])).toEqual(Array.from({ length: 7 }, () => true))
  expect(written).toEqual(['a1', 'm1', 'a2', 'm2', 'a3', 'm3', 'a4'])
})

test('who asks for more than can be said to them is not told all of it, and others do not wait for it', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using ada = await comeTo(ircd, 'ada')
  await using bot = await startBot({ server: ircd, config: { flood: { burst: 2, perSecond: 5 } } })
  bot.house.answerWith(({ text }) => ({ whisper: text }))
  for (let i = 0; i < 200; i++) ada.say('#team', `whisper ${i}`)
  await eventually('all of it to be heard', () => bot.house.heard.length === 200)
  bot.house.post({ kind: 'notice', text: 'for everybody' })
  await eventually('it to be said', () => ada.heard('#team').some(({ text }) => text === 'for everybody'))
  const lost = bot.house.logs.filter(({ message }) => message.startsWith('what was for one person alone'))
  expect(lost.length).toBeGreaterThan(100)
  expect(ada.heard('ada').map(({ text }) => text)).toEqual(
    Array.from({ length: ada.heard('ada').length }, (_, i) => `whisper ${i}`),
  )
  expect(ada.heard('ada').length).toBeLessThan(60)
})
