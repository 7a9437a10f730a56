import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WorldKind, WorldVerb } from '../../src/shapes/world.ts'
import { begin } from '../../src/world/game.ts'
import { playAll } from './planner.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/world.md'), 'utf8')

test('the game that docs/world.md shows can be played just so', () => {
  const lines = text.split('\n').flatMap((line) => /^ {4}(.+)$/.exec(line)?.slice(1) ?? [])
  const told = lines.flatMap((line, i) => {
    const [, player, action] = /^> (\S+): (.+)$/.exec(line) ?? []
    return player && action ? [{ player, action, observation: lines[i + 1] }] : []
  })
  const { moves, world } = playAll(
    begin('clean-then-place', 11),
    told.map(({ player, action }) => [player, action] as const),
  )
  expect([told.length, world.won]).toEqual([9, true])
  expect(moves.map(({ player, action, saw: { observation } }) => ({ player, action, observation }))).toEqual(told)
})

test('docs/world.md has every kind and every verb', () => {
  const names = [...WorldKind.options, ...WorldVerb.options]
  expect(names.filter((name) => !new RegExp(`\`${name}[ \`]`).test(text))).toEqual([])
})
