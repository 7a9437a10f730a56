import { expect, test } from 'vitest'
import { createBoxes, openBoxes } from '../../src/tickle/source-missions.ts'

const TEXT = `# M-lease: leases that hold

**Status:** in progress

- [x] write it down
- [ ] renew it
  * [ ] also while Redis is away
1. [ ] tell the rooms
- [ ] renew it
- [X] done, too
- [ ]
\`\`\`
- [ ] an example
\`\`\`
[ ] no list
`

test('what stands beside an open box is something to be done, once', () => {
  expect(openBoxes(TEXT)).toEqual(['renew it', 'also while Redis is away', 'tell the rooms'])
})

const MISSION = {
  id: 'M-lease',
  title: 'leases that hold',
  status: 'in-progress',
  blockedBy: [],
  path: 'missions/M-lease.md',
}
const boxesOf = createBoxes({
  missions: async () => [MISSION, { ...MISSION, id: 'M-gone', path: 'missions/M-gone.md' }],
  textOf: async ({ id }) => (id === 'M-lease' ? '- [ ] renew it\n' : null),
})

test('a box becomes work by the mission it is of, and by its words', async () => {
  expect(await boxesOf('M-lease')).toEqual({
    ok: true,
    value: [
      {
        from: 'mission:M-lease#8d2bdc642700',
        title: 'renew it',
        text: 'An open box of M-lease, leases that hold, in missions/M-lease.md.',
      },
    ],
  })
})

test.each([
  ['M-tea', 'there is no mission M-tea; there is M-lease, M-gone'],
  ['M-gone', 'missions/M-gone.md cannot be read'],
])('where there is no such mission, or it cannot be read, that is what is said: %s', async (id, message) => {
  expect(await boxesOf(id)).toMatchObject({ ok: false, refusal: { code: 'source-missing', message } })
})
