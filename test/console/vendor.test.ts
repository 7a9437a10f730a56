import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
})
afterAll(() => house[Symbol.asyncDispose]())

const read = async (path: string) => {
  const response = await fetch(new URL(path, house.url))
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const fileOf = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${name}`), 'utf8')

test('what pages use of others is served to everybody as their packages have it', async () => {
  expect(await read('/vendor/uplot.js')).toEqual({
    status: 200,
    type: 'text/javascript; charset=utf-8',
    text: fileOf('uPlot.esm.js'),
  })
  expect(await read('/vendor/uplot.css')).toEqual({
    status: 200,
    type: 'text/css; charset=utf-8',
    text: fileOf('uPlot.min.css'),
  })
})

test('nothing else of a package is served', async () => {
  const paths = ['/vendor/constructor.js', '/vendor/zod.js', '/vendor/..%2Fpackage.js', '/vendor/uplot.cjs']
  expect((await Promise.all(paths.map((path) => read(path)))).map(({ status }) => status)).toEqual([404, 404, 401, 401])
})
