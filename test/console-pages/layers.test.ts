import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ROOT } from '../architecture/sources.ts'

type Edge = { from: string; to: string }
type Place = { id: string | null; row: number; x: number; wide: number }
type Laid = { rows: Place[][]; places: Map<string, Place>; through: Map<Edge, Place[]>; back: Set<Edge> }

type LayersOf = (ids: string[], edges: Edge[], sizes: { width: number; narrow: number; gap: number }) => Laid

/** A file of the page as browsers have it. */
const { layersOf }: { layersOf: LayersOf } = await import(join(ROOT, 'adapters/web/public/console/layers.js'))

const SIZES = { width: 100, narrow: 10, gap: 20 }
const lay = (ids: string[], edges: Edge[]): Laid => layersOf(ids, edges, SIZES)
const edge = (way: string): Edge => ({ from: way[0] ?? '', to: way[1] ?? '' })

test('each is below what leads to it, and a long edge has a place in every layer that it passes', () => {
  const edges = ['ab', 'bc', 'ac', 'cd'].map(edge)
  const { rows, through, back } = lay(['a', 'b', 'c', 'd'], edges)
  expect(rows.map((row) => row.map(({ id }) => id).sort())).toEqual([['a'], ['b', null], ['c'], ['d']])
  expect([edges.map((one) => through.get(one)?.length), back.size]).toEqual([[0, 0, 1, 0], 0])
})

test('a circle is taken apart where it leads back to where one comes from', () => {
  const edges = ['ab', 'bc', 'ca'].map(edge)
  const { rows, back } = lay(['a', 'b', 'c'], edges)
  expect([rows.map((row) => row.map(({ id }) => id)), [...back]]).toEqual([
    [['a'], ['b'], ['c']],
    [{ from: 'c', to: 'a' }],
  ])
})

const NAMES = 'abcdefgh'.split('')
const graphs = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)), {
  maxLength: 24,
  selector: (pair) => pair.join(''),
})

test('whatever a graph is, everything has a place, edges go down unless they lead back, and no two are on each other', () => {
  fc.assert(
    fc.property(graphs, (pairs) => {
      const edges = pairs.filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }))
      const { rows, places, back } = lay(NAMES, edges)
      expect([...places.keys()].sort()).toEqual(NAMES)
      for (const one of edges) {
        const down = (places.get(one.to)?.row ?? 0) - (places.get(one.from)?.row ?? 0)
        expect(down > 0).toBe(!back.has(one))
      }
      for (const row of rows) {
        const sides = row.map(({ x, wide }) => [x - wide / 2, x + wide / 2] as const)
        for (const [i, [left]] of sides.entries())
          expect(left + 0.001 >= (sides[i - 1]?.[1] ?? Number.NEGATIVE_INFINITY)).toBe(true)
      }
    }),
  )
})

test('a way of ten thousand nodes is laid out, too', () => {
  const ids = Array.from({ length: 10_000 }, (_none, i) => `n${i}`)
  const edges = ids.slice(1).map((to, i) => ({ from: `n${i}`, to }))
  expect(lay(ids, edges).rows.length).toBe(10_000)
})
