import { Problem } from '../../lib/problem.ts'

/** What the doctor found: that it is well, that it will be a problem, or that it is one; and the line that mends it. */
export type Finding = { name: string; state: 'ok' | 'warning' | 'problem'; detail: string; fix: string | null }

export const well = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, fix: null })
export const warning = (name: string, detail: string, fix: string): Finding => ({ name, state: 'warning', detail, fix })
export const problem = (name: string, detail: string, fix: string): Finding => ({ name, state: 'problem', detail, fix })

/** Well, where nothing is wrong; else what is. */
export const unless = (wrong: boolean, otherwise: Finding, detail: string): Finding =>
  wrong ? otherwise : well(otherwise.name, detail)

/** A check that could not be made is a finding, too, and keeps no other from being made. */
export const safely = async (name: string, check: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await check()
  } catch (error) {
    const { message } = error as Error
    const fix = error instanceof Problem ? error.fix : 'look at the log in the data folder'
    return [problem(name, `could not be looked at: ${message}`, fix)]
  }
}
