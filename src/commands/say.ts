import type { Command } from 'commander'
import { answersTo, type Conversation } from '../client/converse.ts'
import type { Settings } from '../house/parts.ts'
import { plain } from '../lib/plain.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Post } from '../shapes/post.ts'
import { fail, print } from './print.ts'
import { instanceFor, millisecondsFrom } from './shell.ts'

type Flags = { room: string; as?: string; wait: string; json?: boolean }

/** `bellhop say`: one line through the whole pipeline of a running instance. */
export const sayCommand = (command: Command, settingsFrom: (flags: object) => Settings): void => {
  command
    .description('say a line in a room of a running instance; prints its receipt and the replies')
    .argument('<text...>', 'the line')
    .option('--room <room>', 'which room', 'lobby')
    .option('--as <name>', 'speak as somebody else (the evidence shows both names)')
    .option('--wait <seconds>', 'how long to wait for the replies', '60')
    .option('--json', 'as one JSON value')
    .action(async (words: string[], flags: Flags) => {
      const client = await instanceFor(settingsFrom(flags))
      const line = { room: flags.room, text: words.join(' '), as: flags.as ?? null }
      const json = flags.json ?? false
      const ends = AbortSignal.timeout(millisecondsFrom('--wait', flags.wait))
      const receipt = await client.say(line)
      if (!receipt.ok) return fail(receipt.refusal, json)
      if (!json) tellReceipt(receipt.value)
      tellReplies(await answersTo(client, receipt.value, ends, json ? () => {} : tellApproval), flags)
    })
}

/** Whoever waits for a reply learns that a person is waited for. */
export const tellApproval = ({ kind, author, text, approval }: Post): void => {
  if (kind !== 'approval') return
  const open = approval?.state === 'open'
  const how = open ? `\nsay /approve ${approval.name} or /deny ${approval.name}, until ${approval.until}` : ''
  print(plain(`${author.id} ${text}${how}`.replaceAll('\n', '\n  ')))
}

/** That a line was accepted, and for whom. */
export const tellReceipt = ({ answer, whisper, message, assignments }: Receipt): void => {
  const whom = assignments.map(({ agent }) => `, for ${agent}`).join('') || ', for no agent'
  print(plain(answer ?? `accepted as ${message}${whom}`))
  if (whisper) print(plain(whisper))
}

/** The answers to a line that there are by now; where a program reads, with its receipt. */
export const tellReplies = ({ receipt, replies }: Conversation, { json, wait }: Pick<Flags, 'json' | 'wait'>): void => {
  const complete = replies.length >= receipt.assignments.length
  if (!complete) process.exitCode = 1
  if (json) {
    print(JSON.stringify({ ok: true, complete, receipt, replies }))
    return
  }
  for (const { author, text } of replies) print(plain(`${author.id}: ${text}`))
  if (!complete) print(`still at work after ${wait} s: look with \`bellhop status\``)
}
