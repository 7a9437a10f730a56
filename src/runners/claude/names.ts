/** What our MCP endpoint is called in the program: the names of its tools begin with it. */
export const SERVER = 'bellhop'

const PREFIX = `mcp__${SERVER}__`

/** A tool of the spec as the program and its model call it: `docs.search` is `mcp__bellhop__docs_search` there. */
export const nameInProgram = (tool: string): string => `${PREFIX}${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`

/** Whether a tool that the program has is one of ours. */
export const isOurs = (name: string): boolean => name.startsWith(PREFIX)
