/** Before everything there is: also before what should not be there. */
export const BEGINNING = Number.MIN_SAFE_INTEGER

type Growing<T> = {
  /** Where it goes on from. */
  from: number
  pages: (after: number) => AsyncGenerator<T[]>
  place: (item: T) => number
  /** Where it ends, as the store says. */
  end: () => Promise<number>
}

/**
 * Everything up to where it ends, also while it grows: what is written meanwhile is read too, so that nothing looks cut
 * off that is only new. Where nothing comes any more, it is over, whatever the store says.
 */
export async function* toTheEnd<T>({ from, pages, place, end }: Growing<T>): AsyncGenerator<T[]> {
  let last = from
  for (let said: number | null = null; ; ) {
    const before = last
    for await (const page of pages(last)) {
      yield page
      last = page.map(place).at(-1) ?? last
    }
    const now = await end()
    if (now <= last || (last === before && now === said)) return
    said = now
  }
}
