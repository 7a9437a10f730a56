import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach } from 'vitest'
import { eventually } from '../support/poll.ts'

const started: { kill: (signal: 'SIGKILL') => boolean }[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** Starts a process that writes, ready to go: node itself and not a wrapper, so that a kill hits the one that writes. */
export const startWriter = async (url: string, name: string, calls: number) => {
  const script = join(import.meta.dirname, 'writer.mjs')
  const child = execa(process.execPath, [script, url, name, `${calls}`], { reject: false })
  started.push(child)
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  /** Whole lines only: what was cut off by a kill was not acknowledged. */
  const lines = (): string[] => said.split('\n').slice(0, -1)
  await eventually(`${name} to be ready`, () => lines().includes('ready') || child.exitCode !== null)
  return {
    go: () => child.stdin.write('go\n'),
    acknowledged: (): string[] => lines().slice(1),
    kill: () => child.kill('SIGKILL'),
    ended: async () => {
      const { exitCode, signal, stderr } = await child
      return { exitCode, signal, stderr }
    },
  }
}
