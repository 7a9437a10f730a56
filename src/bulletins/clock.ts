import { type BulletinSettings, minutesOf } from '../shapes/bulletin.ts'

const DAY = 1440
const HOUR = 60
const MINUTE_MS = 60_000

/** The date and the minute of the day that the clocks of a place show. */
export type Wall = { date: string; minute: number }

/** What clocks of a place show at a moment. */
export const wallAt = (time: number, zone: string): Wall => {
  const parts = Object.fromEntries(
    formatFor(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute } = parts
  return { date: `${year}-${month}-${day}`, minute: Number(hour) * HOUR + Number(minute) }
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatFor = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known) return known
  const two = '2-digit'
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
  })
  formats.set(zone, format)
  return format
}

/** How late a post may be: what was to be said long ago is left to the next time. */
const LATE_EVERY = 10
const LATE_AT = 60

type Schedule = Pick<BulletinSettings, 'every' | 'at' | 'zone'>

/**
 * The time of a schedule that is being served now, by a name that is the same for as long as it is; null where it is none's
 * time. Clocks that are put back show a time twice: a time of the day is served once then, and so is every interval that is
 * longer than an hour. A time that clocks jump over is served when they have.
 */
export const slotAt = (now: number, { every, at, zone }: Schedule): string | null => {
  const wall = wallAt(now, zone)
  const length = every === null ? null : minutesOf(every)
  // Also one of yesterday is served when midnight is over.
  const [ago] = at.map((time) => (wall.minute - minuteOf(time) + DAY) % DAY).sort((a, b) => a - b)
  // What began last counts: an interval that did since a time of the day has taken its place.
  const isTime = ago !== undefined && ago <= LATE_AT && (length === null || ago <= wall.minute % length)
  if (isTime) return timeAgo(wall, ago)
  return length === null ? null : intervalAt(now, wall, length)
}

/** The time of the day that it was so many minutes ago, with its date. */
const timeAgo = ({ date, minute }: Wall, ago: number): string => {
  if (ago <= minute) return `${date} ${timeText(minute - ago)}`
  const yesterday = new Date(Date.parse(date) - DAY * MINUTE_MS).toISOString().slice(0, 10)
  return `${yesterday} ${timeText(minute - ago + DAY)}`
}

/**
 * Whether a time of a schedule was served, where another was the last: it is that one, or clocks that were put back show it
 * again. Only those that are told by what clocks show are the same the second time.
 */
export const isServed = (slot: string, last: string | null): boolean =>
  last !== null && (slot === last || (isShown(slot) && isShown(last) && slot < last))

const isShown = (slot: string): boolean => slot.includes(' ')

/** Counted from midnight. Short ones are told by the moment they begin: each of two that look the same is one of its own. */
const intervalAt = (now: number, { date, minute }: Wall, length: number): string | null => {
  const into = minute % length
  if (into > LATE_EVERY) return null
  if (length > HOUR) return `${date} ${timeText(minute - into)}`
  return new Date((Math.floor(now / MINUTE_MS) - into) * MINUTE_MS).toISOString()
}

type Quiet = Pick<BulletinSettings, 'quiet' | 'zone'>

export const isQuiet = (now: number, { quiet, zone }: Quiet): boolean => {
  if (quiet === null) return false
  const { minute } = wallAt(now, zone)
  const [from, to] = [minuteOf(quiet.from), minuteOf(quiet.to)]
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** When the quiet hours ended that were the last; null where that is longer ago than a digest of them may be late. */
export const quietEnded = (now: number, { quiet, zone }: Quiet): number | null => {
  if (quiet === null || isQuiet(now, { quiet, zone })) return null
  const ago = (wallAt(now, zone).minute - minuteOf(quiet.to) + DAY) % DAY
  return ago > LATE_AT ? null : (Math.floor(now / MINUTE_MS) - ago) * MINUTE_MS
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * HOUR + Number(time.slice(3))

const timeText = (minute: number): string =>
  [Math.floor(minute / HOUR), minute % HOUR].map((part) => String(part).padStart(2, '0')).join(':')
