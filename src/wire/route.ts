import type { ClientFrame } from '../shapes/wire.ts'
import type { Answer } from './house.ts'
import { no } from './objection.ts'
import type { Peer } from './peer.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { createWork } from './work.ts'

type Work = ReturnType<typeof createWork>
type Whom = { peer: Peer; subscriptions: Subscriptions }

/** Who answers which frame, once a program was welcomed. */
export const createRoute =
  (work: Work) =>
  (frame: ClientFrame, { peer, subscriptions }: Whom): Promise<Answer> | Answer => {
    switch (frame.type) {
      case 'hello':
      case 'ready':
        return no('frame-invalid', `${frame.type} was said before`)
      case 'message':
        return work.message(peer, frame)
      case 'peripheral_start':
        return work.start(peer, frame)
      case 'tool_action':
        return work.act(peer, frame)
      case 'hop':
        return work.hop(peer, frame)
      case 'peripheral_stop':
        return work.stop(peer, frame)
      case 'invoke_result':
        return work.result(peer, frame)
      case 'tools':
        return work.tools(peer)
      case 'subscribe':
        return subscriptions.subscribe(frame)
      case 'unsubscribe':
        return subscriptions.unsubscribe(frame)
      case 'status':
        return work.status(peer, frame)
      case 'ping':
        return { ok: true, value: { type: 'pong' } }
    }
  }
