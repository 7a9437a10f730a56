import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/evidence/hash.ts'
import { WorldKind, WorldVerb, worldActionOf } from '../../src/shapes/world.ts'
import { begin, type Game, openingOf, play, stateOf } from '../../src/world/game.ts'
import { generate } from '../../src/world/generate.ts'
import { planOf, playAll, won } from './planner.ts'

const SEEDS = process.env['BELLHOP_LONG'] ? 2000 : 60

describe('a world', () => {
  test.each(WorldKind.options)('has room and things enough, and %s can be done in every one of them', (kind) => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const game = begin(kind, seed)
      const { places, things } = game.world
      expect([places.length >= 8, things.length >= 20, new Set(things.map(({ id }) => id)).size]).toEqual([
        true,
        true,
        things.length,
      ])
      expect(stateOf(game)).toMatchObject({ moves: 0, score: 0, done: false })
      const played = won(kind, seed)
      const last = played.moves.at(-1)
      const before = played.moves.slice(0, -1)
      expect([kind, seed, last?.saw.done, last?.saw.score, before.filter(({ saw }) => saw.done)]).toEqual([
        kind,
        seed,
        true,
        1,
        [],
      ])
      expect(played.moves.filter(({ saw }) => !saw.changed)).toEqual([])
    }
  })

  test('that was begun is the same for ever: games are replayed from their seeds', () => {
    const hashes = WorldKind.options.map((kind) => sha256(JSON.stringify(generate(kind, 7))).slice(0, 12))
    expect(hashes).toEqual([
      'e28d5aa3492a',
      'f537dce539e5',
      '2d850c4b6789',
      '334b6d4e7321',
      '4a39112add44',
      'b27de7301389',
    ])
  })

  test('is another one for another seed, and for another kind', () => {
    const texts = WorldKind.options.flatMap((kind) =>
      Array.from({ length: 50 }, (_, seed) => JSON.stringify(generate(kind, seed))),
    )
    expect(new Set(texts).size).toBe(texts.length)
  })
})

/** Any action that can be said of the things of a world, and some of things that it has not. */
const actions = ({ world }: Game) => {
  const names = [...world.places, ...world.things].map(({ id }) => id)
  const thing = fc.constantFrom(...names, 'desklamp 1', 'dragon 1')
  return fc.oneof(
    fc
      .tuple(fc.constantFrom('open', 'close', 'toggle', 'use', 'examine', 'go to'), thing)
      .map((words) => words.join(' ')),
    fc.tuple(thing, thing).map(([one, other]) => `take ${one} from ${other}`),
    fc.tuple(thing, thing).map(([one, other]) => `put ${one} in/on ${other}`),
    fc
      .tuple(fc.constantFrom('clean', 'heat', 'cool'), thing, thing)
      .map(([verb, one, other]) => `${verb} ${one} with ${other}`),
    fc.constantFrom('inventory', 'look'),
  )
}

/** Plays that are worth looking at: the plan of a game, with other actions of three players in between. */
const plays = fc
  .tuple(fc.constantFrom(...WorldKind.options), fc.nat({ max: 500 }))
  .chain(([kind, seed]) => {
    const game = begin(kind, seed)
    const player = fc.constantFrom('claude-1', 'codex-1', 'constructor')
    const planned = planOf(game).map((action) => fc.tuple(player, fc.oneof(fc.constant(action), actions(game))))
    const free = fc.array(fc.tuple(player, actions(game)), { maxLength: 20 })
    return fc.tuple(fc.constant(game), fc.tuple(...planned), free)
  })
  .map(([game, planned, free]) => ({ game, moves: [...planned, ...free] as [string, string][] }))

describe('whatever is done', () => {
  test('no thing is lost or doubled, nobody holds two, and what says that nothing changed has changed nothing', () => {
    fc.assert(
      fc.property(plays, ({ game, moves }) => {
        let now = game
        for (const [player, action] of moves) {
          const next = play(now, { player, action })
          const { world } = next
          const saw = next.moves.at(-1)?.saw
          const held = world.things.flatMap(({ at }) => ('hand' in at ? [at.hand] : []))
          expect(world.things.map(({ id }) => id)).toEqual(game.world.things.map(({ id }) => id))
          expect(new Set(held).size).toBe(held.length)
          if (saw?.changed === false) {
            expect([world.things, world.places]).toEqual([now.world.things, now.world.places])
          }
          if (now.world.won) expect(world).toEqual(now.world)
          now = next
        }
      }),
      { numRuns: process.env['BELLHOP_LONG'] ? 3000 : 100 },
    )
  })

  test('to play it again comes to the same', () => {
    fc.assert(
      fc.property(plays, ({ game, moves }) => {
        expect(playAll(begin(game.kind, game.seed), moves)).toEqual(playAll(game, moves))
      }),
      { numRuns: 50 },
    )
  })

  test('a line that is no action is answered, and does nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (line) => {
        const game = begin('pick-and-place', 1)
        const after = play(game, { player: 'claude-1', action: line })
        if (typeof worldActionOf(line) === 'string') expect(after.world).toEqual(game.world)
      }),
    )
  })
})

