import { plain } from '../lib/plain.ts'
import type { Config } from '../shapes/config.ts'
import { identityOf, type Sender } from '../shapes/network.ts'
import { mayAct, Role } from '../shapes/person.ts'
import { everyEntry } from './every.ts'
import { folded } from './folded.ts'
import type { Store } from './store.ts'
import { threadOf } from './threads.ts'

type Options = { store: Pick<Store, 'get' | 'query'>; config: Pick<Config, 'people' | 'networks'> }

/** Who somebody on a network is here. A guest has the least of roles, and nobody gave it to them. */
type Standing = { name: string; role: Role; guest: boolean; person: string | null }

/** Where a role is asked for: roles can be given for a room, and for a network. */
type Where = { room: string | null; network: string | null }

export type People = ReturnType<typeof createPeople>

/**
 * Who is who on the networks, and what they may do: by the config, and by what people have paired since, which is in the
 * evidence. What the config says of an account, no pairing changes.
 */
export const createPeople = ({ store, config }: Options) => {
  const pairings = createPairings(store)
  const byConfig = accountsOf(config)

  /** By whom an identity is held for theirs, and the pairing by which, where it is not the config. */
  const holderOf = async (identity: string): Promise<{ person: string; pairing: Pairing | null } | null> => {
    const person = byConfig.get(folded(identity))
    if (person !== undefined) return { person, pairing: null }
    const pairing = (await pairings()).get(folded(identity))
    return pairing ? { person: pairing.person, pairing } : null
  }

  const roleIn = async (person: string, where: Where): Promise<Role | null> => {
    if (Object.hasOwn(config.people, person)) return givenRole(config, person, where)
    const own = [...(await pairings()).values()].filter((pairing) => pairing.person === person)
    return highest(own.map(rolePaired))
  }

  return {
    /** Who a sender is in a room; in a thread, who they are in the room that it was begun in. */
    standingOf: async (sender: Sender, room: string): Promise<Standing> => {
      const identity = identityOf(sender)
      const holder = identity === null ? null : await holderOf(identity)
      const home = (await threadOf(store, room))?.room ?? room
      const where = { room: home, network: sender.network }
      const own = holder && ownRole(config, holder, where)
      const role = highest([own, ...rolesOnNetwork(config, sender)])
      const person = holder?.person ?? null
      return { name: person ?? nameOf(sender), role: role ?? 'viewer', guest: role === null, person }
    },
    /** What a person may do by themselves, by any of their accounts, whatever networks give to everybody; null for nothing. */
    roleIn,
    /** The same by one account: what another one of theirs was paired with is no more than that one's. */
    roleBy: async (identity: string, where: Where): Promise<Role | null> => {
      const holder = await holderOf(identity)
      return holder && ownRole(config, holder, where)
    },
    /** All that is theirs, as the config and the pairings have it. */
    identitiesOf: async (person: string): Promise<string[]> => {
      const given = Object.hasOwn(config.people, person) ? (config.people[person]?.accounts ?? []) : []
      const paired = [...(await pairings()).values()].filter(
        (one) => one.person === person && !byConfig.has(folded(one.identity)),
      )
      return [...given, ...paired.map(({ identity }) => identity)]
    },
    /** Whose it is; null for nobody's. */
    personOf: async (identity: string): Promise<string | null> => (await holderOf(identity))?.person ?? null,
    /** Whom the config gives it to; null for nobody. */
    givenTo: (identity: string): string | null => byConfig.get(folded(identity)) ?? null,
    /** Everybody who is known: those of the config, and whoever has paired something. */
    everybody: async (): Promise<string[]> => {
      const paired = [...(await pairings()).values()].map(({ person }) => person)
      return [...new Set([...Object.keys(config.people), ...paired])]
    },
  }
}

type Pairing = { identity: string; person: string; role: Role; position: number }

/**
 * What was paired and not unpaired since, by identity; the last pairing of an identity holds. What was read is kept, and
 * only what is new is read again.
 */
