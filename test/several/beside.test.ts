import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectOlder } from '../conformance/clients.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, CLI, cleanEnv, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { testWorkspace } from '../support/workspace.ts'

test('`up` starts again while an editor keeps its `bellhop mcp`, and nothing is restored under that', async () => {
  using workspace = testWorkspace()
  using out = scratch()
  const backup = join(out.path, 'it.tar')
  await using first = await startUp({ workspace: workspace.path })
  const at = ['--data', first.data]
  expect((await bellhop(['backup', backup, ...at])).exitCode).toBe(0)
  const args = [CLI, 'mcp', ...at, '--workspace', workspace.path]
  const editor = await connectOlder({ kind: 'stdio', command: process.execPath, args, env: cleanEnv({}) })
  try {
    const hears = async (readiness: string) =>
      JSON.stringify(await editor.callTool({ name: 'who', arguments: {} })).includes(`"readiness":"${readiness}"`)
    expect(await hears('ready')).toBe(true)
    expect(await first.stop()).toBe(0)

    const nothing = `bellhop: no Bellhop runs on ${first.data}\n  start one with \`bellhop up\`, or name its folder with --data DIR`
    expect((await bellhop(['who', ...at])).stderr).toBe(nothing)
    expect((await bellhop(['status', ...at])).stdout).toContain('nothing runs here')
    const restore = async (...how: string[]) => (await bellhop(['restore', backup, '--force', ...how, ...at])).stderr
    const refused = `bellhop: a \`bellhop mcp\` speaks for the Bellhop on ${first.data}\n  end the program that started it first, such as an editor, or name another --data DIR`
    expect([await restore(), await restore('--dry-run')]).toEqual([refused, refused])

    await using again = await startUp({ workspace: workspace.path })
    await eventually('the editor to see its agents', () => hears('ready'))
    expect(await again.stop()).toBe(0)
    await editor.close()
    await eventually('it to be gone', async () => (await restore()) === '')
  } finally {
    await editor.close()
  }
})
