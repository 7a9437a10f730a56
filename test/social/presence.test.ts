import { expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { enter, presence } from '../../src/social/presence.ts'
import { LOBBY, line, QUIET } from '../support/social.ts'

const ROOMS = [LOBBY, QUIET]

test('a message is present where its room is known and open to its face', () => {
  expect(presence(line({ room: 'lobby', face: 'web' }), ROOMS, false)).toEqual(
    ok({ ...line({ room: 'lobby', face: 'web' }), place: LOBBY }),
  )
})

test('an instance that is going down takes no message, whatever it is', () => {
  expect(presence(line({ room: 'nowhere' }), ROOMS, true)).toEqual(
    refused(refusal('draining', 'this instance is going down and takes no more messages')),
  )
})

test('a room that is not there is refused with the ones that are', () => {
  expect(presence(line({ room: 'nowhere' }), ROOMS, false)).toEqual(
    refused(refusal('room-unknown', 'there is no room nowhere; there is lobby, quiet')),
  )
})

test('a face that a room is not open to is refused with those that it is open to', () => {
  expect(presence(line({ room: 'lobby', face: 'api' }), ROOMS, false)).toEqual(
    refused(refusal('face-unknown', 'lobby is not open to api; it is open to cli, web')),
  )
})

test('those who read along enter by the same rule as those who say something', () => {
  expect([enter('lobby', 'web', ROOMS), enter('quiet', 'web', ROOMS), enter('nowhere', 'cli', ROOMS)]).toEqual([
    ok(LOBBY),
    refused(refusal('face-unknown', 'quiet is not open to web; it is open to cli')),
    refused(refusal('room-unknown', 'there is no room nowhere; there is lobby, quiet')),
  ])
})
