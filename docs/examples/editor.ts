// An editor's side of Bellhop, on a page: it starts `bellhop app-server`, asks for one thing, shows what comes of it,
// and lets the person decide where one has to. Run it with: npx tsx docs/examples/editor.ts 'read README.md'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

type Json = Record<string, unknown>
type Message = { id?: string | number; method?: string; params?: Json; result?: Json; error?: { message: string } }

/** A connection: `ask` for what we want, and `hear` what we are told; what we are asked, `decide` answers. */
export const connect = (
  command: string[],
  hear: (method: string, params: Json) => void,
  decide: (params: Json) => Promise<string>,
) => {
  const [program = 'bellhop', ...args] = command
  const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<string | number, (message: Message) => void>()
  let asked = 0
  const send = (message: Message) => server.stdin.write(`${JSON.stringify(message)}\n`)

  createInterface({ input: server.stdout }).on('line', async (line) => {
    const message = JSON.parse(line) as Message
    const { id, method, params = {} } = message
    if (method === undefined) waiting.get(id ?? '')?.(message)
    else if (id === undefined) hear(method, params)
    else send({ id, result: { decision: await decide(params) } })
  })

  const ask = async (method: string, params: Json): Promise<Json> => {
    const id = ++asked
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const { result, error } = await answer
    waiting.delete(id)
    if (error) throw new Error(error.message)
    return result ?? {}
  }
  return { ask, end: () => server.stdin.end() }
}

/** Has one thing done in a thread of its own; resolves with the agent's answer. */
export const haveDone = async (
  command: string[],
  text: string,
  show: (line: string) => void,
  decide: (params: Json) => Promise<string>,
): Promise<string> => {
  let finish = (_answer: string): void => {}
  const done = new Promise<string>((resolve) => {
    finish = resolve
  })
  let answer = ''
  const hear = (method: string, params: Json): void => {
    const item = params['item'] as { type: string; status: string; tool?: string; text?: string } | undefined
    if (method === 'item/completed' && item?.tool) show(`${item.tool}: ${item.status}`)
    if (method === 'item/completed' && item?.type === 'agentMessage') answer = item.text ?? ''
    if (method === 'turn/completed') finish(answer)
  }
  const { ask, end } = connect(command, hear, decide)
  await ask('initialize', { clientInfo: { name: 'editor', version: '1.0' } })
  // codex-1 begins in edit: it can change files.
  const begun = await ask('thread/start', { agent: 'codex-1', name: text.slice(0, 60) })
  const thread = begun['thread'] as { id: string }
  await ask('turn/start', { threadId: thread.id, input: [{ type: 'text', text }] })
  const said = await done
  end()
  return said
}

/** A person at a terminal says yes or no. */
const askPerson = async ({ opens, reason }: Json): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const said = await new Promise<string>((resolve) => terminal.question(`${reason}\nmay it ${opens}? [y/N] `, resolve))
  terminal.close()
  return said.trim().toLowerCase() === 'y' ? 'accept' : 'decline'
}

const [text] = process.argv.slice(2)
if (import.meta.filename === process.argv[1] && text !== undefined) {
  const bellhop = ['./bellhop', 'app-server']
  console.log(await haveDone(bellhop, text, (line) => console.error(line), askPerson))
}
