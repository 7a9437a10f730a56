import { expect, test } from 'vitest'
import { poll, seenWith, wordsSeen } from './seen.ts'
import type { Check } from './suite.ts'

/** How somebody is told that what they said may not have been heard. */
const TOLD = /away|missed|not sent|lost|reconnect/i

/** What becomes of posts and lines while there is no way from one to the other. */
export const checkReconnect = ({ stage, word }: Check): void => {
  test('a line that the house could not be reached for is kept, and arrives once', async () => {
    const { house, person } = stage()
    const [kept, next] = [word('kept'), word('next')]
    let failures = 2
    house.answerWith(() => {
      if (failures-- > 0) throw new Error('the house cannot be reached')
      return null
    })
    await person.says(kept)
    await person.says(next)
    const heard = () => house.heard.map(({ text }) => text).filter((text) => text === kept || text === next)
    await poll(heard).toEqual([kept, next])
    const tries = house.attempts.filter(({ text }) => text === kept)
    expect(new Set(tries.map(({ id }) => id)).size).toBe(1)
    house.answerWith(() => null)
  })

  test('what is posted while the connection is broken arrives once it is healed, once and in order', async () => {
    const { house, person, breaks, heals } = stage()
    const [kind, meanwhile, after] = [word('gap'), word('meanwhile'), word('after')]
    house.post({ text: `${kind}-100` })
    await poll(async () => (await seenWith(person, `${kind}-100`)).length).toBe(1)
    const before = (await person.sees()).length
    await breaks()
    house.post({ text: `${kind}-101` })
    house.post({ text: `${kind}-102` })
    await person.says(meanwhile)
    await heals()
    house.post({ text: `${kind}-103` })
    const sent = [100, 101, 102, 103].map((index) => `${kind}-${index}`)
    await poll(() => wordsSeen(person, new RegExp(`${kind}-\\d+`, 'g'))).toEqual(sent)

    // What was said meanwhile was heard once, or the person was told that it may not have been.
    const heard = (text: string) => house.heard.filter((line) => line.text === text).length
    await poll(
      async () => heard(meanwhile) === 1 || (await person.sees()).slice(before).some((one) => TOLD.test(one)),
    ).toBe(true)
    await person.says(after)
    await poll(() => heard(after)).toBe(1)
    expect(heard(meanwhile)).toBeLessThanOrEqual(1)
  })
}
