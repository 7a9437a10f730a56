import { Problem } from './problem.ts'

/** That a data folder cannot be used, by whoever wanted to. */
export const unwritable = (data: string, { code }: NodeJS.ErrnoException): Problem =>
  new Problem(`cannot write to the data folder ${data}: ${code}`, 'choose another with --data DIR, or make it writable')
