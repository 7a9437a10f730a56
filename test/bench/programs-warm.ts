import type { Model, Parts, ProgramName, Speak } from './programs-model.ts'

/** How often the program was spoken to before anything is measured. */
const WARM_UP = 4

/**
 * A turn in a conversation that goes on, by Bellhop and bare, one after the other: what else this machine does meanwhile
 * slows down both.
 */
export const warmTurn = async (
  name: ProgramName,
  count: number,
  model: Pick<Model, 'time'>,
  { bare, house }: { bare: Speak; house: Speak },
): Promise<string> => {
  const took: { bare: Parts[]; house: Parts[] } = { bare: [], house: [] }
  for (let i = -WARM_UP; i < count; i++) {
    const both = { bare: await model.time(bare), house: await model.time(house) }
    if (i < 0) continue
    took.bare.push(both.bare)
    took.house.push(both.house)
  }
  const line = (what: string, part: keyof Parts, target = '') => {
    const [alone, within] = [middle(took.bare, part), middle(took.house, part)]
    const ms = [alone, within, within - alone].map((one) => one.toFixed(1).padStart(11))
    return `  ${what.padEnd(40)}${ms.join('')}${(within / alone).toFixed(2).padStart(7)}${target}`
  }
  const columns = ['bare ms', 'Bellhop ms', 'added ms'].map((name) => name.padStart(11))
  return [
    `A warm turn of ${name} with one tool call (p50 of ${count}, bare and by Bellhop in turns; the model takes no time)`,
    `  ${''.padEnd(40)}${columns.join('')}${'ratio'.padStart(7)}`,
    line('message in to model request', 'asked'),
    line('tool call to tool result at the model', 'called'),
    line('final text to room', 'told'),
    line('the whole turn', 'whole', '  (target: under 1.3)'),
    '',
  ].join('\n')
}

const middle = (took: readonly Parts[], part: keyof Parts): number =>
  took.map((one) => one[part]).sort((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0
