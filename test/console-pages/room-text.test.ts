import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPages, PATIENT } from './page.ts'

// Markdown, diffs and mentions, as the room's own modules make elements of them.
let pages: Awaited<ReturnType<typeof openPages>>
let page: Page
beforeAll(async () => {
  pages = await openPages({ worker: false })
  page = await pages.open('/?room=lobby')
  await page.locator('#composer[data-link=online]').waitFor()
})
afterAll(async () => {
  expect(pages.failed).toEqual([])
  await pages[Symbol.asyncDispose]()
})

/** What prose makes of a text, as markup: elements, their addresses, and their texts. */
const made = (text: string): Promise<string> =>
  page.evaluate(`import('/prose.js').then(({ prose }) => {
    const holder = document.createElement('div')
    holder.append(...prose(${JSON.stringify(text)}))
    for (const button of holder.querySelectorAll('button')) button.remove()
    return holder.innerHTML
  })`)

const CODE = (language: string, text: string) =>
  `<div class="code"><div class="code-head"><span class="language">${language}</span></div><pre>${text}</pre></div>`
const LINK = 'target="_blank" rel="noopener noreferrer"'

test.each([
  ['raw HTML', '<img src=x onerror=alert(1)>', '<p class="text">&lt;img src=x onerror=alert(1)&gt;</p>'],
  ['HTML in a line', 'a <b>b</b>', '<p class="text">a &lt;b&gt;b&lt;/b&gt;</p>'],
  ['an entity', 'a &lt; b &amp;amp; c', '<p class="text">a &lt; b &amp;amp; c</p>'],
  ['an entity in code', '`a &lt; b`', '<p class="text"><code>a &amp;lt; b</code></p>'],
  ['a script as an address', '[x](javascript:alert(1))', '<p class="text"><span>x (javascript:alert(1))</span></p>'],
  [
    'data as an address',
    '![x](data:text/html,<script>1</script>)',
    '<p class="text"><span>x (data:text/html,&lt;script&gt;1&lt;/script&gt;)</span></p>',
  ],
  [
    'an address',
    '<https://a.example/b>',
    `<p class="text"><a href="https://a.example/b" ${LINK}>https://a.example/b</a></p>`,
  ],
  [
    'a text that names another host',
    '[https://good.example/?evil.example](https://evil.example/)',
    `<p class="text"><span><a href="https://evil.example/" ${LINK}>https://good.example/?evil.example</a> (evil.example)</span></p>`,
  ],
  [
    'a name before the host',
    '[https://good.example@evil.example](https://good.example@evil.example)',
    `<p class="text"><span><a href="https://good.example@evil.example/" ${LINK}>https://good.example@evil.example</a> (evil.example)</span></p>`,
  ],
  ['an account', 'a@b.example', '<p class="text"><span>a@b.example</span></p>'],
  [
    'a table',
    '| a | b |\n|---|---|\n| 1 | <i> |',
    '<div class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>&lt;i&gt;</td></tr></tbody></table></div>',
  ],
  [
    'things to do',
    '- [x] done\n- [ ] *not*',
    '<ul class="listed"><li class="task">☑ done</li><li class="task">☐ <em>not</em></li></ul>',
  ],
  ['a list that begins later', '3. c\n4. d', '<ol class="listed" start="3"><li>c</li><li>d</li></ol>'],
  [
    'an entry of a list that goes on in the next row',
    '1. **Foo**\n   which does this\n2. Bar\n\nSo:\n\n  code',
    '<ol class="listed"><li><strong>Foo</strong>\nwhich does this</li><li>Bar</li></ol><p class="text">So:</p><pre>code</pre>',
  ],
  [
    'a list within code',
    'So:\n  a:\n   - two\n  - three\n- four',
    '<p class="text">So:</p><pre>a:\n - two\n- three</pre><ul class="listed"><li>four</li></ul>',
  ],
  ['fenced code', '```ts\nlet a = "&lt;"\n```', CODE('ts', 'let a = "&amp;lt;"')],
  ['a fence that is not closed yet', 'So:\n~~~\n**a**', `<p class="text">So:</p>${CODE('', '**a**')}`],
  ['a fence within a longer one', '````md\n```js\n1\n```\n````', CODE('md', '```js\n1\n```')],
])('%s', async (_what, text, expected) => {
  expect(await made(text)).toBe(expected)
})

test.each([
  ['quotes', `${'>'.repeat(1000)} deep`],
  ['lists', Array.from({ length: 1000 }, (_, n) => `${'  '.repeat(n)}- deep`).join('\n')],
  ['marks', `${'- '.repeat(1000)}deep`],
])('%s nested a thousand deep are text', async (_what, text) => {
  const html = await made(text)
  expect(html.replaceAll('&gt;', '>')).toBe(`<p class="text">${text}</p>`)
})

test('what would take a reader of Markdown forever is shown, and whole', async () => {
  const hard = ['*', '*a ', '_a ', '[', '[a](', '![', '<a ', 'a.', '***a', '`a ', '~~a ', '> ', '- ', '1. ', '|a', 'a@']
  const lengths = await page.evaluate(`import('/prose.js').then(({ prose }) =>
    ${JSON.stringify(hard)}.flatMap((unit) => ['', '\\n'].map((end) => {
      const row = unit.repeat(Math.floor((end ? 1000 : 59000) / unit.length))
      const text = end ? Array(59).fill(row).join(end) : row + '@'
      return prose(text).length > 0
    })))`)
  expect(lengths).toEqual(hard.flatMap(() => [true, true]))
})

