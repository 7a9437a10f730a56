// Approvals: a card for each call that waits for a person, with what is asked and two ways to answer.
import { clockTime, make, makeButton } from './elements.js'
import { texts } from './texts.js'

export const createApprovals = ({ onDecide }) => {
  let looksOn = false
  /** Step id → its card. */
  const cards = new Map()

  const ask = (post) => {
    for (const [id, { element }] of cards) if (!element.isConnected) cards.delete(id)
    const card = createCard(post, looksOn ? null : onDecide)
    cards.set(post.step.id, card)
    return card.element
  }

  /** The card that was closed; null where there was none. */
  const decide = ({ step, approval, author, text }) => {
    const card = cards.get(step.id)
    if (card) close(card, approval.state, texts.approval.decided(author.id, text))
    return card?.element ?? null
  }

  /** A step that ended without an answer, as one whose turn was stopped. */
  const endStep = ({ id, state }) => {
    const card = cards.get(id)
    if (card) close(card, 'over', texts.approval.stepOver(state))
  }

  const endTurn = (turn) => {
    for (const card of cards.values()) if (card.turn === turn) close(card, 'over', texts.approval.turnOver)
  }

  /** Whoever only looks on has no buttons; of others, the house says who may decide in this room. */
  const allow = (role) => {
    looksOn = role === 'viewer'
  }

  return { allow, ask, decide, endStep, endTurn }
}

const createCard = ({ author, text, turn, approval: { name, until } }, onDecide) => {
  const [what, why, ...call] = text.split('\n')
  const element = make('div', 'approval', make('p', 'asked', make('b', '', author.id), ` ${what}`))
  if (why) element.append(make('p', 'why', why))
  if (call.length > 0) element.append(make('pre', '', call.join('\n')))
  const answers = onDecide ? createAnswers(name, onDecide) : make('div', 'answers')
  // By its name it is spoken of elsewhere, where there are no buttons.
  answers.append(make('code', 'name', name))
  if (until !== null) answers.append(make('span', 'until', texts.approval.until, clockTime(until)))
  element.append(answers)
  element.setAttribute('role', 'group')
  element.setAttribute('aria-label', texts.approval.label(name))
  element.dataset.state = 'open'
  return { element, answers, turn }
}

/** Two buttons, for one press: they wait for what becomes of it, and can be pressed again where it was refused. */
const createAnswers = (name, onDecide) => {
  const answer = (label, command) => {
    const button = makeButton(label, () => {
      enable(false)
      onDecide(`/${command} ${name}`, () => enable(true))
    })
    button.setAttribute('aria-label', texts.approval.button(label, name))
    return button
  }
  const buttons = [answer(texts.approval.approve, 'approve'), answer(texts.approval.deny, 'deny')]
  const enable = (enabled) => {
    for (const button of buttons) button.disabled = !enabled
  }
  return make('div', 'answers', ...buttons)
}

/** The first end stands: what comes after a decision is the step's own business. */
const close = ({ element, answers }, state, outcome) => {
  if (element.dataset.state !== 'open') return
  element.dataset.state = state
  answers.replaceWith(make('p', 'outcome', outcome))
}
