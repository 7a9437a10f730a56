import { expect, test } from 'vitest'
import { MessageId } from '../../src/shapes/message.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { addressed } from '../../src/social/mention.ts'
import { poll, seenWith } from './seen.ts'
import type { Check } from './suite.ts'

/** What people say, and what is answered to them alone. */
export const checkLines = ({ stage, word }: Check): void => {
  const heardWith = (text: string) => stage().house.heard.filter((line) => line.text.includes(text))

  test('lines arrive once, in order, as they were said, each with an id of its own', async () => {
    const { house, person } = stage()
    const said = [word('one'), word('two'), word('three')].map((one) => `${one} über 語 🛎`)
    for (const text of said) await person.says(text)
    await poll(() => said.flatMap(heardWith).length).toBe(3)
    const lines = house.heard.slice(-3)
    expect(lines.map(({ text, room }) => ({ text, room }))).toEqual(said.map((text) => ({ text, room: house.room })))
    const ids = lines.map(({ id }) => MessageId.parse(id))
    expect(new Set(ids).size).toBe(3)
    if (!house.delivers()) return
    expect(lines.map(({ sender }) => [sender?.network, sender?.nick])).toEqual(
      Array(3).fill([house.network, person.name]),
    )
    expect(ids.filter((id) => id.startsWith(`${house.network}~`))).toEqual(ids)
  })

  test('what a line contains is not obeyed on its way in', async () => {
    const { house, person } = stage()
    const [begin, end, after] = [word('begin'), word('end'), word('after')]
    const before = house.heard.length
    await person.says(`${begin} <b>bold</b> $(id) %s {"a":1} \\r\\n QUIT :x @everyone ${end}`)
    await person.says(after)
    await poll(() => heardWith(after).length).toBe(1)
    const heard = house.heard.slice(before).map(({ text }) => text)
    expect(heard).toEqual([`${begin} <b>bold</b> $(id) %s {"a":1} \\r\\n QUIT :x @everyone ${end}`, after])
  })

  test('agents are named so that the house understands whom a line is for', async () => {
    const { house, person } = stage()
    const agents = await house.agents()
    const lines: [string, string[]][] = [
      ['@claude-1 where is', ['claude-1']],
      ['claude-1: where is', ['claude-1']],
      ['@claude where is', ['claude-1']],
      ['@claude-1 @codex-1 where is', ['claude-1', 'codex-1']],
      ['codex-1, claude-1: where is', ['codex-1', 'claude-1']],
      ['what would @codex-1 say to', ['codex-1']],
      ['where is', []],
    ]
    for (const [text, named] of lines) {
      const what = word('retry')
      await person.says(`${text} ${what}`)
      await poll(() => heardWith(what).map((line) => addressed(line.text, agents).named)).toEqual([named])
    }
  })

  test('what a command answered reaches who asked, once, and all of it', async () => {
    const { house, person } = stage()
    const [first, last] = [word('first'), word('last')]
    house.answerWith(({ text }) => (text.includes('who') ? { answer: `${first}: ready\n${last}: lapsed` } : null))
    await person.says('!who')
    await poll(async () => (await seenWith(person, last)).length).toBe(1)
    expect((await seenWith(person, first)).length).toBe(1)
    house.answerWith(() => null)
  })

  test('a refusal reaches who asked, once, with what to do instead', async () => {
    const { house, person } = stage()
    const [why, what] = [word('nobody'), word('refuse')]
    const answer = refusal('agent-unknown', `there is no agent ${why}`)
    house.answerWith(({ text }) => (text.includes(what) ? answer : null))
    await person.says(`@claude-1 ${what}`)
    await poll(async () => (await seenWith(person, answer.message)).length).toBe(1)
    await poll(async () => (await person.sees()).join(' ').includes(answer.remedy)).toBe(true)
    house.answerWith(() => null)
  })

  test('a whisper reaches who asked, and nobody else', async () => {
    const { capabilities, house, person, other } = stage()
    const [secret, open, asked] = [word('secret'), word('open'), word('pair')]
    house.answerWith(({ text }) => (text.includes(asked) ? { whisper: `your code is ${secret}` } : null))
    await person.says(`!${asked}`)
    // Where nothing can be said to one person alone, it is not said: and they are told that, and where to ask.
    if (capabilities.whispers) await poll(async () => (await seenWith(person, secret)).length).toBe(1)
    else await poll(async () => (await seenWith(person, /only you|privately|web page/i)).length).toBeGreaterThan(0)
    house.answerWith(() => null)
    house.post({ text: open })
    await poll(async () => (await seenWith(person, open)).length).toBe(1)
    if (other) await poll(async () => (await seenWith(other, open)).length).toBe(1)
    expect(other ? await seenWith(other, secret) : []).toEqual([])
    expect(house.posts.filter(({ text }) => text.includes(secret))).toEqual([])
  })

  test('a line that is said in a thread arrives in its room; where there are none, the way there is told', async () => {
    const { capabilities, house, person, thread } = stage()
    expect(thread !== undefined).toBe(capabilities.threads)
    const what = word('thread')
    if (thread) {
      await thread.says(what)
      await poll(() => heardWith(what).map(({ room, text }) => [room, text])).toEqual([[thread.room, what]])
      return
    }
    const begun = `t-${'0123456789'.repeat(2)}abcdef`
    house.answerWith(({ text }) => (text.startsWith('!new') ? { answer: `${begun}  with ${what}` } : null))
    await person.says('!new claude-1')
    await poll(async () => (await seenWith(person, begun)).length).toBe(1)
    house.answerWith(() => null)
  })
}
