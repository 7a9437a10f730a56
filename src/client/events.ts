/** An event; its id is empty where it has none. */
export type ServerEvent = { event: string; data: string; id: string }

/** The events of a server-sent stream, as they arrive. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body) {
    const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
          .join('\n')
      if (field('data') !== '') yield { event: field('event') || 'message', data: field('data'), id: field('id') }
    }
  }
}
