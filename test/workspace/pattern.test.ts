import fc from 'fast-check'
import { expect, test } from 'vitest'
import { covererOfAny, matcher, matcherOfAny } from '../../src/workspace/pattern.ts'

/** The same by trying every way there is, which takes for ever on long ones: what the quick one is held against. */
const slowly = (pattern: string, path: string): boolean => {
  if (pattern === '') return path === ''
  if (pattern.startsWith('**/')) return afterFolders(path).some((rest) => slowly(pattern.slice(3), rest))
  const stars = /^\*+/.exec(pattern)?.[0] ?? ''
  if (stars !== '') {
    const most = stars.length > 1 ? path.length : (path.split('/')[0]?.length ?? 0)
    return Array.from({ length: most + 1 }, (_, i) => path.slice(i)).some((rest) =>
      slowly(pattern.slice(stars.length), rest),
    )
  }
  const fits = pattern[0] === '?' ? path !== '' && path[0] !== '/' : path[0] === pattern[0]
  return fits && slowly(pattern.slice(1), path.slice(1))
}

/** What is left of a path after none, one or more of its folders; a folder has a name. */
const afterFolders = (path: string): string[] => {
  const parts = path.split('/')
  return parts.flatMap((_, i) => (parts.slice(0, i).includes('') ? [] : [parts.slice(i).join('/')]))
}

const sign = fc.constantFrom('a', 'b', '.', '/', '*', '**', '**/', '?', 'ab')
const pattern = fc.array(sign, { minLength: 1, maxLength: 7 }).map((signs) => `a/${signs.join('')}`)
const path = fc
  .array(fc.stringMatching(/^[ab.]{1,4}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => `a/${parts.join('/')}`)

test('a pattern matches what it matches when every way is tried', () => {
  fc.assert(
    fc.property(pattern, path, (one, name) => {
      expect([one, name, matcher(one)?.(name)]).toEqual([one, name, slowly(one, name)])
    }),
    { numRuns: 20_000 },
  )
})

test('many patterns at once match what one of them does', () => {
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 5 }), path, (patterns, name) => {
      // Of a folder's own pattern, the folder is part.
      const each = patterns.flatMap((one) => (one.endsWith('/**') ? [one, one.slice(0, -3)] : [one]))
      expect(matcherOfAny(patterns)?.(name)).toBe(each.some((one) => matcher(one)?.(name)))
      const above = name.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
      expect(covererOfAny(patterns)?.(name)).toBe(above.some((folder) => matcherOfAny(patterns)?.(folder)))
    }),
    { numRuns: 5000 },
  )
})

test('what was worked out is forgotten before it fills the memory, and worked out again', () => {
  const test = matcherOfAny(['{a,b}*{c,d}*{e,f}*x', '**/*7', '*-*-*-*.ts'])
  const names = Array.from({ length: 20_000 }, (_, i) => `a${String.fromCodePoint(0x4e00 + i)}c-${i}`)
  expect(names.filter((name) => test?.(name))).toEqual(names.filter((name) => name.endsWith('7')))
  expect([test?.('acex'), test?.('z/a-b-c-d.ts'), test?.('acey')]).toEqual([true, true, false])
})

test('a character that takes two places in memory is one', () => {
  expect(['😀', '😀x', 'x😀', '😀😀'].filter((name) => matcher('?')?.(name))).toEqual(['😀'])
  expect(['😀', '😁', 'a'].filter((name) => matcher('[😀-😂]')?.(name))).toEqual(['😀', '😁'])
})

test('half a pattern is none, alone or among others', () => {
  for (const half of ['[a', '{a', 'a}', '{a,b}'.repeat(5)])
    expect([matcher(half), matcherOfAny(['a', half]), covererOfAny([`!${half}`])]).toEqual([null, null, null])
})