test('emphasis within emphasis, deeper than anybody means, is text, and what is around it is not', async () => {
  const deep = `${'*a **b '.repeat(270)}c${'** b* '.repeat(270)}`.trimEnd()
  const many = Array(15).fill(deep).join('\n\n')
  const shown = Array(15).fill(`<p class="text">${deep}</p>`).join('')
  expect(await made(`*one*\n\n${many}\n\n- *two*`)).toBe(
    `<p class="text"><em>one</em></p>${shown}<ul class="listed"><li><em>two</em></li></ul>`,
  )
})

test('a text of very many indented rows is shown', async () => {
  const rows = 'x\n'.repeat(200_000)
  expect((await made(`  ${rows.replaceAll('\n', '\n  ')}`)).length).toBe(rows.length - 1 + '<pre></pre>'.length)
})

test('a post that cannot be shown as what it is, is told as it is', async () => {
  const shown = await page.evaluate(`import('/transcript.js').then(({ createTranscript }) => {
    const transcript = document.createElement('div')
    const heard = []
    const { show } = createTranscript({
      transcript,
      exchanges: { workOf: () => { throw new Error('no') } },
      onShown: ({ position }) => heard.push(position),
    })
    show({ kind: 'answer', position: 1, turn: 't', text: 'it is <b>here</b>' })
    return [transcript.innerHTML, heard]
  })`)
  expect(shown).toEqual(['<p class="notice" data-position="1">it is &lt;b&gt;here&lt;/b&gt;</p>', [1]])
  await expect.poll(() => pages.failed.splice(0), PATIENT).toEqual(['no'])
})

test('what grows is done up to its last paragraph that stands for itself', async () => {
  const done = (text: string) =>
    page.evaluate(`import('/prose.js').then(({ doneUpTo }) => doneUpTo(${JSON.stringify(text)}))`)
  expect(await done('one\n\ntwo')).toBe(5)
  expect(await done('one\n\n- a\n\n- b')).toBe(0)
  expect(await done('one\n\n```\na\n\nb')).toBe(5)
  expect(await done('one\n\n```\na\n```\n\ntwo\n\n  indented')).toBe(16)
})

const DIFF = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-<b>old\n+<i>new\n'

test('a diff stands side by side while there is room for it, and is one text where there is not', async () => {
  await page.evaluate(`import('/side-by-side.js').then(({ showText }) => {
    document.getElementById('transcript').append(showText(${JSON.stringify(DIFF)}))
  })`)
  const rows = () =>
    page.evaluate(`[...document.querySelectorAll('#transcript .sides-diff tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.textContent))`)
  const sides = [
    ['--- a/x'],
    ['+++ b/x'],
    ['@@ -1,2 +1,2 @@'],
    ['1', 'same', '1', 'same'],
    ['2', '<b>old', '2', '<i>new'],
  ]
  expect(await rows()).toEqual(sides)
  await page.setViewportSize({ width: 800, height: 720 })
  await expect.poll(() => page.locator('#transcript pre.diff').allTextContents(), PATIENT).toEqual([DIFF])
  expect(await rows()).toEqual([])
  await page.setViewportSize({ width: 1280, height: 720 })
  await expect.poll(rows, PATIENT).toEqual(sides)
})

test('of a diff side by side nothing is left out, and only names of files are told apart from words around it', async () => {
  const text = `Look:\n\\alpha\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\nDone.\n\\omega`
  const rows = await page.evaluate(`import('/side-by-side.js').then(({ showText }) =>
    [...showText(${JSON.stringify(text)}).querySelectorAll('tbody tr')].map((row) =>
      [...row.cells].map(({ className, textContent }) => className + ':' + textContent)))`)
  expect(rows).toEqual([
    [':Look:'],
    [':\\alpha'],
    ['file:--- a/x'],
    ['file:+++ b/x'],
    ['hunk:@@ -1 +1 @@'],
    ['number:1', 'removed:old', 'number:1', 'added:new'],
    [':\\ No newline at end of file'],
    [':Done.'],
    [':\\omega'],
  ])
})

test('a diff in an answer has no borders of a table in it', async () => {
  const borders = await page.evaluate(`import('/prose.js').then(({ prose }) => {
    const answer = document.createElement('div')
    answer.className = 'answer'
    answer.append(...prose('| a |\\n|---|\\n| 1 |\\n\\n' + ${JSON.stringify(`\`\`\`diff
${DIFF}\`\`\``)}))
    document.getElementById('transcript').replaceChildren(answer)
    return ['.table td', '.sides-diff td'].map((cell) => getComputedStyle(answer.querySelector(cell)).borderTopWidth)
  })`)
  expect(borders).toEqual(['1px', '0px'])
})

test('code is copied as it is, also where the browser has no clipboard for the page', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copyOf = async (code: string): Promise<string> => {
    await page.evaluate(`import('/copying.js').then(({ codeBlock }) => {
      document.getElementById('transcript').replaceChildren(codeBlock(${JSON.stringify(code)}, 'sh'))
    })`)
    await page.getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => page.locator('.code-head button').textContent(), PATIENT).toBe('Copied')
    return page.evaluate('navigator.clipboard.readText()')
  }
  expect(await copyOf('echo "<a>" &&\n  true')).toBe('echo "<a>" &&\n  true')
  await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('no'))`)
  expect(await copyOf('ls\n')).toBe('ls\n')
})
