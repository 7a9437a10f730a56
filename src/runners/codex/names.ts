/** What our MCP endpoint is called in the program. */
export const SERVER = 'bellhop'

/** The namespace in which a model finds the tools of our endpoint. */
export const NAMESPACE = `mcp__${SERVER}`

/** A tool of the spec as a model calls it: `docs.search` is `docs_search` there, and comes back to us by its own name. */
export const nameInModel = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9_]/g, '_')

/**
 * Tools that the program has as soon as it has a server, and that cannot be taken from it. They speak to its servers and
 * nobody else, so that ours decides what they reach.
 */
export const RESOURCE_TOOLS: ReadonlySet<string> = new Set([
  'list_mcp_resources',
  'list_mcp_resource_templates',
  'read_mcp_resource',
])
