import type { RunnerOptions } from '../options.ts'
import type { Hands } from '../runner.ts'

/** The variable that a key for somebody else's model is in: of the environment, and not among the arguments. */
export const KEY_VARIABLE = 'BELLHOP_MODEL_KEY'

/** A day: whoever waits longer is not waited for by the program, but by us. */
const DAY_SECONDS = 86_400

/**
 * The wall, as the program is told it. A version that does not know a part of it ends at once, and so nothing is open that
 * was closed in the version before.
 */
export const codexFlags = ({ key, provider }: Pick<RunnerOptions, 'key' | 'provider'>, catalog: string): string[] => [
  '--strict-config',
  ...WITHOUT.flatMap((feature) => ['--disable', feature]),
  // Without it a hop would not be noticed: the tools would be those of the first peripheral for ever.
  ...['--enable', 'mcp_tool_list_changed'],
  ...Object.entries({
    ...SETTINGS,
    model_catalog_json: catalog,
    model_provider: 'bellhop',
    ...settingsOf(provider, key),
  }).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]),
]

/** What the MCP server of a conversation is configured as. It is told over a pipe: the token is nobody else's business. */
export const serverSettings = ({ url, token }: Hands) => ({
  url,
  http_headers: { Authorization: `Bearer ${token}` },
  required: true,
  // What may be called is for our side to say; and an approval may take its time.
  default_tools_approval_mode: 'approve',
  tool_timeout_sec: DAY_SECONDS,
  // The tools are there from the beginning, and not behind a search or a program that a model writes.
  omit_tools_from: ['deferred', 'code_mode'],
})

const WITHOUT = [
  'shell_tool',
  'unified_exec',
  'view_image',
  'goals',
  'multi_agent',
  'apps',
  'plugins',
  'tool_suggest',
  'image_generation',
  'skill_search',
  'sleep_tool',
  'hooks',
  'shell_snapshot',
  'browser_use',
  'computer_use',
  'in_app_browser',
  'memories',
  'remote_plugin',
  'auth_elicitation',
  'skill_mcp_dependency_install',
  'code_mode_host',
  'workspace_dependencies',
  // It would wait for a network for ever.
  'unbounded_connection_retries',
  // A model would go on to see the tools of the peripheral before, with a note that they are gone.
  'incremental_tools',
]

const SETTINGS = {
  approval_policy: 'never',
  sandbox_mode: 'read-only',
  web_search: 'disabled',
  'agents.enabled': false,
  'tools.experimental_request_user_input.enabled': false,
  'tools.update_plan.enabled': false,
  'analytics.enabled': false,
  'feedback.enabled': false,
  check_for_update_on_startup: false,
  'otel.exporter': 'none',
  'otel.trace_exporter': 'none',
  'otel.metrics_exporter': 'none',
  project_doc_max_bytes: 0,
  'skills.include_instructions': false,
  'skills.bundled.enabled': false,
  include_permissions_instructions: false,
  include_environment_context: false,
  include_collaboration_mode_instructions: false,
  include_apps_instructions: false,
  'history.persistence': 'none',
  'shell_environment_policy.inherit': 'none',
  allow_login_shell: false,
  suppress_unstable_features_warning: true,
}

/** Retries are ours, and so is the time after which a model is held to hang. */
const PATIENCE = {
  'model_providers.bellhop.request_max_retries': 0,
  'model_providers.bellhop.stream_max_retries': 0,
  'model_providers.bellhop.stream_idle_timeout_ms': DAY_SECONDS * 1000,
}

/**
 * Who serves the model. The program's own provider cannot be told not to retry, so it is described again: it is known by
 * its name, and without an address it goes where the sign-in leads. A key for it is kept in memory alone.
 */
const settingsOf = (
  provider: RunnerOptions['provider'],
  key: string | null,
): Record<string, string | number | boolean> => {
  const common = { ...PATIENCE, 'model_providers.bellhop.wire_api': 'responses' }
  if (provider === null) {
    return {
      ...common,
      'model_providers.bellhop.name': 'OpenAI',
      'model_providers.bellhop.requires_openai_auth': true,
      ...(key === null ? {} : { cli_auth_credentials_store: 'ephemeral' }),
    }
  }
  return {
    ...common,
    'model_providers.bellhop.name': 'bellhop',
    'model_providers.bellhop.base_url': provider.url,
    ...(key === null ? {} : { 'model_providers.bellhop.env_key': KEY_VARIABLE }),
  }
}
