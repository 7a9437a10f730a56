import { expect, test } from 'vitest'
import { startWorker } from '../../src/house/worker.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { startProgramHouse } from '../support/programs.ts'

const TURNS = 8

test(
  'whichever of two workers takes a turn, its program knows all that was said before: nobody goes on with half of it',
  async () => {
    await using it = await startProgramHouse()
    const second = await startWorker(it.house.settings)
    try {
      for (const name of ['claude', 'codex'] as const) {
        const model = it.models[name]
        model.play(() => ({ do: 'say', text: 'noted' }))
        for (let i = 0; i < TURNS; i++) {
          model.asked.length = 0
          const { outcome, answer } = await it.ask(`@${name} keep the number ${name}-${i}-`)
          expect([outcome, answer]).toEqual(['done', 'noted'])
          const texts = model.asked.at(-1)?.texts.join('\n') ?? ''
          const known = Array.from({ length: i + 1 }, (_, n) => n).filter((n) => texts.includes(`${name}-${n}-`))
          expect(known).toEqual(Array.from({ length: i + 1 }, (_, n) => n))
        }
      }
    } finally {
      await second.stop()
    }
  },
  INSTALL_MS,
)
