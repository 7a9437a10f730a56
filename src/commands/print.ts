import type { Refusal } from '../shapes/refusal.ts'

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const fail = (refusal: Refusal, json: boolean): void => {
  if (json) print(JSON.stringify({ ok: false, refusal }))
  if (!json) process.stderr.write(`bellhop: ${refusal.message} [${refusal.code}]\n  ${refusal.remedy}\n`)
  process.exitCode = 1
}
