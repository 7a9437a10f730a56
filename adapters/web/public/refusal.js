// Why not, and what to do instead, at the exchange or the work that was refused: one each, the last one told.
import { make, makeButton } from './elements.js'
import { texts } from './texts.js'

export const refuse = (place, { message, remedy, again }) => {
  const element = make('div', 'refusal', make('p', '', make('b', '', texts.refusal.says), message))
  if (remedy) element.append(make('p', 'remedy', remedy))
  if (again) {
    const button = makeButton(texts.refusal.again, () => {
      button.remove()
      again()
    })
    element.append(button)
  }
  place.refusal?.remove()
  place.refusal = element
  place.element.append(element)
}
