import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClientFrame, since, WIRE } from '../../src/shapes/wire.ts'
import { startWireHouse, type WireHouse } from './house.ts'
import { linesOf, replay } from './replay.ts'

const FOLDER = join(import.meta.dirname, 'recordings')
const versions = readdirSync(FOLDER).filter((name) => /^\d/.test(name))
const recordings = versions.flatMap((version) => readdirSync(join(FOLDER, version)).map((name) => join(version, name)))

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse({ lease: { ms: 6000, heartbeatMs: 1500 } })
})
afterAll(() => house[Symbol.asyncDispose]())

test.each(recordings)('%s is answered as it was when it was recorded', async (name) => {
  const agent = `${name.replace(/\.jsonl$/, '').replaceAll(/\W/g, '-')}-agent`.replace(/^(\d)-(\d)-(.+)$/, '$3-$1-$2')
  await replay(house, agent, linesOf(join(FOLDER, name)))
})

test('there are recordings of every minor version, and of every frame in the version that it came with', () => {
  expect(versions).toEqual(Array.from({ length: WIRE.minor + 1 }, (_, minor) => `${WIRE.major}.${minor}`))
  const said = (version: string) =>
    readdirSync(join(FOLDER, version))
      .flatMap((name) => linesOf(join(FOLDER, version, name)))
      .flatMap((line) => (line.from === 'client' ? [line.frame['type']] : []))
  for (const [minor, version] of versions.entries()) {
    const types = ClientFrame.options.map(({ shape }) => shape.type.value)
    const came = types.filter((type) => (since[type] ?? 0) === minor)
    expect(came.filter((type) => !said(version).includes(type))).toEqual([])
  }
})
