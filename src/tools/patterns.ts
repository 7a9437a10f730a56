import { z } from 'zod'
import { PatternOutcome } from '../shapes/pattern.ts'
import { ok, type Result } from '../shapes/result.ts'
import { patternNew } from './pattern-new.ts'
import { told } from './told.ts'
import { defineTool, type Reach } from './tool.ts'

const Named = z.string().min(1).max(64)
const Words = z.string().regex(/\p{L}/u, 'expected words').max(1000)
const Looked = z
  .string()
  .regex(/[\p{L}\p{N}]/u, 'expected words')
  .max(500)
/** How many are told where nothing is said of that: of what was looked for, and of all. */
const FEW = 5
const MOST = 50

/** The folders of the patterns are the config's: the workspace is looked at, and of it only what the scope shows. */
const files = (): Result<Reach> => ok({ reads: ['.'] })
/** Writes something down: no other step of the session beside it. */
const writes = (): Result<Reach> => ok({ reads: ['.'], alone: true })

/** The tools of the library. What they know is handed in with the bench; they say it. */
export const patterns = {
  'pattern-search': defineTool({
    args: z.strictObject({ query: Looked.optional(), most: z.int().min(1).max(MOST).optional() }),
    help: 'pattern-search {query?, most?}: patterns that have the words, the best first, a line each with how they did; all of them without a query',
    reach: files,
    run: ({ query = null, most }, bench) =>
      told(bench.library.search(query, most ?? (query === null ? MOST : FEW)), bench),
  }),
  'pattern-read': defineTool({
    args: z.strictObject({ pattern: Named }),
    help: 'pattern-read {pattern}: a pattern, whole, and how it did',
    reach: files,
    run: ({ pattern }, bench) => told(bench.library.read(pattern), bench),
  }),
  'pattern-record': defineTool({
    args: z.strictObject({ pattern: Named.optional() }),
    help: 'pattern-record {pattern?}: how often a pattern was chosen and how often it worked, with the reasons that were given in this room; or of all that were ever chosen',
    reach: files,
    run: ({ pattern = null }, bench) => told(bench.library.record(pattern), bench),
  }),
  'pattern-select': defineTool({
    args: z.strictObject({
      pattern: Named,
      why: Words,
      over: z.array(z.strictObject({ pattern: Named, why: Words })).max(10),
    }),
    help: 'pattern-select {pattern, why, over: [{pattern, why}]}: goes by a pattern from here on: why, and why not by the others that were near (over may be empty)',
    reach: writes,
    run: (selecting, bench) => told(bench.library.select(selecting), bench),
  }),
  'pattern-outcome': defineTool({
    args: z.strictObject({
      pattern: Named,
      outcome: PatternOutcome,
      why: Words,
      steps: z.array(z.string().min(1).max(300)).max(20),
    }),
    help: 'pattern-outcome {pattern, outcome: worked|failed, why, steps}: what came of a pattern that this session chose, and the ids of steps since then that show it; worked needs one that ended well',
    reach: writes,
    run: (judging, bench) => told(bench.library.judge(judging), bench),
  }),
  'pattern-pivot': defineTool({
    args: z.strictObject({ from: Named, to: Named.nullable(), why: Words, instead: Words.optional() }),
    help: 'pattern-pivot {from, to, why, instead?}: leaves a pattern that failed for another; or for none (to: null), and says for everybody what is done instead',
    reach: writes,
    run: ({ instead = null, ...pivoting }, bench) => told(bench.library.pivot({ ...pivoting, instead }), bench),
  }),
  'pattern-punctuate': defineTool({
    args: z.strictObject({
      worked: Words,
      didNot: Words,
      surprises: Words,
      next: Words,
      solution: Words.max(200).optional(),
    }),
    help: 'pattern-punctuate {worked, didNot, surprises, next, solution?}: ends a stretch of work, once every pattern of it was judged; solution names for everybody what did it where no pattern says it',
    reach: writes,
    run: ({ solution = null, ...words }, bench) => told(bench.library.punctuate({ ...words, solution }), bench),
  }),
  'pattern-proposals': defineTool({
    args: z.strictObject({ pattern: Named.optional() }),
    help: 'pattern-proposals {pattern?}: what people are to decide: solutions that should become patterns, patterns that should be retired',
    reach: files,
    run: ({ pattern = null }, bench) => told(bench.library.proposals(pattern), bench),
  }),
  'pattern-new': patternNew,
  'pattern-retire': defineTool({
    args: z.strictObject({ pattern: Named, why: Words, back: z.boolean().optional() }),
    help: 'pattern-retire {pattern, why, back?}: has a pattern no longer be offered, or again (back); its file stays as it is',
    reach: writes,
    run: ({ pattern, why, back = false }, bench) => told(bench.library.retire(pattern, why, back), bench),
  }),
  'pattern-decline': defineTool({
    args: z.strictObject({ pattern: Named, why: Words }),
    help: 'pattern-decline {pattern, why}: a person does not want what is proposed; it is not proposed again for the same evidence',
    reach: writes,
    run: ({ pattern, why }, bench) => told(bench.library.decline(pattern, why), bench),
  }),
}
