import { z } from 'zod'

const MINUTES = { m: 1, h: 60, d: 1440 } as const
const DAY = 1440
const EVERY = /^(\d{1,4})([mhd])$/

/** How many minutes an interval such as `30m`, `4h` or `1d` is; NaN where it is none. */
export const minutesOf = (every: string): number => {
  const [, count, unit] = EVERY.exec(every) ?? []
  return unit === undefined ? Number.NaN : Number(count) * MINUTES[unit as keyof typeof MINUTES]
}

const Every = z.string().refine((text) => {
  const minutes = minutesOf(text)
  return minutes >= 1 && minutes <= DAY
}, 'expected a time between two posts of a day at most, such as "30m", "4h" or "1d"')

/** A time of the day, on the clock of a place. */
const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'expected a time of the day such as "09:00"')

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const Quiet = z
  .strictObject({ from: TimeOfDay, to: TimeOfDay })
  .refine(({ from, to }) => from !== to, 'expected an end that is not the beginning')

/** When a room is told how things stand: on a schedule, where it has one; and of what changed, where it is told at all. */
export const BulletinSettings = z.strictObject({
  /** How often, counted from midnight; null: on no schedule. */
  every: Every.nullable(),
  /** At which times of the day besides. */
  at: z.array(TimeOfDay).max(24),
  /** When nobody is to be disturbed: what happens then is one post when it is over. */
  quiet: Quiet.nullable(),
  /** The place whose clock all of these are on. */
  zone: z.string().refine(isZone, 'expected a time zone such as "Europe/Berlin" or "UTC"'),
  /** What changes within so many seconds is one post. */
  gatherSeconds: z.number().min(1).max(3600),
  /** From which part of a budget on it is said to be near its end. */
  budgetNear: z.number().positive().max(1),
})
export type BulletinSettings = z.infer<typeof BulletinSettings>

/** What a room has otherwise. */
export const RoomBulletins = BulletinSettings.partial()

/** What holds in a room, as far as it has nothing of its own. */
export const settingsWith = (
  everywhere: BulletinSettings,
  own: z.infer<typeof RoomBulletins> | undefined,
): BulletinSettings => BulletinSettings.parse({ ...everywhere, ...own })

/** Whether a schedule is declared: where none is, nothing is posted unless the people of a room want it. */
export const hasSchedule = ({ every, at }: Pick<BulletinSettings, 'every' | 'at'>): boolean =>
  every !== null || at.length > 0
