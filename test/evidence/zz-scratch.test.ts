import { test } from 'vitest'
import { testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { everyKind, verifyAll } from './every-kind.ts'
import { changes, contentOf, exchanges, insertions, reorderings, sames, swaps, unnoticed } from './tamper.ts'
test.each(engines)('$name', async ({name, testStore}) => {
  await using house = await testStore()
  const store = await everyKind(house)
  const content = await contentOf(store)
  for (const make of [changes, exchanges, swaps, reorderings, insertions, sames]) {
    const t = performance.now()
    let all = make(content)
    if (name !== 'SQLite') all = all.filter((_, i) => i % 20 === 3)
    const u = await unnoticed(store, all)
    console.log(name, make.name, all.length, (performance.now() - t).toFixed(), u.length, JSON.stringify(u))
  }
  console.log(JSON.stringify(await verifyAll(store)))
}, 600000)
