import { readdirSync, readFileSync } from 'node:fs'

/** The processes of the machine that have a text in their command line. */
export const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(text))

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
