import { z } from 'zod'
import { EvidenceQuery } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { shown } from './shown.ts'
import { defineTool, failed } from './tool.ts'

const MOST = 50

/** What an agent may ask by; whose evidence it is, the scope of the peripheral says. */
const args = EvidenceQuery.pick({
  text: true,
  event: true,
  type: true,
  claim: true,
  author: true,
  agent: true,
  peripheral: true,
  tool: true,
  outcome: true,
  path: true,
  since: true,
  before: true,
  cursor: true,
}).extend({ order: z.enum(['newest', 'oldest']).optional(), limit: z.int().min(1).max(MOST).optional() })

export const evidence = defineTool({
  args,
  help: `evidence {${Object.keys(args.shape)
    .map((filter) => `${filter}?`)
    .join(', ')}}: what happened, as the evidence has it; every filter must hold`,
  reach: (_args, { id, scope }) =>
    scope.evidence === 'none' ? refused(refusal('out-of-scope', `${id} may ask for no evidence`)) : ok({}),
  run: async (filters, bench) => {
    const found = await bench.ask(filters)
    if (!found.ok) return failed(found.refusal.message)
    return { kind: 'ok', paths: [], ...(await shown(found.value.text || '[there is none]', bench, 1)) }
  },
})
