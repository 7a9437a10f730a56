/** What a list may have in bytes that is a part of an entry: an entry has its bounds. */
const LIST_BYTES = 1_000_000

/** As many of a list as fit into an entry beside everything else. */
export const asFits = <T>(list: readonly T[]): T[] => {
  let left = LIST_BYTES
  return list.filter((one) => {
    left -= Buffer.byteLength(JSON.stringify(one))
    return left > 0
  })
}
