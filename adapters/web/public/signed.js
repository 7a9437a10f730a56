// Coming in and going out, for every page.
import { ask } from './house.js'

/** Where one is without having wanted to go anywhere. */
export const SIGN_IN = '/sign-in'

/** Forgets who is here, and leads to where one signs in; false where the house could not be reached. */
export const signOut = async () => {
  const { status } = await ask('/sign-out', { method: 'POST' })
  if (status !== 200) return false
  location.assign(SIGN_IN)
  return true
}
