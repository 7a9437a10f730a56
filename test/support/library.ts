import type { Library } from '../../src/tools/library.ts'

const nowhere = () => Promise.reject(new Error('no test asked the library for this'))

/** A library that nobody is to ask. */
export const LIBRARY: Library = {
  folder: 'patterns',
  search: nowhere,
  read: nowhere,
  record: nowhere,
  select: nowhere,
  judge: nowhere,
  pivot: nowhere,
  punctuate: nowhere,
  proposals: nowhere,
  decline: nowhere,
  retire: nowhere,
  compose: nowhere,
  added: () => {},
  closed: async () => null,
}
