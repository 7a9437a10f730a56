import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { definitionOf, definitionWith, escaped } from '../../../src/agents/rehearsal/plans/definition.ts'

// a busy machine may take its time

/** The lines that ripgrep finds with a pattern. */
const found = async (pattern: string, lines: readonly string[]): Promise<string[]> => {
  const { stdout } = await execa('rg', ['-e', pattern, '-'], { input: lines.join('\n'), reject: false })
  return stdout === '' ? [] : stdout.split('\n')
}

describe('a definition of run', () => {
  const lines = [
    'function run() {}',
    'export default async function* run(a) {',
    'export const run = () => 1',
    '  let mut run = 3;',
    'export abstract class run<T> extends Base {',
    'export type run = string',
    'declare interface run {',
    'def run(self):',
    '    async def run(self):',
    '  def self.run',
    'pub(crate) async fn run<T>(x: T) -> T {',
    'fn run() -> Result<()> {',
    'impl fmt::Display for run {',
    'macro_rules! run {',
    'func (s *Store) run(ctx context.Context) error {',
    'func run[T any](x T) {',
    'type run struct {',
    'fun String.run(): Int = 1',
    '(defn run [x]',
    '(defn- run [x]',
    '  defp run(x) do',
    'sub run {',
    'proc run {args} {',
    '#define run 1',
    'CREATE TABLE run (',
    'module run',
    '  run(path: string) {',
    '  async run(): Promise<void> {',
    'public static void run(String[] args) throws IOException {',
    '    public async Task<int> run(string path)',
    'int run(char *s) {',
    'static const int run = 3;',
    'run = 3',
    'run: 3',
    '  "run": "vitest",',
    '  run?: string',
    'run := 3',
    'run <- function(x) x',
    'run :: Int -> Int',
    'this.run = run',
    '- run: npm test',
    '## How to run it',
    'run() {',
  ]
  test('is found in every one of these lines', async () => {
    expect(await found(definitionOf('run'), lines)).toEqual(lines)
  })

  test('is not found in these', async () => {
    const others = [
      'function rerun() {}',
      'const runner = 1',
      "import { run } from './run.ts'",
      '  if (x == run) {',
      'x = run',
      '// run it',
      'foo(run, 1)',
      'run == 3',
      'run::go()',
      'runs: 3',
    ]
    expect(await found(definitionOf('run'), others)).toEqual([])
  })
})

describe('a name', () => {
  test('of several words is found in whatever way they are joined', async () => {
    const lines = ['## Retry logic', 'const retryLogic = 1', 'def retry_logic():', 'retry-logic: true']
    expect(await found(`(?i)${definitionOf('retry logic')}`, lines)).toEqual(lines)
  })

  test('of a method is found by its last part', async () => {
    expect(await found(definitionOf('Store::open'), ['fn open() {', 'fn Store() {'])).toEqual(['fn open() {'])
  })

  test('that is part of a longer one is found with it', async () => {
    expect(await found(definitionWith(['Retry']), ['function withRetryLater() {', 'retry()'])).toEqual([
      'function withRetryLater() {',
    ])
  })

  test.each([
    '$el',
    'a+b',
    'a|b',
    'empty?',
    'save!',
    '[x]',
    'C++',
    '(',
    '\\d',
    'Größe',
    '変数',
    '^',
    '{2}',
    'a&&b',
    '~x',
  ])('%s is taken literally', async (name) => {
    expect(await found(definitionOf(name), [`const ${name} = 1`, 'const other = 1'])).toEqual([`const ${name} = 1`])
  })

  test('never changes the regex it stands in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.string(), (name, other) => {
        const regex = new RegExp(`^(?:${escaped(name)})$`)
        expect(regex.test(name)).toBe(true)
        expect(regex.test(other)).toBe(name === other)
      }),
    )
  })
})
