import { readFileSync } from 'node:fs'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { diedHere, holderName } from '../../src/lib/holder.ts'

/** The name of a process that was here, and has ended. */
const ended = async (): Promise<string> => {
  const child = execa('true')
  await child
  return holderName('worker', '1').replace(`/${process.pid}/`, `/${child.pid}/`)
}

test('a process is known to have died where it could have been seen; one that is there has not', async () => {
  expect([diedHere(await ended()), diedHere(holderName('worker', '1'))]).toEqual([true, false])
})

test('of a machine that has the same name nobody is known to have died: what is not seen from here may be there', async () => {
  const booted = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
  const name = await ended()
  const elsewhere = name.replace(`~${booted}~`, '~another-~')
  expect([elsewhere === name, diedHere(elsewhere)]).toEqual([false, false])
})
