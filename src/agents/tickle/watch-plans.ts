import { type Doing, said } from './said.ts'

/** What Tickle does to look after the others: `tickle scan`, `tickle page AGENT WHY`, `tickle cycle`. */
export const watchOver: Doing = ([action = 'scan', agent = '', ...why]) => {
  if (action === 'cycle') return said('tickle-cycle', {})
  if (action !== 'page') return said('tickle-scan', {})
  return said('tickle-page', { agent: agent.replace(/^@/, ''), why: why.join(' ') || 'somebody asks where you are' })
}
