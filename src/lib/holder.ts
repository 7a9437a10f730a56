import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * What a process calls itself where one of many has something: no two are the same, as in containers the number of a
 * process, and even the name of the machine, can be another's, too.
 */
export const holderName = (part: string, id: string): string => `${here()}/${process.pid}/${part}/${id}`

/** Whether a holder was a process that could be seen from here, and is no longer there. */
export const diedHere = (holder: string): boolean => {
  const [machine, pid] = holder.split('/')
  if (machine !== here()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * The machine, and who else can be seen on it: a process of another container is not there, and not gone either. Two
 * machines may have one name, and all of them number the processes outside of containers alike: each start of one has an
 * id of its own.
 */
export const here = (): string => `${hostname()}~${told(booted)}~${told(seen)}`

const booted = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
const seen = (): string => readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')

/** Nothing, where the kernel is another than Linux. */
const told = (look: () => string): string => {
  try {
    return look()
  } catch {
    return ''
  }
}
