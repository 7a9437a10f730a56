import { expect, test } from 'vitest'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse } from './drill.ts'
import { startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

const SENDERS = 20
const EACH = times(8, 500)

test(
  `${SENDERS * EACH} lines from ${SENDERS} senders in five rooms, by two doors: each is answered, done once, and in order`,
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({ chance, gateways: 2, rooms: ['lobby', 'one', 'two', 'three', 'four'] })
    const flood = { drill: 'a flood', chance, faults: [], senders: SENDERS, lines: EACH, steps: 0, pauseMs: 0 }
    const { reckoning } = await drillHouse(house, flood)
    expect(reckoning).toEqual({
      ...nothingWrong(reckoning),
      sent: SENDERS * EACH,
      accepted: SENDERS * EACH,
      refused: 0,
    })
  },
  LONG ? 3_600_000 : 180_000,
)
