import assert from 'node:assert/strict'
import test from 'node:test'
import { brew } from '../src/brew.js'

/** A kettle that remembers how hot it was made, and pours what it is told to. */
const createKettle = () => {
  const heated = []
  return { heated, heat: async (celsius) => heated.push(celsius), pour: (cup) => cup }
}

test('the kettle is as hot as the leaves want', async () => {
  const kettle = createKettle()
  const cup = await brew({ leaves: 'assam', kettle })
  assert.deepEqual([kettle.heated, cup], [[95], { leaves: 'assam', minutes: 4 }])
})

test('green tea steeps for less time than black tea', async () => {
  const green = await brew({ leaves: 'sencha', kettle: createKettle() })
  const black = await brew({ leaves: 'assam', kettle: createKettle() })
  assert.ok(green.minutes < black.minutes, `green tea is bitter after ${green.minutes} minutes`)
})

test('unknown leaves are not brewed', async () => {
  const kettle = createKettle()
  await assert.rejects(brew({ leaves: 'straw', kettle }), /unknown leaves: straw/)
  assert.deepEqual(kettle.heated, [])
})
