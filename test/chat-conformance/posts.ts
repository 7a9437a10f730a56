import { expect, test } from 'vitest'
import { poll, seenWith, wordsSeen } from './seen.ts'
import type { Check } from './suite.ts'

const ESC = '\u001b'

/** What no face may pass on: whatever shows it would do something else than show it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

/** Texts that try to be more than text, each around a word. */
const hostile: Record<string, (word: string) => string> = {
  'a colour': (word) => `a ${ESC}[31m${word}${ESC}[0m z`,
  'a title': (word) => `a ${ESC}]0;owned\u0007${word} z`,
  'a cleared screen': (word) => `a ${ESC}[2J${ESC}[H${word} z`,
  'codes of IRC': (word) => `a \u0002\u000304,01${word}\u000f\u001f z`,
  'a CTCP': (word) => `\u0001ACTION ${word}\u0001`,
  'another line for a server': (word) => `a\r\nQUIT :${word}\r\nPRIVMSG #team :b`,
  'a nothing': (word) => `a \u0000${word} z`,
  'an other order': (word) => `a \u202e${word}\u202c z`,
  markup: (word) => `<img src=x onerror=alert(1)><script>alert(2)</script>${word}`,
  'a mention': (word) => `@everyone @here <@123456789012345678> <@&123456789012345678> ${word}`,
  'half a character': (word) => `a \ud83d ${word} \udece z`,
  'half a sequence': (word) => `a ${word} ${ESC}[`,
  'an open fence': (word) => `\`\`\`\n${word}`,
  'a long word': (word) => `${'x'.repeat(600)} ${word}`,
}

const KINDS = ['said', 'answer', 'notice'] as const

/** What the house posts. */
export const checkPosts = ({ stage, word }: Check): void => {
  test('posts come in order, none twice and none lost', async () => {
    const { house, person } = stage()
    const kind = word('post')
    const sent = Array.from({ length: 10 }, (_, index) => `${kind}-${100 + index}`)
    for (const text of sent) house.post({ text })
    await poll(() => wordsSeen(person, new RegExp(`${kind}-\\d+`, 'g'))).toEqual(sent)
  })

  test('who said something can be seen, and what kind of thing it is', async () => {
    const { house, person } = stage()
    const [said, answered, told] = [word('said'), word('answered'), word('told')]
    house.post({ text: said })
    const agent = { kind: 'agent', id: 'codex-1', face: 'worker', via: null } as const
    house.post({ kind: 'answer', author: agent, turn: 'm1.codex-1', session: 's1', text: answered })
    house.post({ kind: 'notice', author: { kind: 'house', id: 'bellhop', face: 'house', via: null }, text: told })
    await poll(async () => (await seenWith(person, told)).length).toBe(1)
    const seen = (await person.sees()).join('\n')
    expect(seen.slice(seen.lastIndexOf('grace', seen.indexOf(said))).startsWith('grace')).toBe(true)
    expect(seen.slice(seen.lastIndexOf('codex-1', seen.indexOf(answered))).startsWith('codex-1')).toBe(true)
  })

  test('what a post contains is shown, and not obeyed', async () => {
    const { house, person, alarms } = stage()
    const sent = Object.entries(hostile).map(([what, textWith], index) => {
      const shown = word('trap')
      const kind = KINDS[index % KINDS.length] ?? 'said'
      house.post({ kind, text: textWith(shown), ...(kind === 'answer' ? { id: `${shown}.receipt` } : {}) })
      return { what, shown }
    })
    const missing = async () => {
      const seen = (await person.sees()).join('\n')
      return sent.filter(({ shown }) => !seen.includes(shown)).map(({ what }) => what)
    }
    await poll(missing).toEqual([])
    const seen = await person.sees()
    expect(seen.filter((text) => OBEYED.test(text))).toEqual([])
    expect(alarms?.() ?? []).toEqual([])
  })
}
