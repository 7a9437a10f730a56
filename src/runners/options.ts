/** What a runner is made with. */
export type RunnerOptions = {
  /** The agent it is for: its id, for names of folders and in sentences. */
  agent: string
  /** The program: an absolute path, already looked up. */
  program: string
  /** The versions that its wall was tested with. */
  versions: readonly string[]
  /** Where it keeps its own config, sign-in and conversations; and a folder with nothing in it, where it stands. */
  home: string
  empty: string
  /** The key of who serves the model; null where the program is signed in by itself. */
  key: string | null
  /** Who serves the model, where that is not the program's own provider. */
  provider: { url: string } | null
  /** All models that may be asked for: the agent's own, its fallback, those of the profiles. */
  models: readonly string[]
  /** What else it finds in its environment: proxies, certificates. */
  env: Readonly<Record<string, string>>
  /** Puts a program into its cage. */
  wrap: (argv: readonly string[]) => readonly string[]
  /** How a person signs in or puts a key right, in a line. */
  signIn: string
  log: (message: string, fields: Record<string, unknown>) => void
}
