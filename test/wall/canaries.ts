import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'

/** A word that stands nowhere but in what nobody may get at: where it turns up, something got out. */
const WORD = 'marmalade'

export const secret = (place: string): string => `the jam is ${WORD}-${place}\n`

export const leaksIn = (said: string): boolean => said.includes(WORD)

/** What listens where no program of an agent may come: each with how often somebody came all the same. */
export const openListeners = async (folder: string, mark: string) => {
  const met: string[] = []
  const listener = (name: string): Server =>
    createServer((socket) => {
      met.push(name)
      socket.on('error', () => {})
      socket.end(secret(name))
    })
  const servers = { tcp: listener('tcp'), unix: listener('unix'), abstract: listener('abstract') }
  const socket = join(folder, 'socket')
  servers.tcp.listen(0, '127.0.0.1')
  servers.unix.listen(socket)
  servers.abstract.listen(`\0${mark}`)
  await Promise.all(Object.values(servers).map((server) => once(server, 'listening')))
  const { port } = servers.tcp.address() as AddressInfo
  const datagrams = createSocket('udp4', () => met.push('udp'))
  datagrams.bind(port, '127.0.0.1')
  await once(datagrams, 'listening')
  return {
    port,
    socket,
    /** Who was met since the last time. */
    met: (): string[] => met.splice(0),
    close: () => {
      for (const server of Object.values(servers)) server.close()
      datagrams.close()
    },
  }
}

/** A process that only waits; whoever can reach it can end it. */
export const startCanary = () => {
  const child = execa('sleep', ['100000'], { reject: false })
  const { pid = 0 } = child
  return {
    pid,
    state: (): 'alive' | 'dead' => (child.exitCode === null && child.signalCode === null ? 'alive' : 'dead'),
    stop: async () => {
      child.kill('SIGKILL')
      await child
    },
  }
}

/** The processes below this one, and those anywhere that have a mark in what they were started with. */
export const processesOf = (mark: string): Map<number, string> => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)))
  const below = new Set([process.pid])
  for (let size = 0; size < below.size; ) {
    size = below.size
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid)
  }
  below.delete(process.pid)
  const ours = all.filter(({ pid, said }) => below.has(pid) || said.includes(mark))
  return new Map(ours.map(({ pid, said }) => [pid, said]))
}

const processOf = (pid: number): { pid: number; parent: number; said: string }[] => {
  try {
    // The name of a process may have anything in it: what follows comes after its last bracket.
    const [state, parent] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ')
    const said = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return state === 'Z' ? [] : [{ pid, parent: Number(parent), said }]
  } catch {
    return []
  }
}
