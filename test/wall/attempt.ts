import type { ToolCall } from '../../src/shapes/peripheral.ts'
import type { RefusalCode } from '../../src/shapes/refusal.ts'

/** What an attempt is after, or what it goes through. */
export type Where =
  | 'read'
  | 'write'
  | 'run'
  | 'git'
  | 'patch'
  | 'archive'
  | 'web'
  | 'evidence'
  | 'hop'
  | 'phase'
  | 'approval'
  | 'budget'
  | 'hold'
  | 'terminal'
  | 'spill'
  | 'call'
  | 'race'

/**
 * One attempt to get out, as data. In every text of it, `@outside@` and the like stand for what the siege has around the
 * workspace; none of them has the texts of the canaries in it, so these are nowhere but where they were put.
 */
export type Attempt = {
  /** A sentence of what is tried. */
  id: string
  where: Where
  peripheral: string
  /** One after the other, in one turn. */
  calls: readonly ToolCall[]
  /** All of them in one breath. */
  together?: true
  /** How the last call is refused, where that is certain; or the turn, where it does not even begin. */
  expect?: RefusalCode
  /** What somebody left in the workspace before: files, links by where they lead, and other names of files outside. */
  files?: Readonly<Record<string, string>>
  links?: Readonly<Record<string, string>>
  hard?: Readonly<Record<string, string>>
  /** What a person says when asked; nobody says anything where it is not given, until the time is up. */
  person?: 'approves' | 'denies'
  /** Whether it is allowed to commit: what git keeps is then another afterwards. */
  commits?: true
  /** A folder of the workspace that is swapped for a link to the outside, again and again, all the while. */
  swapped?: string
  /** Whether programs are run: these take their time. */
  slow?: true
}

/** An attempt that succeeds: what is open, and where. */
export type Hole = Attempt & { hole: string }

export const call = (tool: string, args: Record<string, unknown>): ToolCall => ({ tool, args })

export const read = (path: string): ToolCall => call('read', { path })
export const list = (path: string): ToolCall => call('list', { path, depth: 5 })
export const glob = (path: string): ToolCall => call('glob', { pattern: '**', path })
export const grep = (path: string): ToolCall => call('grep', { pattern: '.', path })
export const edit = (path: string): ToolCall => call('edit', { path, old: 'e', new: 'E', all: true })
export const multiEdit = (path: string): ToolCall =>
  call('multi-edit', { path, edits: [{ old: 'a', new: 'A', all: true }] })
export const write = (path: string, text = 'pwned\n'): ToolCall => call('write', { path, text })
export const run = (...argv: string[]): ToolCall => call('run', { argv })
export const inTerminal = (terminal: string, ...argv: string[]): ToolCall => call('run', { argv, terminal })
export const git = (...argv: string[]): ToolCall => run('git', ...argv)
export const hop = (to: string): ToolCall => call('hop', { to })
export const patch = (text: string): ToolCall => call('apply-patch', { patch: text })
export const fetchPage = (url: string): ToolCall => call('web-fetch', { url })

/** A patch of the one kind, that adds a file; and of the other, that changes one. */
export const adding = (path: string, text = 'pwned'): ToolCall =>
  patch(`*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch\n`)
export const patching = (path: string): ToolCall => patch(`--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+pwned\n`)

/** A program of the agent's own, and its run: what it does, it does inside the sandbox. */
export const program = (code: string): ToolCall[] => [write('try.mjs', `${PRELUDE}${code}\n`), run('node', 'try.mjs')]

/** What such programs have at hand: to do something and say what came of it, and to start others. */
const PRELUDE = `import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
const attempt = (work) => { try { console.log(String(work())) } catch (error) { console.log(String(error)) } }
const cat = (file) => attempt(() => fs.readFileSync(file, 'utf8'))
const put = (file) => attempt(() => fs.writeFileSync(file, 'pwned'))
const sh = (command) => { const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' }); console.log(stdout, stderr) }
`
