import type { IntentOf } from '../language/intent.ts'
import { told } from './answer.ts'
import { outputOf, worded } from './report.ts'
import { type Plan, step } from './steps.ts'

/** Exactly the call that a person made by hand. Whether it may be made is for the gate to say. */
export function* use({ call }: IntentOf<'use'>): Plan<string> {
  if (call === null) return 'the arguments of a tool are a JSON object: use read {"path": "README.md"}.'
  return worded(yield* step({ tool: call.tool, args: call.args }), call.tool)
}

/** A page of the web, its beginning. */
export function* fetchPage({ url }: IntentOf<'fetch'>): Plan<string> {
  const report = yield* step({ tool: 'web-fetch', args: { url } })
  if (report.kind !== 'ok') return told(report)
  return [`${url} says:`, ...outputOf(report)].join('\n')
}