describe('an action', () => {
  test('is a verb with things by their names and numbers, however it is spaced', () => {
    expect([
      worldActionOf('  Go to   Fridge 1 '),
      worldActionOf('put mug 1 on shelf 2'),
      worldActionOf('put mug 1 in/on shelf 2'),
      worldActionOf('look'),
    ]).toEqual([
      { verb: 'go', one: 'fridge 1', other: null },
      { verb: 'put', one: 'mug 1', other: 'shelf 2' },
      { verb: 'put', one: 'mug 1', other: 'shelf 2' },
      { verb: 'look', one: null, other: null },
    ])
  })

  test.each([
    'go to fridge',
    'go fridge 1',
    'take mug 1',
    'look around',
    'look\nopen fridge 1',
    'go to fridge 1; look',
    'go to fridge 1000',
    'go to __proto__ 1',
    'use ｄｅｓｋｌａｍｐ 1',
    'constructor',
    '',
    `go to ${'x'.repeat(500)} 1`,
  ])('is not %j: what would be one is told', (line) => {
    expect(worldActionOf(line)).toMatch(/^expected /)
  })

  test('has a form for every verb, and each form is one', () => {
    const forms = String(worldActionOf('dance')).replace('expected one of: ', '').split(', ')
    expect(forms.map((form) => (worldActionOf(form) as { verb: string }).verb)).toEqual(WorldVerb.options)
  })
})

