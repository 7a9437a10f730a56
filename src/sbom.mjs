// @ts-check
// What `npm sbom` says on standard input, without what is only there for working on Bellhop. Its own --omit=dev leaves out
// some of what runs as well. Plain JavaScript, as it is used before anything is built.

import { readFileSync } from 'node:fs'

/**
 * @typedef {{ 'bom-ref': string, properties?: { name: string }[] }} Component
 * @typedef {{ ref: string, dependsOn?: string[] }} Dependency
 * @typedef {{ metadata: { component: { name: string } }, components: Component[], dependencies: Dependency[] }} Bom
 */

const bom = /** @type {Bom} */ (JSON.parse(readFileSync(0, 'utf8')))
const components = bom.components.filter(
  ({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
)
const kept = new Set(components.map((component) => component['bom-ref']))
const { component } = bom.metadata
const dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref) || ref === Reflect.get(component, 'bom-ref'))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
// npm names it after the folder that it lies in.
const metadata = { ...bom.metadata, component: { ...component, name: 'bellhop' } }
process.stdout.write(`${JSON.stringify({ ...bom, metadata, components, dependencies }, null, 1)}\n`)
