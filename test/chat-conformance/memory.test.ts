import type { Capabilities } from '../../src/chat/port.ts'
import { createScriptedHouse } from './house.ts'
import { createMemory } from './memory.ts'
import { conformance, type Someone, type Stage } from './suite.ts'

const THREAD = `t-${'0123456789'.repeat(2)}abcdef`

const rich: Capabilities = { edits: true, threads: true, buttons: true, whispers: true, files: true, most: 1200 }
const poor: Capabilities = { edits: false, threads: false, buttons: false, whispers: false, files: false, most: 1200 }

conformance('a network in memory that can do everything', () => open(rich))
conformance('a network in memory that can do nothing but say lines', () => open(poor))

const open = async (capabilities: Capabilities): Promise<Stage> => {
  const house = createScriptedHouse({ network: 'memory', channels: { '#team': 'lobby', '#thread': THREAD } })
  const memory = createMemory({ port: house.port, capabilities, channel: '#team' })
  house.deliverBy(memory.network)
  const someone = (name: string): Someone => ({
    name,
    says: (text) => memory.says(name, text),
    sees: async () => memory.seenBy(name).map(({ text }) => text),
    ...(capabilities.buttons && {
      presses: async (wanted: RegExp) => {
        const found = memory.seenBy(name).flatMap(({ buttons }) => buttons.filter(({ label }) => wanted.test(label)))
        const last = found.at(-1)
        if (!last) throw new Error(`there is no button ${wanted}`)
        await memory.says(name, last.line)
      },
    }),
    ...(capabilities.files && {
      files: async () => memory.seenBy(name).flatMap(({ file }) => (file === null ? [] : [file])),
    }),
  })
  return {
    capabilities,
    house,
    person: someone('ada'),
    other: someone('grace'),
    ...(capabilities.threads && { thread: { room: THREAD, says: (text) => memory.says('ada', text, '#thread') } }),
    breaks: async () => memory.cut(),
    heals: async () => memory.mend(),
    close: () => house.close(),
  }
}
