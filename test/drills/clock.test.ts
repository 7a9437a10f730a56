import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { chanceOf, LONG } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { type Part, startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

/** Debian's libfaketime, which tells a process another time than it is; what measures how long something takes is left as it is. */
const LIBRARY = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)]
  .map((folder) => join(folder, 'faketime/libfaketime.so.1'))
  .find(existsSync)

const HOUR = 3600
const YEAR = 365 * 24 * HOUR

test.skipIf(LIBRARY === undefined)(
  'clocks that jump, forwards and backwards, in one process or in all of them, lose nothing and stop nothing',
  async () => {
    using folder = scratch()
    const chance = chanceOf()
    const fileOf = (part: Part) => join(folder.path, part)
    const set = (seconds: number, ...parts: Part[]) => {
      for (const part of parts) writeFileSync(fileOf(part), `${seconds < 0 ? '' : '+'}${seconds}\n`)
    }
    set(0, 'gateway', 'worker', 'bridge')
    await using house = await startHouse({
      chance,
      env: (part) => ({
        LD_PRELOAD: LIBRARY ?? '',
        FAKETIME_TIMESTAMP_FILE: fileOf(part),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
    })
    const jump =
      (seconds: number, ...parts: Part[]): Fault =>
      async () => {
        set(seconds, ...parts)
        await setTimeout(chance.between(200, 1200))
      }
    const back: Fault = async () => set(0, 'gateway', 'worker')
    const jumps = [
      jump(HOUR, 'worker'),
      jump(-HOUR, 'worker'),
      jump(-YEAR, 'gateway'),
      jump(YEAR, 'gateway', 'worker'),
      back,
    ]
    const faults = LONG ? Array.from({ length: 20 }, () => jumps).flat() : jumps
    const { reckoning } = await drillHouse(house, { drill: 'clock jumps', chance, faults, lines: 6, pauseMs: 600 })
    expect(reckoning).toEqual(nothingWrong(reckoning))
  },
  LONG ? 1_800_000 : 180_000,
)
