import { type FormFaults, REFUSALS, Refused } from './refusal.ts'

/** What is wrong with a value; null where nothing is. */
export type Check = (value: unknown) => FormFaults | null

/** Takes a form as what it was checked to be, or refuses it with everything that is wrong with it. */
export const read = <T>(check: Check, value: unknown): T => {
  const faults = check(value)
  if (faults) throw invalidForm(faults)
  return value as T
}

export const invalidForm = (faults: FormFaults): Refused => new Refused(REFUSALS.invalidForm, faults)

export const fault = (code: string, message: string): FormFaults => ({ _errors: [{ code, message }] })

const REQUIRED = fault('BASE_TYPE_REQUIRED', 'This field is required')

const isMissing = (value: unknown): boolean => value === undefined || value === null

const present =
  (check: Check): Check =>
  (value) =>
    isMissing(value) ? REQUIRED : check(value)

export const optional =
  (check: Check): Check =>
  (value) =>
    isMissing(value) ? null : check(value)

/** Discord counts characters of Unicode, not units of UTF-16: an emoji outside of the basic plane is one. */
export const lengthOf = (text: string): number => [...text].length

type Bounds = { min?: number; max?: number }

export const text = ({ min = 0, max = Number.POSITIVE_INFINITY, pattern }: Bounds & { pattern?: RegExp } = {}): Check =>
  present((value) => {
    if (typeof value !== 'string') return fault('STRING_TYPE_CONVERT', 'Could not interpret value as string.')
    const bad = lengthFault(lengthOf(value), { min, max })
    if (bad) return bad
    if (pattern && !pattern.test(value)) {
      return fault('STRING_TYPE_REGEX', 'String value did not match validation regex.')
    }
    return null
  })

export const list = (check: Check, { min = 0, max = Number.POSITIVE_INFINITY }: Bounds = {}): Check =>
  present((value) => {
    if (!Array.isArray(value)) return fault('LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
    const bad = lengthFault(value.length, { min, max })
    if (bad) return bad
    return gather(value.map((item, at) => [String(at), check(item)]))
  })

/** Fields that are not named are let through unseen, as Discord does it. */
export const object = (fields: Record<string, Check>): Check =>
  present((value) => {
    if (!isObject(value)) return fault('MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a DictType')
    return gather(Object.entries(fields).map(([field, check]) => [field, check(value[field])]))
  })

export const oneOf = (allowed: readonly (string | number)[]): Check =>
  present((value) =>
    allowed.some((one) => one === value)
      ? null
      : fault('BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`),
  )

export const integer = ({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds = {}): Check =>
  present((value) => {
    if (!Number.isInteger(value)) return fault('NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`)
    if (Number(value) < min) return fault('NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`)
    if (Number(value) > max) return fault('NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`)
    return null
  })

export const boolean: Check = present((value) =>
  typeof value === 'boolean' ? null : fault('BOOLEAN_TYPE_CONVERT', 'Must be either true or false.'),
)

export const snowflake: Check = present((value) =>
  /^\d{1,20}$/.test(String(value)) ? null : fault('NUMBER_TYPE_COERCE', `Value "${String(value)}" is not snowflake.`),
)

export const webAddress: Check = present((value) => {
  if (typeof value === 'string' && /^(https?|attachment):\/\/\S+$/.test(value)) return null
  return fault('URL_TYPE_INVALID_URL', 'Not a well formed URL.')
})

/** All of these; the faults of the first that finds some. */
export const both =
  (...checks: Check[]): Check =>
  (value) => {
    for (const check of checks) {
      const faults = check(value)
      if (faults) return faults
    }
    return null
  }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const gather = (found: (readonly [string, FormFaults | null])[]): FormFaults | null => {
  const faults = Object.fromEntries(found.filter((one): one is [string, FormFaults] => one[1] !== null))
  return Object.keys(faults).length > 0 ? faults : null
}

const lengthFault = (length: number, { min, max }: Required<Bounds>): FormFaults | null => {
  if (length >= min && length <= max) return null
  if (min > 0 && length === 0) return REQUIRED
  if (min > 0 && max < Number.POSITIVE_INFINITY) {
    return fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`)
  }
  return length > max
    ? fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
    : fault('BASE_TYPE_MIN_LENGTH', `Must be ${min} or more in length.`)
}
