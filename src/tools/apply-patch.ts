import { z } from 'zod'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import type { Inside } from '../workspace/paths.ts'
import { kindOf } from '../workspace/state.ts'
import { type Found, readState } from '../workspace/write.ts'
import { type Change, change, readToChange } from './change.ts'
import { diffOf } from './diff.ts'
import { LOOSELY } from './edit.ts'
import { applyHunks } from './patch/apply.ts'
import type { FilePatch } from './patch/hunk.ts'
import { parsePatch } from './patch/parse.ts'
import { targetOf } from './target.ts'
import { linesOf, TextArgument } from './text.ts'
import { type Bench, defineTool, failed, PathArgument } from './tool.ts'

export const applyPatch = defineTool({
  args: z.strictObject({ patch: TextArgument.min(1) }),
  help: 'apply-patch {patch}: a unified diff, or "*** Begin Patch" with its files; all of it or nothing',
  reach: ({ patch }) => {
    const parsed = parsePatch(patch)
    if (!parsed.ok) return refused(refusal('arguments-invalid', `apply-patch: ${parsed.why}`))
    const paths = [...new Set(parsed.files.flatMap(pathsOf))]
    const strange = paths.find((path) => !PathArgument.safeParse(path).success)
    if (strange !== undefined) return refused(refusal('arguments-invalid', 'apply-patch: a path is too long'))
    return ok({ reads: paths, writes: paths })
  },
  run: async ({ patch }, bench) => {
    const parsed = parsePatch(patch)
    if (!parsed.ok) return failed(parsed.why)
    const twice = namedTwice(parsed.files, bench)
    if (twice !== null) return failed(`${twice} is in the patch more than once: put all of it in one place`)
    const steps: Step[] = []
    for (const file of parsed.files) {
      const step = await stepFor(file, bench)
      if (!step.ok) return failed(step.why)
      steps.push(step)
    }
    const diff = steps.map((step) => step.diff).join('')
    const loosely = steps.some((step) => step.loosely)
    return change(
      steps.flatMap((step) => step.changes),
      loosely ? `${LOOSELY}\n${diff}` : diff,
      bench,
    )
  },
})

const pathsOf = ({ from, to }: FilePatch): string[] => [from, to].flatMap((path) => path ?? [])

const namedTwice = (files: readonly FilePatch[], bench: Bench): string | null => {
  const met = new Set<string>()
  for (const file of files) {
    const targets = new Map(pathsOf(file).map((path) => [targetOf(bench, path).real, targetOf(bench, path)]))
    for (const { real, name } of targets.values()) {
      if (met.has(real)) return name
      met.add(real)
    }
  }
  return null
}

/** What a patch does to one file, worked out before anything is done. */
type Step = { ok: true; changes: Change[]; diff: string; loosely: boolean }
type Stepped = Step | { ok: false; why: string }

const stepFor = async (file: FilePatch, bench: Bench): Promise<Stepped> => {
  const to = file.to === null ? null : targetOf(bench, file.to)
  if (file.from === null) return to ? await creation(to, file) : no('a patch names a file')
  const from = targetOf(bench, file.from)
  const read = await readToChange(from, bench)
  if (!read.ok) return read
  if (file.unread && bench.seen(from.name) === null) return no(`read ${from.name} before it is deleted`)
  const applied = applyHunks(read.text, file.hunks)
  if (!applied.ok) return no(`${from.name}: ${applied.why}`)
  const result = { ...applied, before: read.found, old: read.text }
  if (!to) return removal(from, file, result)
  return to.real === from.real ? update(from, file, result) : await move(from, to, file, result)
}

const no = (why: string): Stepped => ({ ok: false, why })

type Result = { before: Found; old: string; text: string; loosely: boolean }

const creation = async (target: Inside, file: FilePatch): Promise<Stepped> => {
  const taken = await whyTaken(target)
  if (taken !== null) return no(taken)
  const applied = applyHunks('', file.hunks)
  if (!applied.ok) return no(`${target.name}: ${applied.why}`)
  const { text } = applied
  const diff = diffOf(null, { name: target.name, text }, modesOf(file))
  const after = contentOf(text, file)
  return {
    ok: true,
    changes: [{ target, before: null, after, added: diff.added, removed: 0 }],
    diff: diff.text,
    loosely: false,
  }
}

const removal = (target: Inside, file: FilePatch, { before, old, text, loosely }: Result): Stepped => {
  if (text !== '' && !file.unread) return no(`${target.name}: it has more in it than the patch deletes`)
  const diff = diffOf({ name: target.name, text: old }, null)
  return {
    ok: true,
    changes: [{ target, before, after: null, added: 0, removed: diff.removed }],
    diff: diff.text,
    loosely,
  }
}

const update = (target: Inside, file: FilePatch, { before, old, text, loosely }: Result): Stepped => {
  const { name } = target
  if (text === old && (file.kind ?? kindOf(before.state)) === kindOf(before.state))
    return no(`${name}: the patch changes nothing`)
  const diff = diffOf({ name, text: old }, { name, text }, modesOf(file, before))
  const { added, removed } = diff
  return {
    ok: true,
    changes: [{ target, before, after: contentOf(text, file), added, removed }],
    diff: diff.text,
    loosely,
  }
}

/** A file that is moved is made under its new name, and taken away under the old one. */
const move = async (
  from: Inside,
  to: Inside,
  file: FilePatch,
  { before, old, text, loosely }: Result,
): Promise<Stepped> => {
  const taken = await whyTaken(to)
  if (taken !== null) return no(taken)
  const kind = file.kind ?? kindOf(before.state)
  const after = contentOf(text, { ...file, kind })
  const diff = diffOf({ name: from.name, text: old }, { name: to.name, text }, modesOf(file, before))
  return {
    ok: true,
    changes: [
      { target: to, before: null, after, added: linesOf(text).length, removed: 0 },
      { target: from, before, after: null, added: 0, removed: linesOf(old).length },
    ],
    diff: diff.text,
    loosely,
  }
}

const whyTaken = async (target: Inside): Promise<string | null> => {
  const there = await readState(target)
  if (!there.ok) return there.why
  return there.value === null ? null : `${target.name} is there already`
}

const contentOf = (text: string, { kind }: FilePatch): NonNullable<Change['after']> => ({
  content: Buffer.from(text),
  ...(kind === undefined ? {} : { kind }),
})

const modesOf = ({ kind }: FilePatch, before?: Found): { old?: string; new?: string } => {
  const old = before && kindOf(before.state)
  if (kind === undefined || kind === old) return {}
  return old === undefined ? { new: kind } : { old, new: kind }
}
