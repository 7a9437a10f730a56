import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'

/** A process that opens a store, and brings it to this version on the way: `opener.ts STORE`. It says when it has. */
const [url = ''] = process.argv.slice(2)
const store = await openStore({ url, clock: systemClock })
process.stdout.write('opened\n')
await store.close()
