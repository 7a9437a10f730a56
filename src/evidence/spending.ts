import type { Config } from '../shapes/config.ts'
import { costOf, priceOf } from '../shapes/spending.ts'
import type { Usage } from '../shapes/usage.ts'
import { type Spender, spentOver } from './budgets.ts'
import { budgetsOf } from './profiles.ts'
import type { Store, TurnRecord } from './store.ts'
import type { Book } from './usage.ts'

type Options = {
  store: Pick<Store, 'get' | 'query'>
  book: Book
  config: Pick<Config, 'agents' | 'profile' | 'profiles' | 'prices'>
}

/** What work costs by the prices of the config, and whether the budgets of the config leave anything to work with. */
export const createSpending = ({ store, book, config }: Options) => {
  const over = async (spender: Spender): Promise<string | null> =>
    spentOver(book, spender, await budgetsOf(store, spender, config))
  return {
    /** What a request cost, in US dollars; null where the model has no price. */
    cost: (model: string | null, usage: Usage): number | null => {
      const price = priceOf(config.prices, model)
      return price && costOf(usage, price)
    },
    /** How many tokens fit into one request to a model; null where that is not known. */
    window: (model: string | null): number | null => priceOf(config.prices, model)?.window ?? null,
    /** Which budget a turn has used up, in a sentence; null where none is. */
    over: ({ id, agent, room }: Pick<TurnRecord, 'id' | 'agent' | 'room'>): Promise<string | null> =>
      over({ agent, room, turn: id }),
    /** Which budget leaves an agent nothing for another turn in a room, in a sentence; null where none does. */
    overIn: (agent: string, room: string): Promise<string | null> => over({ agent, room, turn: null }),
  }
}
