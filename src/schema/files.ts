import { declarations } from './declarations.ts'
import { openApi } from './openapi.ts'
import { protocols, schemaFor } from './protocols.ts'

const text = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`

/** What is generated as JSON, by the name of its file. */
export const jsonFiles = (version: string): Record<string, string> => ({
  ...Object.fromEntries(Object.keys(protocols).map((name) => [`${name}.json`, text(schemaFor(name))])),
  'openapi.json': text(openApi(version)),
})

/** What is generated as TypeScript. */
export const tsFiles = (): Record<string, string> => ({ 'bellhop.d.ts': declarations() })
