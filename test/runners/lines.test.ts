import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLines } from '../../src/runners/lines.ts'

/** A text as it comes in pieces of these sizes. */
const inPieces = (text: string, sizes: readonly number[]): Buffer[] => {
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

test('whatever the pieces are, the lines are the same', () => {
  const words = fc.array(fc.string({ unit: 'grapheme' }).map((word) => word.replace(/[\r\n]/g, '')))
  fc.assert(
    fc.property(words, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (lines, sizes) => {
      const heard: string[] = []
      const hear = createLines((line) => heard.push(line))
      for (const piece of inPieces(lines.map((line) => `${line}\n`).join(''), sizes)) expect(hear(piece)).toBe(true)
      expect(heard).toEqual(lines)
    }),
  )
})

test('a line that never ends is not waited for, and nothing more is heard', () => {
  const heard: string[] = []
  const hear = createLines((line) => heard.push(line), 10)
  expect(['one\r\n', '12345', '67890', 'x', '\nmore\n'].map((piece) => hear(Buffer.from(piece)))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  expect(heard).toEqual(['one'])
})
