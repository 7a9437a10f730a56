import { delimiter } from 'node:path'
import { execa } from 'execa'
import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import { oneLine } from '../lib/plain.ts'
import { secretsIn } from '../lib/secret-variable.ts'
import { findProgram } from '../sandbox/programs.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Source } from '../shapes/tickle.ts'

/** What `gh issue list --json number,title,body` says of an issue; it is what others wrote. */
const Issue = z.object({ number: z.int().positive(), title: z.string(), body: z.string().nullish() })

/** How many issues are taken at once, how long it may take, and how much it may say. */
const MOST = 50
const WAIT_MS = 20_000
const OUTPUT_BYTES = 4 * 1024 * 1024
const TITLE = 200
const TEXT = 8000

type Variables = Readonly<Record<string, string | undefined>>

/** The variables with what `gh` may be signed in by. */
export const GITHUB_SECRETS: readonly string[] = ['GH_TOKEN', 'GITHUB_TOKEN']

/** What else `gh` is given: where it is signed in, and the way out. */
const VARIABLES = [
  'HOME',
  'XDG_CONFIG_HOME',
  'GH_CONFIG_DIR',
  'GH_HOST',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

type Options = {
  /** Where programs of the house are looked for. */
  path: string
  variables: Variables
  /** A folder that no agent writes to: `gh` would ask git about the one it is started in. */
  cwd: string
}

/**
 * The open issues of a repository on GitHub, by the program `gh`, where it is here and signed in. It is named the repository, so
 * that it looks at none that an agent could have made; arguments go one by one, and what it says is bounded.
 */
export const createGithub =
  ({ path, variables, cwd }: Options) =>
  async (repository: string, label: string | null): Promise<Result<Source[]>> => {
    const program = await findProgram('gh', path.split(delimiter))
    if (program === null)
      return refused(
        refusal('source-missing', 'there is no program gh here: install it, and sign in with `gh auth login`'),
      )
    const filter = label === null ? [] : [`--label=${label}`]
    const fields = ['--json', 'number,title,body', '--state', 'open', '--limit', String(MOST)]
    const ran = await execa(program, ['issue', 'list', '--repo', repository, ...fields, ...filter], {
      cwd,
      env: {
        ...githubVariables(variables),
        PATH: path,
        GH_PROMPT_DISABLED: '1',
        GH_NO_UPDATE_NOTIFIER: '1',
        NO_COLOR: '1',
      },
      extendEnv: false,
      stdin: 'ignore',
      timeout: WAIT_MS,
      maxBuffer: OUTPUT_BYTES,
      reject: false,
    })
    if (ran.failed) return refused(refusal('source-missing', `gh could not list the issues: ${reasonOf(ran)}`))
    const issues = z.array(Issue).safeParse(parseJson(ran.stdout))
    if (!issues.success) return refused(refusal('source-missing', 'gh did not say which issues there are'))
    return ok(issues.data.slice(0, MOST).map((issue) => sourceOf(issue, repository)))
  }

const sourceOf = ({ number, title, body }: z.infer<typeof Issue>, repository: string): Source => ({
  from: `github:${repository}#${number}`,
  title: `${oneLine(title, TITLE)} (${repository}#${number})`,
  text: (body ?? '').slice(0, TEXT).toWellFormed(),
})

/** All of an environment that `gh` needs. */
export const githubVariables = (variables: Variables): Record<string, string> => ({
  ...Object.fromEntries(VARIABLES.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]]))),
  ...secretsIn(GITHUB_SECRETS, variables),
})

const reasonOf = ({ stderr, timedOut, isMaxBuffer, exitCode }: Failed): string => {
  if (timedOut) return `it took longer than ${WAIT_MS / 1000} seconds`
  if (isMaxBuffer) return 'it said too much'
  if (exitCode === NOT_SIGNED_IN) return 'it is not signed in: say `gh auth login`, or set GH_TOKEN'
  return oneLine(stderr ?? '', TITLE) || `it ended with ${exitCode}`
}

type Failed = { stderr?: string; timedOut: boolean; isMaxBuffer: boolean; exitCode?: number | undefined }

/** What `gh` ends with where it is not signed in. */
const NOT_SIGNED_IN = 4
