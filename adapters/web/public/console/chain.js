// Reading a chain: page by page from its beginning, and then every entry as it is written.
import { ask, backOff } from '/house.js'
import { createLive } from './live.js'

const PAGE = 500
/** So many are read at once; who wants more asks for it. */
const MOST = 10_000

/** `onEntries(entries)` hears of all in order; `onHeld(count)` that there are more than are read by themselves. */
export const createChain = ({ session, shell, onEntries, onHeld, onNothing, onRefused }) => {
  let cursor = 0
  let read = 0
  let bound = MOST
  let losses = 0

  const live = createLive({
    filters: { session, ephemeral: 'with' },
    onEntry: (entry) => onEntries([entry]),
    onLink: shell.showLink,
  })

  const page = () =>
    ask(`/api/evidence?${new URLSearchParams({ session, ephemeral: 'with', order: 'oldest', limit: PAGE, cursor })}`)

  const readOn = async () => {
    const { status, body } = await page()
    if (status === 0 || status === 401) return lost(status, body)
    if (status !== 200) return onRefused(body)
    losses = 0
    read += body.entries.length
    if (read === 0) return onNothing()
    onEntries(body.entries)
    if (body.next === null) return live.follow(body.through)
    cursor = body.next
    if (read >= bound) return onHeld(read)
    return readOn()
  }

  const lost = (status, body) => {
    shell.showLink(status === 401 ? 'signed-out' : 'offline', body)
    setTimeout(readOn, backOff(losses))
    losses += 1
  }

  return {
    readOn,
    /** As many again. */
    more: () => {
      bound += MOST
      return readOn()
    },
  }
}
