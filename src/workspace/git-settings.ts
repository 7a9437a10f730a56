type Setting = readonly [key: string, value: string]

/** Settings for git that no config of a repository can override: one by one, so that a name may hold whatever it likes. */
export const asVariables = (settings: readonly Setting[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
})

/** What every git of the house's own finds in its environment: nothing of the user's, and nobody to ask. */
export const gitEnvironment = (path: string) => ({
  PATH: path,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
})
