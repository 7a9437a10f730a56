import { type Attempt, adding, call, edit, glob, grep, list, multiEdit, patch, read, run, write } from '../attempt.ts'

const narrow = (id: string, more: Omit<Attempt, 'id' | 'where' | 'peripheral'>): Attempt => ({
  id: `a narrow scope: ${id}`,
  where: 'write',
  peripheral: 'narrow',
  ...more,
})

/** A wall that opens a part of the workspace only, and takes a part of that out again. */
export const SCOPES: readonly Attempt[] = [
  narrow('a file at the top', { calls: [read('README.md')], expect: 'out-of-scope' }),
  narrow('the whole workspace is listed', { calls: [list('.')] }),
  narrow('everything is searched', { calls: [grep('.')] }),
  narrow('all names are asked for', { calls: [glob('.')] }),
  narrow('a part that is taken out', { calls: [read('src/private/b.js')], expect: 'out-of-scope' }),
  narrow('the same in capitals', { calls: [read('src/PRIVATE/b.js')], expect: 'out-of-scope' }),
  narrow('the same by dots', { calls: [read('src/x/../private/b.js')], expect: 'out-of-scope' }),
  narrow('the same by a link', {
    calls: [read('src/c.js')],
    links: { 'src/c.js': 'private/b.js' },
    expect: 'out-of-scope',
  }),
  narrow('the folder above by a link', { calls: [list('src/up')], links: { 'src/up': '..' } }),
  narrow('a link from inside to a file at the top', {
    calls: [edit('src/r.js')],
    links: { 'src/r.js': '../README.md' },
    expect: 'out-of-scope',
  }),
  narrow('a file that may only be read', { calls: [write('src/deep/c.js')], expect: 'out-of-scope' }),
  narrow('a file of another kind', { calls: [write('src/c.sh')], expect: 'out-of-scope' }),
  narrow('a name that only begins like one', { calls: [write('src/c.js/../../d.js')], expect: 'out-of-scope' }),
  narrow('one file in, one file out', {
    calls: [patch('*** Begin Patch\n*** Add File: src/c.js\n+a\n*** Add File: c.js\n+a\n*** End Patch')],
    expect: 'out-of-scope',
  }),
  narrow('a file that is moved out', {
    calls: [read('src/a.js'), patch('*** Begin Patch\n*** Update File: src/a.js\n*** Move to: a.js\n*** End Patch')],
    expect: 'out-of-scope',
  }),
  narrow('a file that is moved in', {
    calls: [patch('*** Begin Patch\n*** Update File: README.md\n*** Move to: src/r.js\n*** End Patch')],
    expect: 'out-of-scope',
  }),
  narrow('what a person could open, with nobody to ask', {
    calls: [call('write', { path: 'src/deep/new.js', text: 'x', escalate: { why: 'please' } })],
    expect: 'approval-required',
  }),
  narrow('a command that needs a person, with nobody to ask', {
    calls: [run('ls', 'src')],
    expect: 'approval-required',
  }),
  narrow('evidence', { calls: [call('evidence', {})], expect: 'out-of-scope' }),
  {
    id: 'explore changes nothing: it writes',
    where: 'write',
    peripheral: 'explore',
    calls: [write('new.txt')],
    expect: 'tool-not-allowed',
  },
  {
    id: 'explore changes nothing: it edits',
    where: 'write',
    peripheral: 'explore',
    calls: [read('README.md'), edit('README.md')],
    expect: 'tool-not-allowed',
  },
  {
    id: 'test changes nothing: it patches',
    where: 'patch',
    peripheral: 'test',
    calls: [adding('new.txt')],
    expect: 'tool-not-allowed',
  },
  {
    id: 'test changes nothing: several edits',
    where: 'write',
    peripheral: 'test',
    calls: [multiEdit('README.md')],
    expect: 'tool-not-allowed',
  },
  {
    id: 'chat looks at nothing',
    where: 'read',
    peripheral: 'chat',
    calls: [read('README.md')],
    expect: 'tool-not-allowed',
  },
  {
    id: 'reflect looks at nothing',
    where: 'read',
    peripheral: 'reflect',
    calls: [list('.')],
    expect: 'tool-not-allowed',
  },
  {
    id: 'reflect runs nothing',
    where: 'run',
    peripheral: 'reflect',
    calls: [run('ls')],
    expect: 'tool-not-allowed',
  },
]
