import type { Runner } from './runner.ts'

/** A report in XML: the whole as `<testsuites>` counts it, or else every `<testsuite>` added up. */
export const junit: Runner = (_lines, text) => {
  const totals = tagsIn(text, '<testsuites').filter(({ attributes }) => attributes.has('tests'))
  const counted = totals.length > 0 ? totals.slice(-1) : tagsIn(text, '<testsuite ')
  if (counted.length === 0 || !counted.some(({ attributes }) => attributes.has('tests'))) return []
  const add = (...names: string[]): number =>
    counted.reduce(
      (all, { attributes }) => all + names.reduce((sum, name) => sum + numberOf(attributes.get(name)), 0),
      0,
    )
  const failed = add('failures', 'errors')
  const skipped = add('skipped', 'disabled')
  const counts = { passed: add('tests') - failed - skipped, failed, skipped }
  // It has no line of its own: what stands anywhere else counts before it.
  return [{ at: -1, runner: 'JUnit', ...counts, failures: () => failures(text) }]
}

type Tag = { from: number; to: number; attributes: Map<string, string> }

const MOST_TAGS = 100_000
const LONGEST_TAG = 4000

/** A tag ends where it is closed or the next one begins, so no part of the text is read twice. */
const tagsIn = (text: string, start: string): Tag[] => {
  const tags: Tag[] = []
  for (let from = text.indexOf(start); from !== -1 && tags.length < MOST_TAGS; from = text.indexOf(start, from + 1)) {
    EDGE.lastIndex = from + 1
    const to = EDGE.exec(text)?.index ?? text.length
    tags.push({ from, to, attributes: attributesOf(text.slice(from + start.length, Math.min(to, from + LONGEST_TAG))) })
  }
  return tags
}

const EDGE = /[<>]/g

const attributesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/\b([a-z]{1,20})="([^"]{0,1000})"/g)].map(([, name = '', value = '']) => [name, value]))

const numberOf = (text = '0'): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0)

/** The test cases with a failure or an error before the next one begins. */
function* failures(text: string): Generator<string> {
  const cases = tagsIn(text, '<testcase ')
  for (const [at, { to, attributes }] of cases.entries()) {
    if (text[to - 1] === '/') continue
    const inside = text.slice(to, Math.min(cases[at + 1]?.from ?? text.length, to + 2000))
    if (/<(?:failure|error)[\s/>]/.test(inside)) yield nameOf(attributes)
  }
}

const nameOf = (attributes: Map<string, string>): string => {
  const name = attributes.get('name') ?? ''
  const group = attributes.get('classname')
  return unescaped(group ? `${group} ${name}` : name)
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
