import type { ServerContext } from '@modelcontextprotocol/server'
import type { McpHouse } from './house.ts'

/** What is shown of what a step says, each time. */
const SHOWN = 2000

/**
 * Tells a client that asked for it what a step says while it runs, and that it waits for a person where it does; until
 * the function it answers is called.
 */
export const tellProgress = async (
  { progress, feed }: Pick<McpHouse, 'progress' | 'feed'>,
  step: string,
  { mcpReq }: ServerContext,
): Promise<() => void> => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  const isOurs = (id: string): boolean => id.endsWith(`.${step}`)
  let told = 0
  const tell = (message: string): void => {
    told += 1
    const params = { progressToken, progress: told, message: message.slice(-SHOWN) }
    // Who is gone is told nothing more; the call itself finds that out.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  const hush = progress((said) => {
    if (isOurs(said.step)) tell(said.text)
  })
  const stop = await feed.listen(({ body }) => {
    if (body?.event === 'approval-asked' && isOurs(body.step)) tell(`waits for a person: ${body.approval}`)
  })
  return () => {
    hush()
    stop()
  }
}
