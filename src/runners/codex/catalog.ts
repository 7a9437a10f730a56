import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'

/** What the program says that it knows of models. */
const Printed = z.object({
  models: z
    .array(
      z.looseObject({
        slug: z.string(),
        context_window: z.number().nullish(),
        effective_context_window_percent: z.number().nullish(),
        use_responses_lite: z.boolean().nullish(),
      }),
    )
    .min(1),
})
type Known = z.infer<typeof Printed>['models'][number]

/** The catalog that the program is given instead of its own, and how much really fits into a request to each model. */
export type Catalog = { text: string; windows: ReadonlyMap<string, number | null> }

/**
 * Makes the catalog of what the program printed. Some of its tools hang on the model and on nothing else, so they are taken
 * out of every model; one that the program does not know is as plain as can be. Null where it printed something else.
 */
export const makeCatalog = (printed: string, models: readonly string[]): Catalog | null => {
  const known = Printed.safeParse(parseJson(printed)).data?.models
  if (!known) return null
  const unknown = models.filter((model) => !known.some(({ slug }) => slug === model))
  const plainest = known.find((model) => model.use_responses_lite === false) ?? known[0]
  const all = [
    ...known.map(walled),
    ...[...new Set(unknown)].map((slug) => ({ ...walled(plainest), ...PLAIN, slug, display_name: slug })),
  ]
  const windows = new Map([
    ...known.map((model): [string, number | null] => [model.slug, windowOf(model)]),
    ...unknown.map((slug): [string, number | null] => [slug, null]),
  ])
  return { text: JSON.stringify({ models: all }), windows }
}

/** So much that nothing ever fills it: what is too long is for us to see, and to make shorter. */
const ENDLESS = 100_000_000

const walled = (model: Known | undefined) => ({
  ...model,
  shell_type: 'disabled',
  apply_patch_tool_type: null,
  supports_search_tool: false,
  tool_mode: 'direct',
  multi_agent_version: 'disabled',
  experimental_supported_tools: [],
  node_repl_disabled: true,
  // Instructions are ours.
  base_instructions: '',
  model_messages: null,
  include_skills_usage_instructions: false,
  include_plugin_usage_instructions: false,
  include_apps_usage_instructions: false,
  upgrade: null,
  availability_nux: null,
  // The program would summarise a conversation when it nears its end, and when another kind of model goes on with it.
  context_window: ENDLESS,
  max_context_window: ENDLESS,
  effective_context_window_percent: 100,
  comp_hash: null,
  // Our tools say themselves what they leave out.
  truncation_policy: { mode: 'tokens', limit: ENDLESS },
})

/** Nothing is asked of a model that nobody here knows. */
const PLAIN = {
  description: '',
  visibility: 'hide',
  priority: 1000,
  default_reasoning_level: null,
  supported_reasoning_levels: [],
  support_verbosity: false,
  default_verbosity: null,
  service_tiers: [],
  additional_speed_tiers: [],
  input_modalities: ['text'],
}

const windowOf = ({ context_window, effective_context_window_percent }: Known): number | null =>
  context_window ? Math.floor((context_window * (effective_context_window_percent ?? 100)) / 100) : null
