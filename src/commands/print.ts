import type { Command } from 'commander'
import type { Refusal } from '../shapes/refusal.ts'

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const fail = (refusal: Refusal, json: boolean): void => {
  if (json) print(JSON.stringify({ ok: false, refusal }))
  if (!json) process.stderr.write(`bellhop: ${refusal.message} [${refusal.code}]\n  ${refusal.remedy}\n`)
  process.exitCode = 1
}

/** A refusal of what was typed here. It says how the command is used in a room, which is not how it is used on this line. */
export const failTyped = (refusal: Refusal, command: Command, json: boolean): void => {
  const isUse = !json && refusal.code === 'command-invalid'
  const path = [command.parent?.name(), command.name()].filter((name) => name !== 'bellhop')
  const here = `\`bellhop ${path.join(' ')} --help\` says how it is used`
  fail(isUse ? { ...refusal, message: refusal.message.replace(/; usage: \/.*$/s, ''), remedy: here } : refusal, json)
}
