import { once } from 'node:events'

/**
 * A process that writes: `writer.mjs STORE NAME CALLS`. It says `ready`, waits for a line on stdin, opens the store, and
 * says the id of each call once that is acknowledged. A few calls are under way at any time, each of two entries.
 * It runs what was built: many of them are started, and to compile the sources each time takes longer than to write.
 */
const BUILT = new URL('../../node_modules/.bellhop/modules/evidence/', import.meta.url)
const { openStore } = await import(new URL('store.js', BUILT).href)
const { BELLHOP, roomDraft } = await import(new URL('drafts.js', BUILT).href)

const [url, name, calls] = process.argv.slice(2)
const UNDER_WAY = 3

process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()

const store = await openStore({ url, clock: Date.now })
const lobby = { room: 'lobby', author: BELLHOP }
let next = 0
const work = async () => {
  while (next < Number(calls)) {
    const id = `${name}-${next++}`
    const line = roomDraft({ ...lobby, id, body: { event: 'message', text: `line ${id}` } })
    const receipt = roomDraft({ ...lobby, id: `${id}.receipt`, body: { event: 'heard' }, inReplyTo: id })
    const written = await store.append([line, receipt])
    if (!written.ok) throw new Error(written.refusal.message)
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: UNDER_WAY }, work))
await store.close()
