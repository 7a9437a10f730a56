/**
 * A name of a network as it is compared: servers take `#Team` for `#team`, and the account `Ada` for `ada`. No further
 * letters are folded: what a server holds for two must not become one here.
 */
export const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
