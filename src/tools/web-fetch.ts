import { lookup } from 'node:dns/promises'
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { plain } from '../lib/plain.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { shown } from './shown.ts'
import { type Bench, defineTool, failed } from './tool.ts'
import { judgeAddress } from './web/address.ts'
import { MOST_READ } from './web/body.ts'
import { fetchPage, type Page } from './web/fetch-page.ts'
import { readable } from './web/html.ts'

const args = z.strictObject({
  url: z.string().min(1).max(4096),
  maxBytes: z.int().min(1).max(MOST_READ).optional(),
})

export const webFetch = defineTool({
  args,
  help: 'web-fetch {url, maxBytes?}: a page of the web as text',
  reach: ({ url }, { id, scope }) => {
    const judged = judgeAddress(url, scope.web)
    return typeof judged === 'string'
      ? refused(refusal('address-refused', `${id} may not fetch this: ${judged}`))
      : ok({})
  },
  run: async ({ url, maxBytes = MOST_READ }, bench) => {
    const { web } = bench.spec.scope
    const judged = judgeAddress(url, web)
    if (typeof judged === 'string') return failed(judged)
    const late = AbortSignal.timeout(bench.limits.seconds * 1000)
    const signal = AbortSignal.any([bench.signal, late])
    try {
      const page = await fetchPage(judged, { web, lookup: everyAddress, signal, most: maxBytes })
      return typeof page === 'string' ? failed(page) : await outcomeOf(page, bench)
    } catch (error) {
      if (bench.signal.aborted) return failed('the fetch was cancelled')
      if (late.aborted) return failed(`${judged.href} took longer than ${bench.limits.seconds} s`)
      return failed(`cannot fetch ${judged.href}: ${reasonOf(error)}`)
    }
  },
})

const everyAddress = (host: string) => lookup(host, { all: true, verbatim: true })

/** How a page came, in a line, and then its text. What the server calls an error is a step that failed. */
const outcomeOf = async (page: Page, bench: Bench): Promise<StepOutcome> => {
  const text = plain(page.type.includes('html') ? readable(page.text, page.url) : page.text)
  const status = `${page.status} ${STATUS_CODES[page.status] ?? ''}`.trim()
  const { cut, ...rest } = await shown(`${status} ${page.url.href}\n${text}`, bench, 1)
  const cuts = [...(cut === null ? [] : [cut]), ...(page.more ? ['the page goes on beyond what was read of it'] : [])]
  const details = { ...rest, cut: cuts.length > 0 ? cuts.join('; ') : null }
  if (page.status >= 400) return { kind: 'failed', message: `${page.url.href} answered ${status}`, ...details }
  return { kind: 'ok', paths: [], ...details }
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
