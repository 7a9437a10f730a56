import fc from 'fast-check'
import { LONG } from '../drills/chance.ts'

/** Properties are tried on the same values in every run, and on others with `--long`, or where `BELLHOP_SEED` names them. */
const seed = process.env['BELLHOP_SEED'] ?? (LONG ? undefined : '11')
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })
