/**
 * What a world is furnished with. Games are begun by a seed and replayed from it: what is in these lists, and in which
 * order, is for ever. A change of them changes every game that was begun before.
 */

type PlaceKind = {
  kind: string
  least: number
  most: number
  /** Whether it can be opened and closed; it is closed at first. */
  opens?: true
  /** What is said of things there. */
  prep: 'in' | 'on'
  /** Whether a lamp stands there. */
  lamp?: true
  /** Whether a task can ask for things to be put there. */
  goal?: true
}

export const PLACES: readonly PlaceKind[] = [
  { kind: 'fridge', least: 1, most: 1, opens: true, prep: 'in' },
  { kind: 'microwave', least: 1, most: 1, opens: true, prep: 'in' },
  { kind: 'sinkbasin', least: 1, most: 1, prep: 'in' },
  { kind: 'countertop', least: 1, most: 2, prep: 'on', goal: true },
  { kind: 'diningtable', least: 1, most: 1, prep: 'on', goal: true },
  { kind: 'cabinet', least: 2, most: 4, opens: true, prep: 'in', goal: true },
  { kind: 'drawer', least: 2, most: 4, opens: true, prep: 'in', goal: true },
  { kind: 'shelf', least: 1, most: 3, prep: 'on', goal: true },
  { kind: 'desk', least: 1, most: 1, prep: 'on', lamp: true, goal: true },
  { kind: 'sidetable', least: 1, most: 1, prep: 'on', goal: true },
  { kind: 'garbagecan', least: 1, most: 1, prep: 'in', goal: true },
]

/** Which place does it, where something is to be cleaned, heated or cooled. */
export const DOES = { clean: 'sinkbasin', heat: 'microwave', cool: 'fridge' } as const
export type Treatment = keyof typeof DOES

export const LAMP = 'desklamp'

type ThingKind = {
  kind: string
  /** More than one of it. */
  many: string
  /** What can be done to it. */
  takes: readonly Treatment[]
}

const FOOD = ['clean', 'heat', 'cool'] as const
const DISH = FOOD
const TOOL = ['clean'] as const
const NONE = [] as const

export const THINGS: readonly ThingKind[] = [
  { kind: 'apple', many: 'apples', takes: FOOD },
  { kind: 'potato', many: 'potatoes', takes: FOOD },
  { kind: 'tomato', many: 'tomatoes', takes: FOOD },
  { kind: 'egg', many: 'eggs', takes: FOOD },
  { kind: 'bread', many: 'loaves of bread', takes: ['heat', 'cool'] },
  { kind: 'mug', many: 'mugs', takes: DISH },
  { kind: 'cup', many: 'cups', takes: DISH },
  { kind: 'plate', many: 'plates', takes: DISH },
  { kind: 'bowl', many: 'bowls', takes: DISH },
  { kind: 'spoon', many: 'spoons', takes: TOOL },
  { kind: 'fork', many: 'forks', takes: TOOL },
  { kind: 'knife', many: 'knives', takes: TOOL },
  { kind: 'cloth', many: 'cloths', takes: TOOL },
  { kind: 'soapbar', many: 'soapbars', takes: TOOL },
  { kind: 'book', many: 'books', takes: NONE },
  { kind: 'pen', many: 'pens', takes: NONE },
  { kind: 'pencil', many: 'pencils', takes: NONE },
  { kind: 'keychain', many: 'keychains', takes: NONE },
  { kind: 'watch', many: 'watches', takes: NONE },
  { kind: 'vase', many: 'vases', takes: NONE },
  { kind: 'newspaper', many: 'newspapers', takes: NONE },
  { kind: 'cellphone', many: 'cellphones', takes: NONE },
]

export const placeKind = (kind: string): PlaceKind => named(PLACES, kind)
export const thingKind = (kind: string): ThingKind => named(THINGS, kind)

const named = <T extends { kind: string }>(list: readonly T[], kind: string): T => {
  const one = list.find((each) => each.kind === kind)
  if (!one) throw new Error(`there is nothing called ${kind}`)
  return one
}
