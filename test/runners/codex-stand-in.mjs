#!/usr/bin/env node
// Stands in for `codex` where the real one cannot be made to misbehave. What it does in a turn stands in STAND_IN; what it
// was told is written down beside it.
import { appendFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** @param {object | string} said */
const say = (said) => writeSync(1, `${typeof said === 'string' ? said : JSON.stringify(said)}\n`)

const threadId = 'thread-1'
const turn = { id: 'turn-1', status: 'inProgress' }

/** What it answers, by method. @type {Record<string, () => object>} */
const answers = {
  initialize: () => ({}),
  'thread/start': () => {
    say({ method: 'mcpServer/startupStatus/updated', params: { threadId, name: 'bellhop', status: 'ready' } })
    return { thread: { id: threadId }, model: 'plain' }
  },
  'turn/start': () => ({ turn }),
  'turn/interrupt': () => ({}),
  'thread/unsubscribe': () => ({}),
}

/** @param {{ id?: number, method?: string }} message */
const take = ({ id, method = '', ...rest }) => {
  const answer = answers[method]
  if (answer) say({ id, result: answer() })
  else if (!method) appendFileSync(`${process.env['HOME']}/told`, `${JSON.stringify({ id, ...rest })}\n`)
  if (method === 'turn/start') say({ method: 'turn/started', params: { threadId, turn } })
  if (method === 'turn/start') for (const line of JSON.parse(process.env['STAND_IN'] ?? '[]')) say(line)
  if (method === 'turn/interrupt') {
    say({ method: 'turn/completed', params: { threadId, turn: { ...turn, status: 'interrupted' } } })
  }
}

if (process.argv.includes('models')) say({ models: [{ slug: 'plain' }] })
else createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line)))
