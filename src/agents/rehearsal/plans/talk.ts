import { quoted } from './answer.ts'

/** What can be said without a model: a greeting back, and what could be done instead. */
export const talk = (request: string): string => `${reply(request.slice(0, 200))} ${OFFER}`

const OFFER =
  'Here I can only talk, and without a model that is soon over. Ask for work, and I hop to where it is done: ' +
  'explore (read, list and find), edit (replace and create), test (run the tests), deploy (commit and push), ' +
  'reflect (review the session). Say help for all I understand.'

const reply = (request: string): string => {
  if (/\b(?:thanks|thank you|thx|cheers)\b/i.test(request)) return 'you are welcome.'
  if (/\b(?:bye|goodbye|good night|see you)\b/i.test(request)) return 'goodbye.'
  if (/\b(?:hi|hello|hey|good (?:morning|afternoon|evening|day))\b/i.test(request)) return 'hello.'
  return `I have nothing to say to ${quoted(request)}.`
}
