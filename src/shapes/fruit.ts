import { z } from 'zod'
import { FileChange } from './turn.ts'

const CheckResult = z.strictObject({ name: z.string(), ok: z.boolean(), said: z.string() })

/** none: no test was run. flaky: the same command failed and passed with nothing changed in between. */
const TestResult = z.enum(['none', 'pass', 'fail', 'flaky'])
export type TestResult = z.infer<typeof TestResult>

/** What a peripheral leaves when it stops, made from the outcomes of its steps alone. */
export const Fruit = z.strictObject({
  steps: z.int(),
  /** Files that really turned up. */
  found: z.array(z.string()),
  /** What is different from when it began: a file that was changed and changed back is not. */
  changed: z.array(FileChange).optional(),
  checks: z.array(CheckResult).optional(),
  tests: z
    .strictObject({
      result: TestResult,
      runs: z.int(),
      passed: z.int(),
      failed: z.int(),
      skipped: z.int(),
      failures: z.array(z.string()),
      /** What the workspace was when they passed; null where they did not. */
      tree: z.string().nullable(),
    })
    .optional(),
  deploy: z
    .strictObject({ commits: z.array(z.string()), pushed: z.array(z.string()), ran: z.array(z.string()) })
    .optional(),
  /** The entry with the review of the session. */
  review: z.string().nullable().optional(),
  /** What was played in a text world: the moves, the games that one of them won, the last score, and how many of the last changed nothing. */
  world: z.strictObject({ moves: z.int(), won: z.array(z.string()), score: z.number(), idle: z.int() }).optional(),
  /** How many cycles of an undertaking were completed. */
  cycles: z.int().positive().optional(),
  /** Whether the last step did not succeed. */
  blocked: z.boolean().optional(),
})
export type Fruit = z.infer<typeof Fruit>
