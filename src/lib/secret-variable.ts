import { readFileSync, type Stats, statSync } from 'node:fs'
import { Problem } from './problem.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The variable with the file that a secret is in, where its own variable has not the secret itself. */
const fileVariable = (name: string): string => `${name}_FILE`

/**
 * A secret by the name of its variable: what that holds, or what is in the file that NAME_FILE names. Every secret that
 * Bellhop is given comes by here; null where it is not given.
 */
export const secretVariable = (name: string, variables: Variables): string | null => {
  const value = variables[name] || null
  const file = variables[fileVariable(name)] || null
  if (file === null) return value
  if (value === null) return readSecret(file, fileVariable(name))
  throw new Problem(`${name} and ${fileVariable(name)} are both set`, 'leave one of them out')
}

/** Those of some secrets that are given, by the names of their variables: for whoever hands them on. */
export const secretsIn = (names: readonly string[], variables: Variables): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const secret = secretVariable(name, variables)
      return secret === null ? [] : [[name, secret]]
    }),
  )

/** The files that secrets are in, for those who keep them from agents. */
export const secretFiles = (names: readonly string[], variables: Variables): string[] =>
  [...new Set(names)].flatMap((name) => variables[fileVariable(name)] || [])

/** Nothing that is a secret is longer; what is was not meant. */
const MOST_BYTES = 64 * 1024
const WRITABLE_BY_ANYBODY = 0o002

/** The text of a file with a secret, without the line end that editors put there. */
export const readSecret = (file: string, by: string): string => {
  const { text, stat } = readingOf(file, by)
  // Who may read it is for the one who mounts it to say: in a container all are one user. Nobody else may have put it there.
  if ((stat.mode & WRITABLE_BY_ANYBODY) !== 0)
    throw new Problem(`anybody may write to ${file}, which ${by} names`, `take that away: chmod o-w ${file}`)
  const secret = text.replace(/[\r\n]+$/, '')
  if (secret !== '') return secret
  throw new Problem(`${file}, which ${by} names, is empty`, `put the secret into it, or unset ${by}`)
}

const readingOf = (file: string, by: string): { text: string; stat: Stats } => {
  try {
    const stat = statSync(file)
    if (!stat.isFile() || stat.size > MOST_BYTES) throw new Error(stat.isFile() ? 'it is too long' : 'it is no file')
    return { text: readFileSync(file, 'utf8'), stat }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Problem(
      `cannot read ${file}, which ${by} names: ${code ?? message}`,
      `correct ${by}, or let the user that Bellhop runs as read the file`,
    )
  }
}
