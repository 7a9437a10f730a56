import { expect, test } from 'vitest'
import { slashLine } from '../../../adapters/discord/slash-line.ts'
import { command, option } from './commands.ts'

test('a command that is called what a wall is becomes work by a request, and is asked for otherwise', () => {
  const commands = [
    command('mission', { works: true, options: ['action', 'rest', 'request', 'agent'].map((name) => option(name)) }),
  ]
  const line = (given: Record<string, string>) =>
    slashLine({ name: 'mission', options: Object.entries(given).map(([name, value]) => ({ name, value })) }, commands)
  expect([line({ action: 'show', rest: 'M-tea' }), line({ request: 'carry M-tea on', agent: 'claude-1' })]).toEqual([
    {
      text: '/mission action=show rest=M-tea',
      command: { name: 'mission', input: { action: 'show', rest: 'M-tea' } },
      reads: false,
    },
    {
      text: '/mission @claude-1 carry M-tea on',
      command: { name: 'mission', input: { agent: 'claude-1', request: 'carry M-tea on' } },
      reads: false,
    },
  ])
})
