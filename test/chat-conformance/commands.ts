import type { Command, CommandOption } from '../../src/shapes/command.ts'

/** A few commands of the kinds there are, for faces that show them in forms of their own. */
const option = (name: string, part: Partial<CommandOption> = {}): CommandOption => ({
  name,
  summary: `the ${name}`,
  required: true,
  kind: 'text',
  choices: [],
  names: null,
  ...part,
})

const command = (name: string, summary: string, part: Partial<Command> = {}): Command => ({
  name,
  aliases: [],
  summary,
  usage: `/${[name, ...(part.options ?? []).map((one) => one.name.toUpperCase())].join(' ')}`,
  example: `/${name}`,
  role: 'viewer',
  reads: true,
  works: false,
  options: [],
  ...part,
})

export const commands: readonly Command[] = [
  command('help', 'what can be asked', {
    options: [option('command', { required: false, names: 'command' })],
  }),
  command('who', 'the agents that are here'),
  command('whoami', 'who you are here, and what you may do'),
  command('status', 'what is being worked on'),
  command('approve', 'say yes to a call that waits', {
    role: 'approver',
    reads: false,
    options: [option('approval', { names: 'approval' })],
  }),
  command('deny', 'say no to a call that waits', {
    role: 'approver',
    reads: false,
    options: [option('approval', { names: 'approval' }), option('why', { required: false })],
  }),
  command('stop', 'stop a turn', { role: 'operator', reads: false, options: [option('turn', { names: 'turn' })] }),
  command('new', 'begin a thread with an agent', {
    role: 'operator',
    reads: false,
    options: [option('agent', { names: 'agent' })],
  }),
  command('mode', 'show or change what the room may do', {
    role: 'approver',
    reads: false,
    options: [option('mode', { required: false, choices: ['discuss', 'diagnose', 'execute'] })],
  }),
  command('explore', 'have an agent look around', {
    role: 'operator',
    reads: false,
    works: true,
    options: [option('request'), option('agent', { required: false, names: 'agent' })],
  }),
]
