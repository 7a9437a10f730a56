/** The versions of the programs that their walls were tested with. `bellhop doctor --wall` tests another. */
export const TESTED = {
  claude: ['2.1.325'],
  codex: ['0.166.0'],
} as const satisfies Record<string, readonly string[]>
