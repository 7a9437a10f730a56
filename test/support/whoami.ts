import { mayAct, type Person, type Role } from '../../src/shapes/person.ts'

/** The peripherals that are shipped. */
export const WALLS = [
  'alfworld',
  'chat',
  'deploy',
  'discipline',
  'edit',
  'explore',
  'mission-control',
  'mission',
  'proof',
  'reflect',
  'test',
]

/** What people ask for by which something changes, and then what only looks; in the order it is told. */
const CHANGE = [
  'start step hop leave amend unqueue steer stop undo rewind merge release mc mission todo pattern bell whistle pause resume',
  'work tickle ack world',
  'watch unwatch approve deny',
  'mode gate ungate settings profile new fork archive unarchive bind reset claim compact pair unpair mint revoke accept',
].flatMap((line) => line.split(' '))
const LOOK = [
  'peripherals wall try seat queue diff checkouts holds usage obligations patterns proofs proof portfolio next activity bells pages worlds',
  'now posts status bulletin more sessions debrief recall steps hops approvals rooms profiles threads',
  'networks evidence recent show tree replies forks questions count facets breakdown digest verify head help who whoami people',
  'tokens sources',
].flatMap((line) => line.split(' '))

/** The roles of those that are not as usual: an operator changes, a viewer looks. */
const ROLES: Record<string, Role> = {
  pair: 'viewer',
  unpair: 'viewer',
  approve: 'approver',
  deny: 'approver',
  compact: 'admin',
  mint: 'admin',
  revoke: 'admin',
  accept: 'admin',
  tokens: 'admin',
}

/** What whoami answers to somebody with a token. */
export const whoami = (person: Person, walls: readonly string[] = WALLS) => {
  const among = (names: readonly string[], usual: Role): string[] =>
    names.filter((name) => mayAct(person.role, ROLES[name] ?? usual))
  const work = mayAct(person.role, 'operator') ? [...walls] : []
  return { ...person, known: 'token', may: { work, change: among(CHANGE, 'operator'), look: among(LOOK, 'viewer') } }
}

/** The same, as a room reads it. */
export const whoamiText = (person: Person, walls: readonly string[] = WALLS): string => {
  const { name, role, face, via, may } = whoami(person, walls)
  const work = may.work.length > 0 ? `give work in ${may.work.join(', ')}; ` : ''
  return [
    `you are ${name} (${role}) through ${face}${via === null ? '' : `, by ${via}`}`,
    `you may ${work}say ${may.change.map((one) => `/${one}`).join(' ')}; look at everything: /help has how`,
  ].join('\n')
}
