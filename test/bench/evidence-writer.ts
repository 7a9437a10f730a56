import { openStore } from '../../src/evidence/store.ts'
import { must, said } from '../support/store.ts'

/** `evidence-writer.ts STORE NAME CALLS`: appends, and says how many entries it was told are kept. */
const [path = '', name = '', calls = '0'] = process.argv.slice(2)
const store = await openStore({ url: path, clock: Date.now })
let kept = 0
for (let i = 0; i < Number(calls); i++) kept += must(await store.append([said(`${name}-${i}`, `line ${i}`)])).length
await store.close()
console.log(kept)
