import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { smallDisk } from '../support/small-disk.ts'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { LEASE_MS, startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

const MEGABYTES = 24

/** Writes until nothing more fits; the last pieces are small, so that nothing of ours fits either. */
const fill = (file: string): void => {
  const handle = openSync(file, 'w')
  try {
    for (const size of [1024 * 1024, 4096]) while (written(handle, size));
  } finally {
    closeSync(handle)
  }
}

const written = (handle: number, size: number): boolean => {
  try {
    return writeSync(handle, Buffer.alloc(size)) === size
  } catch {
    return false
  }
}

test(
  'a disk that is full is said so for as long as it is, and everything goes on once there is space again',
  async (context) => {
    const disk = smallDisk(MEGABYTES)
    if (typeof disk === 'string') return context.skip(disk)
    using mounted = disk
    const filler = join(mounted.path, 'filler')
    const chance = chanceOf()
    await using house = await startHouse({ chance, data: join(mounted.path, 'data') })
    const full: Fault = async () => {
      fill(filler)
      await setTimeout(LEASE_MS)
      expect(house.members.map((member) => member.endedBy())).toEqual(house.members.map(() => null))
      rmSync(filler)
    }
    const faults = Array.from({ length: times(2, 20) }, () => full)
    const { reckoning, sent } = await drillHouse(house, { drill: 'a full disk', chance, faults, lines: 8 })
    expect(reckoning).toEqual(nothingWrong(reckoning))
    expect(new Set(sent.flatMap(({ passing }) => passing))).toEqual(new Set(['store-full']))
  },
  LONG ? 1_800_000 : 180_000,
)
