import type { Context, Operation } from '../../src/operations/operation.ts'
import { inputFrom, words } from '../../src/operations/parse.ts'
import { ok, type Result } from '../../src/shapes/result.ts'

/** What a line in a room is answered where there are these rows, and nothing else. */
export const sayTo =
  (rows: readonly Operation[], context: Context) =>
  async (line: string, change: Partial<Context> = {}): Promise<Result<string>> => {
    const [name, ...given] = words(line)
    const row = rows.find((one) => `/${one.name}` === name)
    if (!row) throw new Error(`there is no ${name}`)
    const input = inputFrom(row, given)
    if (!input.ok) return input
    const output = await row.run(input.value, { ...context, ...change })
    return output.ok ? ok(row.render(output.value)) : output
  }
