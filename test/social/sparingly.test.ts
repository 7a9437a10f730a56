import { expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import { createSparingly } from '../../src/social/sparingly.ts'
import { eventually } from '../support/poll.ts'

const open = (ms: number) => {
  const written: string[] = []
  const write = async (stage: string, { message }: { message: string }) => void written.push(`${stage}: ${message}`)
  const counted: string[] = []
  const refused = (stage: string, code: string) => void counted.push(`${stage} ${code}`)
  const sparingly = createSparingly({ write, refused, failed: () => {}, most: 2, ms })
  const refuse = async (who: string, times: number) => {
    for (let i = 0; i < times; i++) await sparingly.refuse(who, 'door', refusal('unauthenticated', `${who} ${i}`))
  }
  return { ...sparingly, written, counted, refuse }
}

test('the first of each are written one by one, and of the rest the last, with how many there were', async () => {
  const { written, counted, refuse, close } = open(600_000)
  await refuse('a', 5)
  await refuse('b', 3)
  await refuse('c', 1)
  expect(written).toEqual(['door: a 0', 'door: a 1', 'door: b 0', 'door: b 1', 'door: c 0'])
  await close()
  expect(written.slice(5)).toEqual(['door: a 4, and 2 more like it', 'door: b 2'])
  // Whoever counts hears of each of them, and of none twice.
  expect(counted).toEqual(Array.from({ length: 9 }, () => 'door unauthenticated'))
})

test('when the time is over the rest is written, and it begins anew', async () => {
  const { written, refuse } = open(50)
  await refuse('a', 4)
  await eventually('the rest', () => written.includes('door: a 3, and 1 more like it'))
  await refuse('a', 1)
  expect(written.at(-1)).toBe('door: a 0')
})