describe('what is seen', () => {
  /** What each of these comes to, in a world where an apple is to be cleaned and put on the sidetable. */
  const seen = (moves: readonly (readonly [string, string])[]): (readonly [string, boolean])[] =>
    playAll(begin('clean-then-place', 11), moves).moves.map(({ saw }) => [saw.observation, saw.changed])
  const alone = (...actions: string[]) => seen(actions.map((action) => ['claude-1', action]))

  test('is the task first, and all places that there are', () => {
    expect(openingOf(begin('clean-then-place', 11))).toBe(
      'You are in the middle of the room. There is a fridge 1, a microwave 1, a sinkbasin 1, a countertop 1, a countertop 2, a diningtable 1, a cabinet 1, a cabinet 2, a drawer 1, a drawer 2, a shelf 1, a shelf 2, a shelf 3, a desk 1, a sidetable 1, a garbagecan 1. Your task is to: clean an apple and put it on a sidetable.',
    )
  })

  test('is what an action did', () => {
    expect(
      alone(
        'go to cabinet 1',
        'open cabinet 1',
        'take apple 1 from cabinet 1',
        'close cabinet 1',
        'go to sinkbasin 1',
        'clean apple 1 with sinkbasin 1',
        'examine apple 1',
        'inventory',
        'go to sidetable 1',
        'put apple 1 on sidetable 1',
        'take apple 1 from sidetable 1',
      ),
    ).toEqual([
      ['You go to the cabinet 1. The cabinet 1 is closed.', true],
      [
        'You open the cabinet 1. The cabinet 1 is open. In the cabinet 1, there is an apple 1, a bowl 1, an egg 4.',
        true,
      ],
      ['You take the apple 1 from the cabinet 1.', true],
      ['You close the cabinet 1.', true],
      ['You go to the sinkbasin 1. In the sinkbasin 1, there is an egg 2, a cellphone 1.', true],
      ['You clean the apple 1 with the sinkbasin 1.', true],
      ['It is an apple 1, clean.', false],
      ['You hold an apple 1.', false],
      ['You go to the sidetable 1. On the sidetable 1, there is a book 1.', true],
      ['You put the apple 1 on the sidetable 1. The task is done.', true],
      ['The task is done: nothing more happens here.', false],
    ])
  })

  test('is why an action did nothing', () => {
    const nothing = alone(
      'take fork 2 from countertop 1',
      'go to cellar 1',
      'go to cabinet 1',
      'go to cabinet 1',
      'take apple 1 from cabinet 1',
      'examine apple 1',
      'open cabinet 1',
      'open cabinet 1',
      'take mug 1 from cabinet 1',
      'take bowl 1 from cabinet 1',
      'take apple 1 from cabinet 1',
      'put apple 1 in cabinet 1',
      'clean bowl 1 with cabinet 1',
      'heat bowl 1 with microwave 1',
      'use desklamp 1',
      'use bowl 1',
      'go to desk 1',
      'open desk 1',
      'take desklamp 1 from desk 1',
      'put bowl 1 on desk 1',
      'toggle desklamp 1',
      'use desklamp 1',
      'examine desklamp 1',
      'take spoon 1 from desk 1',
      'go to microwave 1',
      'heat spoon 1 with microwave 1',
    ).filter(([, changed]) => !changed)
    const places =
      'There is a fridge 1, a microwave 1, a sinkbasin 1, a countertop 1, a countertop 2, a diningtable 1, a cabinet 1, a cabinet 2, a drawer 1, a drawer 2, a shelf 1, a shelf 2, a shelf 3, a desk 1, a sidetable 1, a garbagecan 1.'
    expect(nothing.map(([observation]) => observation)).toEqual([
      'You are not at the countertop 1: you are in the middle of the room.',
      `There is no place cellar 1. ${places}`,
      'You are at the cabinet 1 already. The cabinet 1 is closed.',
      'The cabinet 1 is closed.',
      'You see no apple 1 here: you are at the cabinet 1.',
      'The cabinet 1 is open already.',
      'There is no mug 1 in the cabinet 1.',
      'Your hand is full: you hold a bowl 1.',
      'You do not hold an apple 1: you hold a bowl 1.',
      'Nothing is cleaned with a cabinet: use a sinkbasin.',
      'You are not at the microwave 1: you are at the cabinet 1.',
      'The desklamp 1 is not here: you are at the cabinet 1.',
      'There is no lamp bowl 1 that could be switched.',
      'The desk 1 can be neither opened nor closed.',
      'Your hand is full: you hold a bowl 1.',
      'The desklamp 1 is on already.',
      'The desklamp 1 is on.',
      'A spoon cannot be heated.',
    ])
  })

  test('is what the others do, where one meets them', () => {
    expect(
      seen([
        ['claude-1', 'go to cabinet 1'],
        ['codex-1', 'go to cabinet 1'],
        ['codex-1', 'open cabinet 1'],
        ['codex-1', 'take apple 1 from cabinet 1'],
        ['claude-1', 'look'],
        ['claude-1', 'take apple 1 from cabinet 1'],
        ['tickle-1', 'inventory'],
      ]).map(([observation]) => observation),
    ).toEqual([
      'You go to the cabinet 1. The cabinet 1 is closed.',
      'You go to the cabinet 1. The cabinet 1 is closed. claude-1 is here, and holds nothing.',
      'You open the cabinet 1. The cabinet 1 is open. In the cabinet 1, there is an apple 1, a bowl 1, an egg 4.',
      'You take the apple 1 from the cabinet 1.',
      'You are at the cabinet 1. The cabinet 1 is open. In the cabinet 1, there is a bowl 1, an egg 4. codex-1 is here, and holds an apple 1.',
      'There is no apple 1 in the cabinet 1.',
      'You hold nothing.',
    ])
  })

  test('of a thing that is treated twice is that it is so already, and heat undoes cold', () => {
    const treated = alone(
      'go to countertop 2',
      'take egg 1 from countertop 2',
      'go to fridge 1',
      'cool egg 1 with fridge 1',
      'cool egg 1 with fridge 1',
      'go to microwave 1',
      'heat egg 1 with microwave 1',
      'examine egg 1',
    )
    expect(treated.slice(-5)).toEqual([
      ['You cool the egg 1 with the fridge 1.', true],
      ['The egg 1 is cool already.', false],
      ['You go to the microwave 1. The microwave 1 is closed.', true],
      ['You heat the egg 1 with the microwave 1.', true],
      ['It is an egg 1, hot.', false],
    ])
  })

  test('by the seventeenth player is that there is no room', () => {
    const crowd = Array.from({ length: 17 }, (_, i) => [`player-${i}`, 'inventory'] as const)
    expect(seen(crowd).slice(-2)).toEqual([
      ['You hold nothing.', false],
      ['There is no room for more.', false],
    ])
  })
})
