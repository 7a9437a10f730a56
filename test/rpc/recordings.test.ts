import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OWNER, startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { connectRpc, type Said } from './client.ts'
import { SCENES } from './scenes.ts'
import { createNames, isTimely, type Line, opaque } from './transcript.ts'

const FOLDER = join(import.meta.dirname, 'recordings')

const linesOf = (version: string, file: string): Line[] =>
  readFileSync(join(FOLDER, version, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const methodsIn = (lines: readonly Line[]): string[] =>
  lines.flatMap((line) => ('server' in line ? ((line.server as Said).method ?? []) : []))

/** Says again what a client of that time said, and holds what it is told against what it was told then. */
const replay = async (role: 'admin' | 'operator', lines: readonly Line[], known: ReadonlySet<string>) => {
  await using house = await startTestHouse()
  using client = await connectRpc(house.url, house.tokens[role])
  const names = createNames({ [OWNER]: '<person>', [house.settings.version]: '<version>' })
  let read = 0
  const next = async (): Promise<object> => {
    for (;;) {
      const message = await eventually('the next message', () => client.heard[read])
      read++
      // A client of that time does not know what was added since, and passes it over.
      if (isTimely(message) && (message.method === undefined || known.has(message.method))) return names.hide(message)
    }
  }
  for (const line of lines) {
    if ('client' in line) client.tell(names.show(line.client))
    // Fields may be added; what was there is there, and is what it was.
    else expect(opaque(await next())).toMatchObject(opaque(line.server))
  }
}

describe.each(readdirSync(FOLDER))('a client of version %s', (version) => {
  const files = readdirSync(join(FOLDER, version))
  const known = new Set(files.flatMap((file) => methodsIn(linesOf(version, file))))

  test.each(files)('is told the same in %s', async (file) => {
    const role = SCENES.find(({ name }) => file === `${name}.jsonl`)?.role ?? 'operator'
    await replay(role, linesOf(version, file), known)
  })
})

test('every scene was recorded', () => {
  expect(readdirSync(join(FOLDER, '1')).sort()).toEqual(SCENES.map(({ name }) => `${name}.jsonl`).sort())
})
