import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

const CLOSES_ON_EXEC = 0o2000000

/**
 * The descriptors that a program would get besides its own: what this process was started with and never opened itself
 * (a lifeline, a terminal, a folder). Through an open folder a program could leave the sandbox.
 */
const strayDescriptors = (from: number): number[] =>
  readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => fd >= from && isHandedOn(fd))

const isHandedOn = (fd: number): boolean => {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0
  } catch {
    return false
  }
}

/** Starts something with a list for behind its own descriptors, which puts nothing in the place of each stray. */
export const withoutStrays = <T>(from: number, start: (stdio: 'ignore'[]) => T): T => {
  const strays = strayDescriptors(from)
  const nothing = openSync('/dev/null', 'r')
  const length = Math.max(0, ...strays.map((fd) => fd + 1 - from))
  const stdio = Array.from({ length }, (_, index) => (strays.includes(from + index) ? nothing : 'ignore'))
  try {
    // A number is handed on as Node does it; the types know it only for the first three.
    return start(stdio as 'ignore'[])
  } finally {
    closeSync(nothing)
  }
}
