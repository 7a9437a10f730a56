import type { Control } from '../../src/tools/control.ts'

const nowhere = () => Promise.reject(new Error('no test asked mission control for this'))

/** A mission control that nobody is to ask. */
export const CONTROL: Control = {
  folders: ['missions'],
  inventory: nowhere,
  coverage: nowhere,
  review: nowhere,
  diff: nowhere,
  next: nowhere,
  sessions: nowhere,
  focus: nowhere,
  watch: nowhere,
  todo: nowhere,
  closed: async () => null,
  bulletinText: nowhere,
}
