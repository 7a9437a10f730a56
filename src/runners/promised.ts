/** A promise that is kept from outside; what comes after the first time is nothing. */
export const promised = <T>(): { promise: Promise<T>; resolve: (value: T) => void } => {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((kept) => {
    resolve = kept
  })
  return { promise, resolve }
}