const createPairings = (store: Options['store']): (() => Promise<ReadonlyMap<string, Pairing>>) => {
  const paired = new Map<string, Pairing>()
  const through = { paired: 0, unpaired: 0 }
  const ended = new Map<string, number>()
  let reading: Promise<unknown> = Promise.resolve()
  const read = async (): Promise<void> => {
    for await (const { body, position } of everyEntry(store, from('paired'))) {
      through.paired = position
      if (body?.event !== 'paired') continue
      const { identity, person, role } = body
      paired.set(folded(identity), { identity, person, role, position })
    }
    for await (const { body, position } of everyEntry(store, from('unpaired'))) {
      through.unpaired = position
      if (body?.event === 'unpaired') ended.set(folded(body.identity), position)
    }
  }
  const from = (event: keyof typeof through) => ({ event, order: 'oldest', cursor: through[event] }) as const
  return async () => {
    // One after the other: what was read is not read twice.
    const mine = reading.then(read, read)
    reading = mine
    await mine
    return new Map([...paired].filter(([identity, { position }]) => position > (ended.get(identity) ?? 0)))
  }
}

/** The accounts of the config, and whose each is. A visit is nobody's until it is paired. */
const accountsOf = ({ people }: Options['config']): ReadonlyMap<string, string> => {
  const owners = new Map<string, string>()
  for (const [name, { accounts }] of Object.entries(people)) {
    for (const account of accounts) {
      const key = folded(account)
      if (!account.includes('/~') && !owners.has(key)) owners.set(key, name)
    }
  }
  return owners
}

const ownRole = (
  config: Options['config'],
  { person, pairing }: { person: string; pairing: Pairing | null },
  where: Where,
): Role | null =>
  Object.hasOwn(config.people, person) ? givenRole(config, person, where) : pairing && rolePaired(pairing)

/** What the config gives a person: the highest of what holds everywhere, in the room and on the network. */
const givenRole = ({ people }: Options['config'], name: string, { room, network }: Where): Role | null => {
  const { role, roles } = people[name] ?? { roles: {} }
  return highest([role, at(roles, room), at(roles, network)])
}

/**
 * What a pairing gives by itself: what whoever offered it could do, short of an admin. The least of roles is nothing: that
 * stands for somebody whom the config knew, and knows no longer.
 */
const rolePaired = ({ role }: Pairing): Role | null => {
  if (role === 'viewer') return null
  return mayAct(role, 'approver') ? 'approver' : role
}

/** What a network gives everybody whom it knows, and what it gives those who belong to something there. */
const rolesOnNetwork = ({ networks }: Options['config'], { network, account, groups }: Sender): (Role | null)[] => {
  const here = Object.hasOwn(networks, network) ? networks[network] : undefined
  if (account === null || !here) return []
  const given = here.kind === 'discord' ? here.groups : {}
  return [here.role, ...groups.map((group) => at(given, group))]
}

const at = <T>(record: Record<string, T>, key: string | null): T | null =>
  key !== null && Object.hasOwn(record, key) ? (record[key] ?? null) : null

const highest = (roles: readonly (Role | null | undefined)[]): Role | null =>
  Role.options.findLast((role) => roles.includes(role)) ?? null

/** As much of a name as fits, so that evidence can be signed with it. */
const LONGEST = 64

/** What somebody is called whom nobody knows: by their account, or by a name with a mark that nobody vouches for it. */
const nameOf = ({ network, account, nick }: Sender): string => {
  const known = account !== null && !/^\d+$/.test(account) ? account : nick
  const mark = account === null ? '~' : ''
  const room = LONGEST - mark.length - network.length - 1
  return `${mark}${shortened(plain(known).replace(/[\s@~]/gu, ''), room) || 'somebody'}@${network}`
}

/** Cut to a length, between characters. */
const shortened = (text: string, length: number): string => {
  let short = ''
  for (const character of text) {
    if (short.length + character.length > length) break
    short += character
  }
  return short
}
