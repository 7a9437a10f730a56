import { expect, test } from 'vitest'
import type { Line } from '../../src/chat/port.ts'
import type { Post } from '../../src/shapes/post.ts'
import { poll, seenWith } from './seen.ts'
import type { Check } from './suite.ts'

const agent: Post['author'] = { kind: 'agent', id: 'claude-1', face: 'worker', via: null }

/** What a person is asked, and how they answer. */
export const checkApprovals = ({ stage, word }: Check): void => {
  /** Has an agent ask, and says what its question is known by. */
  const ask = (name: string) => {
    const [what, id] = [word('push'), word('m')]
    const asked: Partial<Post> = {
      kind: 'approval',
      author: agent,
      session: 's1',
      turn: `${id}.claude-1`,
      text: `asks to run git ${what}\ndeploy asks before each git push\nrun {"argv":["git","${what}"]}`,
      step: { id: `${id}.claude-1.0`, state: 'running' },
      approval: { name, state: 'open', until: '2036-03-01T12:10:00.000Z' },
    }
    stage().house.post(asked)
    return { what, asked }
  }

  const decide = (asked: Partial<Post>, name: string, state: 'approved' | 'denied') =>
    stage().house.post({
      ...asked,
      author: { kind: 'person', id: 'grace', face: 'web', via: null },
      turn: null,
      text: `${state} ${name}`,
      approval: { name, state, until: null },
    })

  test('an approval is shown with what is asked, its name and how to answer it', async () => {
    const { capabilities, person } = stage()
    expect(person.presses !== undefined).toBe(capabilities.buttons)
    const { what, asked } = ask('kfwqz')
    await poll(async () => (await seenWith(person, what)).length).toBeGreaterThan(0)
    const seen = (await person.sees()).join('\n')
    const shown = seen.slice(seen.indexOf(what))
    const told = [/kfwqz/, /approve/i, /deny/i].filter((part) => !part.test(shown))
    expect(told).toEqual([])
    decide(asked, 'kfwqz', 'approved')
    await poll(async () => (await seenWith(person, /approved.*kfwqz|kfwqz.*approved/is)).length).toBeGreaterThan(0)
  })

  test.each([
    ['approve', 'approved', 'bcdfg'],
    ['deny', 'denied', 'hjkmn'],
  ] as const)('whoever says %s gives the house that command, and every copy shows the decision', async (...row) => {
    const [command, state, name] = row
    const { capabilities, house, person, other } = stage()
    const { what, asked } = ask(name)
    await poll(async () => (await seenWith(person, what)).length).toBeGreaterThan(0)
    const before = house.heard.length
    if (person.presses) await person.presses(new RegExp(command, 'i'))
    else await person.says(`!${command} ${name}`)
    await poll(() => house.heard.slice(before).map((line) => means(line, command, name))).toEqual([true])

    decide(asked, name, state)
    const isOpen = (text: string): boolean => text.includes(what) && !isIn(text, state)
    for (const one of [person, other]) {
      if (!one) continue
      await poll(async () => (await one.sees()).some((text) => isIn(text, state) && isIn(text, 'grace'))).toBe(true)
      if (capabilities.edits) await poll(async () => (await one.sees()).filter(isOpen)).toEqual([])
    }
    if (!person.presses) return
    await expect(person.presses(new RegExp(command, 'i'))).rejects.toThrow()
    expect(house.heard.length).toBe(before + 1)
  })

  test('an approval that nobody answered in time says so', async () => {
    const { house, person } = stage()
    const { what, asked } = ask('pqrst')
    await poll(async () => (await seenWith(person, what)).length).toBeGreaterThan(0)
    house.post({
      ...asked,
      author: { kind: 'house', id: 'bellhop', face: 'house', via: null },
      turn: null,
      text: 'nobody answered pqrst in time',
      approval: { name: 'pqrst', state: 'lapsed', until: null },
    })
    await poll(async () => (await seenWith(person, /nobody answered|lapsed/)).length).toBeGreaterThan(0)
  })
}

const isIn = (text: string, word: string): boolean => text.toLowerCase().includes(word)

/** Whether a line is this command for this approval: as a text, or as a form that was filled in. */
const means = ({ text, command }: Line, name: string, approval: string): boolean => {
  if (command) return command.name === name && Object.values(command.input).includes(approval)
  return new RegExp(`^[/!]${name} ${approval}$`).test(text.trim())
}
