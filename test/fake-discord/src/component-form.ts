import {
  boolean,
  both,
  type Check,
  fault,
  integer,
  isObject,
  lengthOf,
  list,
  object,
  oneOf,
  optional,
  text,
  webAddress,
} from './form.ts'
import type { FormFaults } from './refusal.ts'
import type { Component } from './wire.ts'

const ROW = 1
const BUTTON = 2
const STRING_SELECT = 3
const TEXT_INPUT = 4
const SELECTS = [STRING_SELECT, 5, 6, 7, 8]
const SECTION = 9
const TEXT = 10
const THUMBNAIL = 11
const GALLERY = 12
const FILE = 13
const SEPARATOR = 14
const CONTAINER = 17
const LABEL = 18
const IN_CONTAINER = [ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR]

const customId = text({ min: 1, max: 100 })

const buttonRules: Check = (value) => {
  const { style, custom_id, url, label, emoji } = value as Component
  if (!label && !emoji) return { label: fault('BUTTON_COMPONENT_LABEL_OR_EMOJI', 'A button needs a label or an emoji') }
  if (style === 5) return url ? null : { url: fault('BASE_TYPE_REQUIRED', 'This field is required') }
  return custom_id ? null : { custom_id: fault('BASE_TYPE_REQUIRED', 'This field is required') }
}

const button = both(
  object({
    custom_id: optional(customId),
    label: optional(text({ max: 80 })),
    style: oneOf([1, 2, 3, 4, 5]),
    url: optional(both(text({ max: 512 }), webAddress)),
    disabled: optional(boolean),
  }),
  buttonRules,
)

const selectFields = {
  custom_id: customId,
  placeholder: optional(text({ max: 150 })),
  min_values: optional(integer({ min: 0, max: 25 })),
  max_values: optional(integer({ min: 1, max: 25 })),
  disabled: optional(boolean),
}

const selectOption = object({
  label: text({ min: 1, max: 100 }),
  value: text({ min: 1, max: 100 }),
  description: optional(text({ max: 100 })),
})

const stringSelectRules: Check = (value) => {
  const values = ((value as Component).options ?? []).map((option) => option.value)
  const repeated = values.findIndex((one, at) => values.indexOf(one) !== at)
  if (repeated === -1) return null
  const duplicated = fault('SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used')
  return { options: { [String(repeated)]: { value: duplicated } } }
}

const stringSelect = both(
  object({ ...selectFields, options: list(selectOption, { min: 1, max: 25 }) }),
  stringSelectRules,
)

const textInput = object({
  custom_id: customId,
  style: oneOf([1, 2]),
  label: optional(text({ max: 45 })),
  min_length: optional(integer({ min: 0, max: 4000 })),
  max_length: optional(integer({ min: 1, max: 4000 })),
  required: optional(boolean),
  value: optional(text({ max: 4000 })),
  placeholder: optional(text({ max: 100 })),
})

/** One of these types, each as it has to be. */
const among =
  (...types: number[]): Check =>
  (value) => {
    if (!isObject(value)) return object({})(value)
    const bad = oneOf(types)(value['type'])
    if (bad) return { type: bad }
    return CHECKS[Number(value['type'])]?.(value) ?? null
  }

const rowRules: Check = (value) => {
  const inside = (value as Component).components ?? []
  const selects = inside.filter(({ type }) => type !== BUTTON).length
  if (selects === 0 || inside.length === 1) return null
  return { components: fault('COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width') }
}

const row = both(object({ components: list(among(BUTTON, ...SELECTS), { min: 1, max: 5 }) }), rowRules)

const CHECKS: Record<number, Check> = {
  [ROW]: row,
  [BUTTON]: button,
  [STRING_SELECT]: stringSelect,
  ...Object.fromEntries(SELECTS.slice(1).map((type) => [type, object(selectFields)])),
  [TEXT_INPUT]: textInput,
  [TEXT]: object({ content: text({ min: 1, max: 4000 }) }),
  [SECTION]: (value) =>
    object({ components: list(among(TEXT), { min: 1, max: 3 }), accessory: among(BUTTON, THUMBNAIL) })(value),
  [GALLERY]: object({ items: list(object({ media: object({ url: webAddress }) }), { min: 1, max: 10 }) }),
  [CONTAINER]: (value) => object({ components: list(among(...IN_CONTAINER), { min: 1 }) })(value),
  [LABEL]: (value) => object({ label: text({ min: 1, max: 45 }), component: among(TEXT_INPUT, ...SELECTS) })(value),
}

/** Every component with those inside of it. */
export const flat = (components: readonly Component[]): Component[] =>
  components.flatMap((one) => [
    one,
    ...flat(one.components ?? []),
    ...flat(one.accessory ? [one.accessory] : []),
    ...flat(one.component ? [one.component] : []),
  ])

const ownIds: Check = (value) => {
  const ids = flat(value as Component[]).flatMap(({ custom_id }) => custom_id ?? [])
  return new Set(ids).size === ids.length
    ? null
    : fault('COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated')
}

const layoutLimits: Check = (value) => {
  const all = flat(value as Component[])
  if (all.length > 40) return fault('COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', 'The total number of components is 40')
  const length = all.reduce((sum, { type, content }) => sum + (type === TEXT ? lengthOf(content ?? '') : 0), 0)
  return length > 4000 ? fault('COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', 'Text exceeds maximum size of 4000') : null
}

/** Rows of buttons and selects. */
const rows = both(list(among(ROW), { max: 5 }), ownIds)

/** The newer layouts, in messages that have the flag for it. */
const layout = both(list(among(...IN_CONTAINER, CONTAINER), { max: 40 }), layoutLimits, ownIds)

export const messageComponents = (value: unknown, newer: boolean): FormFaults | null => (newer ? layout : rows)(value)

const modalRow = object({ components: list(among(TEXT_INPUT), { min: 1, max: 1 }) })

export const modal: Check = object({
  custom_id: customId,
  title: text({ min: 1, max: 45 }),
  components: both(
    list((value) => (isObject(value) && value['type'] === ROW ? modalRow(value) : among(LABEL, TEXT)(value)), {
      min: 1,
      max: 5,
    }),
    ownIds,
  ),
})
