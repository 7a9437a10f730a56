import type { Desk } from '../../src/tools/desk.ts'

const nowhere = () => Promise.reject(new Error('no test asked for an undertaking'))

/** A desk that nobody is to ask. */
export const DESK: Desk = {
  load: nowhere,
  get: nowhere,
  cycles: nowhere,
  begin: nowhere,
  advance: nowhere,
  back: nowhere,
  end: nowhere,
  query: nowhere,
  upsert: nowhere,
  impact: nowhere,
  failedApproach: nowhere,
  classify: nowhere,
  gates: nowhere,
  statement: nowhere,
  mode: nowhere,
  licence: nowhere,
  document: nowhere,
  saved: nowhere,
  loadMission: nowhere,
  audit: nowhere,
  wiring: nowhere,
  rewritten: nowhere,
}
