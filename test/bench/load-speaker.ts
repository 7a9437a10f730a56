import { Agent, request } from 'node:http'
import { Receipt } from '../../src/shapes/message.ts'
import { people } from './load-house.ts'

type Line = { room: string; text: string }

/**
 * Says lines over HTTP, for as many people as there are, each with a connection that they keep: what is said while all of
 * them wait for an answer waits, too. It shares the cores of what it measures, and `fetch` takes two to three times as much of them.
 */
export const openSpeaker = (url: string, token: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: people.length })
  const headers = { authorization: `Bearer ${token}`, 'bellhop-face': 'api', 'content-type': 'application/json' }

  /** Whether there was a receipt for it. */
  const say = (line: Line): Promise<boolean> =>
    new Promise((resolve) => {
      const body = JSON.stringify(line)
      const length = Buffer.byteLength(body)
      const asked = request(
        `${url}/api/say`,
        { agent, method: 'POST', headers: { ...headers, 'content-length': length } },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (part: string) => {
            text += part
          })
          answer.on('end', () => resolve(answer.statusCode === 200 && Receipt.safeParse(JSON.parse(text)).success))
          answer.on('error', () => resolve(false))
        },
      )
      asked.on('error', () => resolve(false))
      asked.end(body)
    })

  return { say, [Symbol.dispose]: () => agent.destroy() }
}
