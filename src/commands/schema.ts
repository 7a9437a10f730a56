import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { Problem } from '../lib/problem.ts'
import { print } from './print.ts'

type Flags = { json?: boolean; ts?: boolean; out?: string }

/** `bellhop schema`: every protocol as JSON Schema and as TypeScript, from the shapes that the program itself uses. */
export const schemaCommand = (command: Command, version: string): void => {
  command
    .description('every protocol, for programs: as JSON Schema (with the HTTP API as OpenAPI), or as TypeScript')
    .addOption(new Option('--json', 'as JSON Schema').conflicts('ts'))
    .option('--ts', 'as TypeScript')
    .option('--out <dir>', 'write files into this folder, one for each protocol')
    .action(async (flags: Flags) => {
      const { jsonFiles, tsFiles } = await import('../schema/files.ts')
      if (!flags.json && !flags.ts) throw new Problem('a schema in which language?', 'say --json or --ts')
      const files = flags.ts ? tsFiles() : jsonFiles(version)
      if (flags.out !== undefined) return writeAll(resolve(flags.out), files)
      process.stdout.write(flags.ts ? Object.values(files).join('') : asOne(files))
    })
}

/** One value for all: each file under its name. */
const asOne = (files: Record<string, string>): string => {
  const values = Object.entries(files).map(([name, text]) => [name.replace(/\.json$/, ''), JSON.parse(text)])
  return `${JSON.stringify(Object.fromEntries(values), null, 1)}\n`
}

const writeAll = (folder: string, files: Record<string, string>): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    print(join(folder, name))
  }
}
