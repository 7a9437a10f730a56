import { expect, test } from 'vitest'
import { filesNamed } from '../../src/missions/files-named.ts'

test.each([
  ['see `src/a.ts` and `./src/b.test.ts`', ['src/a.ts', 'src/b.test.ts']],
  ['in ticks only what can be nothing else: `a.ts` `src/` `process.env` `a / b.ts` `npm run x`', []],
  [
    'links go from the file on: [a](a.md) [b](../src/b.ts#L1) [c](./c.md?x)',
    ['missions/a.md', 'src/b.ts', 'missions/c.md'],
  ],
  ['the web is no file: [a](https://x.org/a.md) [b](#part) [c](/etc/passwd) [d](mailto:a@b.c)', []],
  ['nothing leads out: `../x/y.ts` [a](../../x.md) [b](../../y/z.ts)', []],
  ['twice is once: `src/a.ts` `src/a.ts`', ['src/a.ts']],
])('%s', (line, named) => {
  expect(filesNamed(line, 'missions/M-a.md')).toEqual(named)
})

test('a line as long as a file may be takes no longer for it', () => {
  for (const piece of ['`', '](', '`a/', '`a.', '[a](b', 'a/a.', '`a/a'])
    expect(filesNamed(piece.repeat(262_144 / piece.length), 'M-a.md')).toEqual([])
})
