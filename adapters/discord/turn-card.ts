import type { APIEmbedField } from 'discord.js'
import { isOver, type TurnState, type TurnView } from '../../src/shapes/turn-view.ts'
import { BLANK, type Body, type Button } from './body.ts'
import { COLOURS } from './colours.ts'
import { plainly, short } from './tame.ts'

/** How a turn stands, as one message that changes; with a button to cancel it for as long as it is not over. */
export const turnCard = (view: TurnView): Body => {
  const { agent, peripheral, state, detail, turn, room, accepted, request } = view
  const cancel = isOver(state) ? [] : cancelOf(turn)
  const how = [`**${STATES[state](view)}**`, ...(detail === '' ? [] : [plainly(short(detail, DETAIL))])].join(': ')
  return {
    ...BLANK,
    embed: {
      title: short(plainly([agent, ...(peripheral === null ? [] : [peripheral])].join(' · ')), TITLE),
      description: [how, ...(request === '' ? [] : [`> ${plainly(short(request, REQUEST))}`])].join('\n'),
      color: COLOURS[state],
      fields: fieldsOf(view),
      footer: { text: `${room} · ${turn}${isOver(state) || cancel.length > 0 ? '' : ' · to cancel it, say /stop'}` },
    },
    buttons: cancel,
    at: accepted,
    working: state === 'running',
  }
}

const TITLE = 250
const DETAIL = 500
const REQUEST = 500
const BY = 100

/** The state in words. */
const STATES: Record<TurnState, (view: TurnView) => string> = {
  accepted: () => 'about to begin',
  queued: ({ ahead }) => `in line, ${ahead} before it`,
  running: () => 'at work',
  waiting: ({ approval }) => `waits for a person${approval === null ? '' : ` (${plainly(approval)})`}`,
  parked: () => 'waits until the agent is ready',
  stalled: () => 'nothing was heard of it for long',
  interrupted: () => 'interrupted, goes on when its worker is back',
  done: () => 'done',
  failed: () => 'failed',
  cancelled: () => 'cancelled',
}

const fieldsOf = ({ by, steps, accepted, started, ended }: TurnView): APIEmbedField[] => [
  { name: 'Asked by', value: plainly(short(by, BY)) || '?', inline: true },
  { name: 'Steps', value: stepsText(steps), inline: true },
  { name: ended === null ? 'Since' : 'Ended', value: moment(ended ?? started ?? accepted), inline: true },
]

const stepsText = ({ taken, failed, refused }: TurnView['steps']): string =>
  [`${taken}`, ...(failed > 0 ? [`${failed} failed`] : []), ...(refused > 0 ? [`${refused} refused`] : [])].join(', ')

/** A time as everybody's own clock has it. */
const moment = (time: string): string => `<t:${Math.floor(Date.parse(time) / 1000)}:R>`

/** What a button can be called at most. A turn with a longer id is stopped by words. */
const BUTTON = 100

const cancelOf = (turn: string): Button[] => {
  const id = `cancel:${turn}`
  return id.length <= BUTTON ? [{ id, label: 'Cancel', style: 'plain' }] : []
}
