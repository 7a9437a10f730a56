import { html } from 'hono/html'
import type { Endpoint, OpenApi, Parameter } from '../schema/endpoint.ts'
import { typeOf } from '../schema/typescript.ts'
import type { JsonSchema } from '../shapes/json-schema.ts'

type Html = ReturnType<typeof html>
type Row = { method: 'get' | 'post'; path: string; endpoint: Endpoint }

/** The HTTP API for people to read: one page, without a script. */
export const apiPage = ({ info, tags, paths, components }: OpenApi): Html => {
  const rows = Object.entries(paths).flatMap(([path, at]) =>
    (['get', 'post'] as const).flatMap((method): Row[] => {
      const endpoint = at[method]
      return endpoint ? [{ method, path, endpoint }] : []
    }),
  )
  const inTag = (name: string) => rows.filter(({ endpoint }) => endpoint.tags.includes(name))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>The HTTP API of Bellhop</title>
<link rel="icon" type="image/svg+xml" href="/icon.svg" />
<link rel="stylesheet" href="/room.css" />
<link rel="stylesheet" href="/api.css" />
</head>
<body class="api">
<main>
<h1>The HTTP API of Bellhop ${info.version}</h1>
<p>Every request brings a token: <code>Authorization: Bearer TOKEN</code>. A refusal is answered as
<code>application/problem+json</code>, with its code and what to do about it. What the table of operations says is all
there is; <a href="/api/openapi.json">openapi.json</a> is the same for programs.</p>
<nav aria-label="Addresses">
${tags.map(({ name }) => html`<p><b>${name}</b> ${inTag(name).map(linkOf)}</p>`)}
</nav>
${tags.map(({ name, description }) => sectionOf(name, description, inTag(name)))}
<section>
<h2 id="shapes">Shapes</h2>
${Object.entries(components.schemas).map(([name, schema]) => shapeOf(name, schema))}
</section>
</main>
</body>
</html>`
}

const linkOf = ({ endpoint, path }: Row): Html => html`<a href="#${endpoint.operationId}">${path}</a> `

const sectionOf = (name: string, description: string, rows: Row[]): Html => html`<section>
<h2 id="${`group-${name}`}">${name}</h2>
<p>${description}</p>
${rows.map(endpointOf)}
</section>`

const endpointOf = (row: Row): Html => {
  const { method, path, endpoint } = row
  const { operationId, summary, description, parameters = [], requestBody, responses } = endpoint
  const body = requestBody?.content['application/json']?.schema
  return html`<article id="${operationId}">
<h3><b>${method.toUpperCase()}</b> <code>${path}</code></h3>
<p>${summary}</p>
${description === undefined ? '' : html`<p class="dim">${withCode(description)}</p>`}
${parameters.length === 0 ? '' : tableOf(parameters)}
${body === undefined ? '' : html`<p>The body is ${typeLink(body)}.</p>`}
<pre><code>${curlOf(row)}</code></pre>
${Object.entries(responses).map(([status, answer]) =>
  Object.entries(answer.content).map(
    ([type, { schema }]) =>
      html`<p><b>${status}</b> <code>${type}</code> ${typeLink(schema)}: ${answer.description}</p>`,
  ),
)}
</article>`
}

const tableOf = (parameters: Parameter[]): Html => html`<table>
<thead><tr><th>parameter</th><th>what it takes</th><th>about</th></tr></thead>
<tbody>
${parameters.map(
  ({ name, required, schema, description = '' }) => html`<tr>
<td><code>${name}</code>${required ? ' (needed)' : ''}</td>
<td><code>${typeOf(schema)}</code>${schema.default === undefined ? '' : `, otherwise ${JSON.stringify(schema.default)}`}</td>
<td>${description}</td>
</tr>`,
)}
</tbody>
</table>`

const typeLink = (schema: JsonSchema): Html => {
  const name = typeOf(schema)
  return schema.$ref === undefined
    ? html`<code>${name}</code>`
    : html`<a href="#${`shape-${name}`}"><code>${name}</code></a>`
}

const shapeOf = (name: string, schema: JsonSchema): Html => html`<article id="${`shape-${name}`}">
<h3>${name}</h3>
<pre><code>${typeOf(schema)}</code></pre>
</article>`

/** A text in which every other part, between backticks, is code. */
const withCode = (text: string): (string | Html)[] =>
  text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))

const QUOTE = "'"

/** How it is called from a shell. */
const curlOf = ({ method, path, endpoint }: Row): string => {
  const { parameters = [], requestBody, security } = endpoint
  const pairs = parameters.flatMap(({ name, example, in: where }) =>
    where === 'query' && example !== undefined ? [[name, String(example)] as [string, string]] : [],
  )
  const query = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  const token = security ? [] : ['-H "Authorization: Bearer $TOKEN"']
  const example = JSON.stringify(requestBody?.content['application/json']?.example ?? {})
  // A quotation mark ends the quotation for a moment.
  const data = method === 'post' ? [`-d ${QUOTE}${example.replaceAll(QUOTE, `'\\''`)}${QUOTE}`] : []
  const events = endpoint.responses['200']?.content['text/event-stream'] ? ['-N'] : []
  return ['curl', ...events, ...token, ...data, `"$BELLHOP${path}${query}"`].join(' ')
}
