import { withRetry } from './retry.js'

const TEMPERATURES = { sencha: 70, oolong: 85, assam: 95 }

/** Brews a cup: heats the kettle to what the leaves want, then pours. */
export const brew = async ({ leaves, kettle }) => {
  const celsius = TEMPERATURES[leaves]
  if (celsius === undefined) throw new RangeError(`unknown leaves: ${leaves}`)
  await withRetry(() => kettle.heat(celsius))
  // TODO: let green tea steep for less time than black tea
  return kettle.pour({ leaves, minutes: 3 })
}
