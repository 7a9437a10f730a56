import { expect, test } from 'vitest'
import type { Post } from '../../src/shapes/post.ts'
import { poll, seenWith, wordsSeen } from './seen.ts'
import type { Check, Someone } from './suite.ts'

const LINES = 140
const WIDE = '語'.repeat(1500)
const BELLS = '🛎'.repeat(900)
const MOST_ASKED = 60

const agent: Post['author'] = { kind: 'agent', id: 'claude-1', face: 'worker', via: null }

/** What is too long for one message. */
export const checkLongText = ({ stage, word }: Check): void => {
  // A word is only broken where it is longer than a message: those of the rows are not.
  test('a long text can be read to its end, and no character of it is cut', async () => {
    const { capabilities, house, person } = stage()
    const kind = word('row')
    const rows = Array.from({ length: LINES }, (_, index) => `${kind}-${1000 + index}`)
    const middle = Math.floor(LINES / 2)
    const filled = rows.map((row) => `${row} über den Wolken, naïve façade: 語の鐘 🛎 and some more words of it`)
    const text = [...filled.slice(0, middle), WIDE, BELLS, ...filled.slice(middle)].join('\n')
    expect(Buffer.byteLength(text)).toBeGreaterThan(20_000)

    const broken = count((await person.sees()).join(''), '\ufffd')
    const post = house.post({ kind: 'answer', author: agent, session: 's1', turn: `${kind}.claude-1`, text })
    await poll(async () => (await seenWith(person, rows[0] ?? '')).length).toBe(1)
    await house.delivered()
    const pattern = new RegExp(`${kind}-\\d+`, 'g')
    const shown = await wordsSeen(person, pattern)
    const { most, files } = capabilities
    if (most !== null) {
      // What is not shown is not left out without a trace.
      const bytes = shown.length * Buffer.byteLength(`${filled[0]}\n`)
      expect(bytes).toBeLessThanOrEqual(most * 1.25 + 512)
      expect(await seenWith(person, /more|whole|attached|file/i)).not.toEqual([])
      const link = house.linkTo(post)
      if (link !== null && !files) expect((await seenWith(person, link)).length).toBeGreaterThan(0)
    }
    if (files) return expect(await fileWith(person, kind)).toBe(text)
    await readOn(person, async () => (await wordsSeen(person, pattern)).length === LINES)
    await poll(() => wordsSeen(person, pattern)).toEqual(rows)
    const all = (await person.sees()).join('')
    expect([count(all, '語') >= 1500, count(all, '🛎') >= 900, count(all, '\ufffd')]).toEqual([true, true, broken])
  })
}

const fileWith = async (person: Someone, word: string): Promise<string | undefined> => {
  await poll(async () => (await person.files?.())?.some((text) => text.includes(word)) ?? false).toBe(true)
  return (await person.files?.())?.find((text) => text.includes(word))
}

/** Asks for more until there is no more: each time there is some. */
const readOn = async (person: Someone, isWhole: () => Promise<boolean>): Promise<void> => {
  for (let asked = 0; asked < MOST_ASKED && !(await isWhole()); asked++) {
    const before = (await person.sees()).join('\n').length
    await person.says('!more')
    await poll(async () => (await person.sees()).join('\n').length).toBeGreaterThan(before + '!more\n'.length + 20)
  }
}

const count = (text: string, character: string): number => text.split(character).length - 1
