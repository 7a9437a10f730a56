/** A line of a text that has a diff in it, and what it is there. */
export type DiffLine = { kind: 'added' | 'removed' | 'hunk' | 'file' | 'other'; text: string }

/** Whether there is a unified diff in a text: two names and the head of a hunk. */
export const isDiff = (text: string): boolean => /^--- .+\n\+\+\+ .+\n@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text)

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const FILE =
  /^(?:--- |\+\+\+ |diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |rename (?:from|to) )/

/** What a line of a hunk is by its first letter, and how many lines of the old and of the new text it is. */
const MARKS: Record<string, { kind: DiffLine['kind']; old: number; new: number }> = {
  '+': { kind: 'added', old: 0, new: 1 },
  '-': { kind: 'removed', old: 1, new: 0 },
  ' ': { kind: 'other', old: 1, new: 1 },
  // A note, such as that there is no newline at the end.
  '\\': { kind: 'other', old: 0, new: 0 },
}

/** The lines of a text with what each is. A hunk says how long it is: so a removed line that reads like a name is none. */
export const diffLines = (text: string): DiffLine[] => {
  let left = { old: 0, new: 0 }
  const kindOf = (line: string): DiffLine['kind'] => {
    const mark = MARKS[line[0] ?? ' ']
    if (mark && left.old >= mark.old && left.new >= mark.new) {
      left = { old: left.old - mark.old, new: left.new - mark.new }
      return mark.kind
    }
    const [head, was = '1', is = '1'] = HUNK.exec(line) ?? []
    left = head ? { old: Number(was), new: Number(is) } : { old: 0, new: 0 }
    if (head) return 'hunk'
    return FILE.test(line) ? 'file' : 'other'
  }
  return text.split('\n').map((line) => ({ kind: kindOf(line), text: line }))
}
