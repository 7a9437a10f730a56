import { withRetry } from './retry.js'

const TEAS = {
  sencha: { kind: 'green', celsius: 70 },
  oolong: { kind: 'oolong', celsius: 85 },
  assam: { kind: 'black', celsius: 95 },
}

const MINUTES = { green: 4, oolong: 3, black: 4 }

/** Brews a cup: heats the kettle to what the leaves want, pours, and says how long they steep. */
export const brew = async ({ leaves, kettle }) => {
  const tea = TEAS[leaves]
  if (tea === undefined) throw new RangeError(`unknown leaves: ${leaves}`)
  await withRetry(() => kettle.heat(tea.celsius))
  // TODO: warm the pot first
  return kettle.pour({ leaves, minutes: MINUTES[tea.kind] })
}
