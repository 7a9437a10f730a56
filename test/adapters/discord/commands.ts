import type { Command, CommandOption } from '../../../src/shapes/command.ts'

export const option = (name: string, part: Partial<CommandOption> = {}): CommandOption => ({
  name,
  summary: `the ${name}`,
  required: false,
  kind: 'text',
  choices: [],
  names: null,
  ...part,
})

export const command = (name: string, part: Partial<Command> = {}): Command => ({
  name,
  aliases: [],
  summary: `what ${name} does`,
  usage: name,
  example: name,
  role: 'viewer',
  reads: false,
  works: false,
  options: [],
  ...part,
})

/** A few commands of every kind there is. */
export const COMMANDS: readonly Command[] = [
  command('help', { reads: true, options: [option('command', { names: 'command' })] }),
  command('who', { reads: true }),
  command('recent', { reads: true, options: [option('limit', { kind: 'integer' }), option('all', { kind: 'flag' })] }),
  command('mode', { options: [option('to', { choices: ['discuss', 'diagnose', 'execute'] })] }),
  command('stop', {
    options: [option('agent', { names: 'agent' }), option('why'), option('turn', { names: 'turn' })],
  }),
  command('approve', { options: [option('note'), option('approval', { required: true, names: 'approval' })] }),
  command('watch', { options: [option('room', { names: 'room' })] }),
  command('archive', { options: [option('thread', { names: 'thread' })] }),
  command('reset', { options: [option('session', { names: 'session' })] }),
  command('new', { options: [option('agent', { names: 'agent' }), option('name')] }),
  command('explore', {
    works: true,
    options: [option('request', { required: true }), option('agent', { names: 'agent' })],
  }),
]
