// An agent in a few lines: it answers with the first line of the file that it is asked for.
//   BELLHOP_TOKEN=… npx tsx agent.ts
import { createHmac, randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'

const { BELLHOP_URL: url = 'ws://127.0.0.1:7070/agents', BELLHOP_TOKEN: token = '' } = process.env
const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
const send = (type: string, fields: object) => socket.send(JSON.stringify({ type, id: randomUUID(), ...fields }))
const prove = (nonce: string) => createHmac('sha256', token).update(nonce).digest('hex')
let invoke_id = ''

socket.on('open', () => send('hello', { protocol: '1.1' }))
socket.on('message', (data) => {
  const frame = JSON.parse(String(data))
  if (frame.type === 'challenge') send('ready', { answer: prove(frame.nonce) })
  if (frame.type === 'invoke') {
    invoke_id = frame.invoke_id
    send('tool_action', { tool: 'read', args: { path: frame.prompt } })
  }
  if (frame.type === 'tool_result' && frame.ok)
    send('invoke_result', { invoke_id, result: frame.report.output.split('\n')[0] })
  if (frame.type === 'tool_result' && !frame.ok) send('invoke_result', { invoke_id, error: 'I cannot read that' })
  if (frame.type === 'error') console.error(frame.code, frame.message)
})
