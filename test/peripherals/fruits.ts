import type { Fruit } from '../../src/shapes/fruit.ts'

const CHANGE = { path: 'a.ts', before: null, after: null, added: 1, removed: 0 }
const TESTS = { runs: 1, passed: 1, failed: 0, skipped: 0, failures: [], tree: null }
const DEPLOY = { commits: [], pushed: [], ran: [] }
const PLAYED = { moves: 6, won: [], score: 0, idle: 0 }

/** Each part of a fruit in all the ways that could matter to a hop. */
const parts = {
  found: [[], ['a.ts']],
  changed: [undefined, [], [CHANGE]],
  checks: [
    undefined,
    [{ name: 'lint', ok: true, said: 'passed' }],
    [
      { name: 'lint', ok: true, said: 'passed' },
      { name: 'types', ok: false, said: 'exit 2' },
    ],
  ],
  tests: [
    undefined,
    { ...TESTS, result: 'none', runs: 0, passed: 0 },
    { ...TESTS, result: 'pass', tree: 't' },
    { ...TESTS, result: 'fail', failed: 1 },
    { ...TESTS, result: 'flaky', runs: 2 },
  ],
  deploy: [
    undefined,
    { ...DEPLOY, commits: ['c1'] },
    { ...DEPLOY, pushed: ['refs/heads/main'] },
    { ...DEPLOY, ran: ['./deploy staging'] },
  ],
  review: [undefined, null, 't1.3.review'],
  world: [undefined, { ...PLAYED, idle: 4 }, { ...PLAYED, idle: 5 }, { ...PLAYED, won: ['lobby-1'], score: 1 }],
  cycles: [undefined, 2],
  blocked: [undefined, false, true],
} satisfies { [K in keyof Omit<Fruit, 'steps'>]-?: Fruit[K][] }

/** Every fruit there can be, as far as a hop looks at it: all the parts in all their ways. */
export const fruits = (): Fruit[] => {
  const all = Object.entries(parts).reduce<Record<string, unknown>[]>(
    (some, [name, ways]) =>
      some.flatMap((fruit) => ways.map((way) => (way === undefined ? fruit : { ...fruit, [name]: way }))),
    [{ steps: 3 }],
  )
  return all as Fruit[]
}
