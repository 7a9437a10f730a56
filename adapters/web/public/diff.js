// Text that keeps its columns; where a diff is in it, its lines are told apart.
import { make, makeReachable } from './elements.js'

const DIFF = /^--- .+\n\+\+\+ .+\n@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const FILE =
  /^(?:--- |\+\+\+ |diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |rename (?:from|to) )/

/** Whether there is a unified diff in a text: two names and the head of a hunk. */
export const isDiff = (text) => DIFF.test(text)

/** Whether a line outside of a hunk says which file it is about. */
export const isFileHead = (line) => FILE.test(line)

export const verbatim = (className, text) => {
  if (!isDiff(text)) return makeReachable(make('pre', className, text))
  const kindOf = createKinds()
  const lines = text.split(/(?<=\n)/).map((line) => {
    const kind = kindOf(line)
    return kind ? make('span', kind, line) : line
  })
  return makeReachable(make('pre', `diff ${className}`.trim(), ...lines))
}

/** What a line of a hunk is by its first letter, and how many lines of the old and of the new text it is. */
const MARKS = {
  '+': { kind: 'added', old: 0, new: 1 },
  '-': { kind: 'removed', old: 1, new: 0 },
  ' ': { kind: '', old: 1, new: 1 },
  '\n': { kind: '', old: 1, new: 1 },
  // A note, such as that there is no newline at the end.
  '\\': { kind: '', old: 0, new: 0 },
}

/** Line by line, what it is. A hunk says how long it is: so a removed line that reads like a name is none. */
const createKinds = () => {
  let left = { old: 0, new: 0 }
  return (line) => {
    const mark = MARKS[line[0]]
    if (mark && left.old >= mark.old && left.new >= mark.new) {
      left = { old: left.old - mark.old, new: left.new - mark.new }
      return mark.kind
    }
    const [head, was = '1', is = '1'] = HUNK.exec(line) ?? []
    left = head ? { old: Number(was), new: Number(is) } : { old: 0, new: 0 }
    if (head) return 'hunk'
    return isFileHead(line) ? 'file' : ''
  }
}
