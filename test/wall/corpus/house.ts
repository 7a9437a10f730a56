import type { ToolCall } from '../../../src/shapes/peripheral.ts'
import { type Attempt, call, edit, fetchPage, git, hop, inTerminal, read, run, type Where, write } from '../attempt.ts'

type Given = Partial<Omit<Attempt, 'id' | 'where' | 'peripheral' | 'calls'>>

const of =
  (where: Where) =>
  (id: string, peripheral: string, calls: ToolCall[], given: Given = {}): Attempt => ({
    id: `${where}: ${id}`,
    where,
    peripheral,
    calls,
    ...given,
  })

const ask = (args: Record<string, unknown>): ToolCall => call('evidence', args)
const evidence = of('evidence')

/** What others did is theirs: a filter makes a question narrower, never wider than the scope. */
const EVIDENCE: Attempt[] = [
  evidence('all of it', 'edit', [ask({ limit: 50, order: 'oldest' })]),
  evidence('what another agent did', 'edit', [ask({ agent: 'codex-1' })]),
  evidence('what a person said', 'edit', [ask({ author: 'ada', event: 'message' })]),
  evidence('what was said anywhere', 'edit', [ask({ text: 'jam' })]),
  evidence('what was said in another room', 'explore', [ask({ text: 'jam' })]),
  evidence('from the very beginning', 'explore', [ask({ cursor: 0, order: 'oldest', limit: 50 })]),
  evidence('another session by a filter that there is not', 'edit', [ask({ session: 's-attic' })], {
    expect: 'arguments-invalid',
  }),
  evidence('another room by a filter that there is not', 'explore', [ask({ room: 'attic' })], {
    expect: 'arguments-invalid',
  }),
  evidence('an entry by its name', 'explore', [ask({ entry: 'm-s-attic' })], { expect: 'arguments-invalid' }),
  evidence('more than there is room for', 'explore', [ask({ limit: 100_000 })], { expect: 'arguments-invalid' }),
  evidence('a list where one is asked for', 'explore', [ask({ agent: ['codex-1', 'claude-1'] })], {
    expect: 'arguments-invalid',
  }),
  evidence('a cursor of its own making', 'reflect', [ask({ cursor: "0' or 1=1" })]),
  evidence('a text with a language in it', 'reflect', [ask({ text: '" OR session:s-attic --' })]),
  evidence('where there is none', 'chat', [ask({})], { expect: 'tool-not-allowed' }),
]

const hops = of('hop')
const NOWHERE: Record<string, string[]> = {
  chat: ['test', 'deploy', 'chat', 'browse'],
  explore: ['edit', 'test', 'deploy', 'explore', 'browse'],
  edit: ['test', 'deploy', 'edit', 'intranet'],
  test: ['deploy', 'edit', 'explore', 'test'],
  reflect: ['explore', 'edit', 'test', 'deploy', 'reflect'],
  narrow: ['edit', 'chat'],
}

/** Every hop that nothing leads to, and what one could gain by the way. */
const HOPS: Attempt[] = [
  ...Object.entries(NOWHERE).flatMap(([from, all]) =>
    all.map((to) => hops(`from ${from} to ${to}, with nothing done`, from, [hop(to)], { expect: 'hop-refused' })),
  ),
  hops('to nowhere', 'edit', [hop('nowhere')], { expect: 'hop-refused' }),
  hops('to what every object has', 'edit', [hop('__proto__')], { expect: 'arguments-invalid' }),
  hops('to another spelling', 'edit', [hop('Explore')], { expect: 'arguments-invalid' }),
  hops('to a path', 'edit', [hop('../explore')], { expect: 'arguments-invalid' }),
  hops('to two at once', 'edit', [call('hop', { to: ['explore', 'chat'] })], { expect: 'arguments-invalid' }),
  hops('with a fruit of its own', 'edit', [call('hop', { to: 'test', fruit: { changed: [] } })], {
    expect: 'arguments-invalid',
  }),
  hops('with a context of its own', 'edit', [call('hop', { to: 'explore', context: { role: 'admin' } })], {
    expect: 'arguments-invalid',
  }),
  hops('deploy is where it begins', 'deploy', [git('push')], { expect: 'entry-refused' }),
  hops('deploy by way of chat', 'chat', [hop('edit'), hop('chat'), hop('deploy')], { expect: 'hop-refused' }),
  hops(
    'deploy after a change that was taken back',
    'edit',
    [
      write('n.txt', 'x'),
      call('apply-patch', { patch: '*** Begin Patch\n*** Delete File: n.txt\n*** End Patch' }),
      hop('test'),
    ],
    {
      expect: 'hop-refused',
    },
  ),
  hops('test after a change that failed', 'edit', [write('../outside/x'), hop('test')], { expect: 'hop-refused' }),
  hops('edit after a file that was not found', 'explore', [read('nowhere.txt'), hop('edit')], {
    expect: 'hop-refused',
  }),
  hops('edit after a file that was refused', 'explore', [read('.env'), hop('edit')], { expect: 'hop-refused' }),
  hops(
    'the tools of the old wall in the new one',
    'chat',
    [hop('explore'), hop('chat'), fetchPage('https://nodejs.org/')],
    {
      expect: 'tool-not-allowed',
    },
  ),
  hops('to write after the way from edit', 'edit', [hop('explore'), write('n.txt')], { expect: 'tool-not-allowed' }),
  hops('to write in one breath with the way out', 'edit', [hop('explore'), write('n.txt')], {
    together: true,
    expect: 'tool-not-allowed',
  }),
  hops('two ways in one breath', 'edit', [hop('explore'), hop('chat')], { together: true }),
  hops('to run what only edit runs', 'edit', [hop('explore'), run('node', 'src/a.js')], {
    expect: 'command-not-allowed',
  }),
  hops(
    'to fetch with what only explore has',
    'explore',
    [read('README.md'), hop('edit'), fetchPage('https://nodejs.org/')],
    {
      expect: 'tool-not-allowed',
    },
  ),
  hops('secrets by the long way round', 'chat', [hop('explore'), read('.env')], { expect: 'out-of-scope' }),
  hops('a review that says nothing', 'reflect', [call('reflect', { worked: ' ', didNot: '', next: '' }), hop('edit')], {
    expect: 'hop-refused',
  }),
  hops('deploy after tests that were not run', 'edit', [write('n.txt', 'x'), hop('test'), hop('deploy')], {
    expect: 'hop-refused',
  }),
  hops(
    'deploy after tests that failed',
    'edit',
    [read('ok.test.js'), write('ok.test.js', 'throw new Error()\n'), hop('test'), run('npm', 'test'), hop('deploy')],
    {
      expect: 'hop-refused',
      slow: true,
    },
  ),
  hops(
    'deploy after a test that only says it passed',
    'edit',
    [
      read('package.json'),
      write('package.json', '{ "scripts": { "test": "echo 1 passing; exit 1" } }'),
      hop('test'),
      run('npm', 'test'),
      hop('deploy'),
    ],
    { expect: 'hop-refused', slow: true },
  ),
]

const advance = (outputs: unknown): ToolCall => call('advance', { outputs })
const phases = of('phase')

const PHASES: Attempt[] = [
  phases('to write before looking', 'phased', [write('n.txt')], { expect: 'phase-forbids' }),
  phases('a tool of no phase', 'phased', [edit('README.md')], { expect: 'phase-forbids' }),
  phases('on without what is owed', 'phased', [advance({}), write('n.txt')], { expect: 'phase-forbids' }),
  phases('on with something else', 'phased', [advance({ other: 'x' }), write('n.txt')], { expect: 'phase-forbids' }),
  phases('on with blanks', 'phased', [advance({ plan: '  ' })], { expect: 'arguments-invalid' }),
  phases('on with what every object has', 'phased', [advance({ constructor: 'x', toString: 'y' }), write('n.txt')], {
    expect: 'phase-forbids',
  }),
  phases('on to a phase by its name', 'phased', [call('advance', { outputs: { plan: 'x' }, to: 'work' })], {
    expect: 'arguments-invalid',
  }),
  phases('a command of the next phase', 'phased', [run('node', 'src/a.js')], { expect: 'command-not-allowed' }),
  phases('a tool of the phase before', 'phased', [advance({ plan: 'x' }), run('ls')], { expect: 'phase-forbids' }),
  phases('on and on', 'phased', [advance({ plan: 'x' }), advance({ plan: 'x' })], { expect: 'phase-forbids' }),
  phases('to write in one breath with going on', 'phased', [write('n.txt'), advance({ plan: 'x' })], {
    together: true,
  }),
  phases('to add before looking', 'deploy', [git('add', '-A')], { expect: 'command-not-allowed' }),
  phases('to commit before looking', 'deploy', [git('commit', '-m', 'x')], { expect: 'command-not-allowed' }),
  phases('to push before looking', 'deploy', [git('push')], { expect: 'command-not-allowed' }),
  phases('to tag before looking', 'deploy', [git('tag', '-a', 'v2', '-m', 'x')], { expect: 'command-not-allowed' }),
  phases('to commit with nothing said of the look', 'deploy', [advance({}), git('commit', '-m', 'x')], {
    expect: 'command-not-allowed',
  }),
  phases('to write where there is nothing to write with', 'deploy', [advance({ summary: 'x' }), write('n.txt')], {
    expect: 'tool-not-allowed',
  }),
]

const more = (argv: string[], escalate: unknown): ToolCall => call('run', { argv, escalate })
const PLEASE = { why: 'please' }
const approvals = of('approval')

const APPROVALS: Attempt[] = [
  approvals('packages without asking', 'edit', [run('npm', 'install', 'zod')], { expect: 'command-not-allowed' }),
  approvals('packages, and a person says no', 'edit', [more(['npm', 'ci'], PLEASE)], {
    person: 'denies',
    expect: 'approval-denied',
  }),
  approvals('packages, and nobody answers', 'edit', [more(['npm', 'install', 'zod'], PLEASE)], {
    expect: 'approval-lapsed',
  }),
  approvals('again, after a no', 'edit', [more(['npm', 'ci'], PLEASE), more(['npm', 'ci'], PLEASE)], {
    person: 'denies',
    expect: 'approval-denied',
  }),
  approvals('another call, after a yes', 'asking', [write('src/n.js', 'x'), write('docs/n.md', 'x')], {
    person: 'approves',
    expect: 'out-of-scope',
  }),
  approvals('what the ceiling does not have', 'edit', [more(['curl', 'http://127.0.0.1:@port@/'], PLEASE)], {
    person: 'approves',
    expect: 'command-not-allowed',
  }),
  approvals('a shell with a good reason', 'edit', [more(['sh', '-c', 'id'], { why: 'an admin said so' })], {
    person: 'approves',
    expect: 'command-not-allowed',
  }),
  approvals(
    'a place that no ceiling opens',
    'asking',
    [call('write', { path: '../outside/@mark@', text: 'x', escalate: PLEASE })],
    { person: 'approves', expect: 'out-of-scope' },
  ),
  approvals('a secret with a good reason', 'asking', [call('write', { path: '.env', text: 'x', escalate: PLEASE })], {
    person: 'approves',
    expect: 'out-of-scope',
  }),
  approvals('more where nobody can open more', 'test', [more(['npm', 'test'], PLEASE)], {
    person: 'approves',
    expect: 'approval-required',
  }),
  approvals('more where there is no ceiling', 'explore', [more(['ls'], PLEASE)], {
    person: 'approves',
    expect: 'approval-required',
  }),
  approvals('without a reason', 'edit', [more(['npm', 'ci'], { why: '' })], { expect: 'arguments-invalid' }),
  approvals('with an approval of its own making', 'edit', [more(['npm', 'ci'], { why: 'x', approved: true })], {
    expect: 'arguments-invalid',
  }),
  approvals('with the name of an approval', 'edit', [call('run', { argv: ['npm', 'ci'], approval: 'abcde' })], {
    expect: 'arguments-invalid',
  }),
  approvals(
    'with a decision',
    'asking',
    [call('write', { path: 'src/n.js', text: 'x', decision: { kind: 'approved', entry: 't1' } })],
    { expect: 'arguments-invalid' },
  ),
  approvals('a reason that is a yes', 'edit', [more(['npm', 'ci'], true)], { expect: 'arguments-invalid' }),
  approvals(
    'an edit with a reason, which edits do not take',
    'edit',
    [call('edit', { path: 'README.md', old: 'a', new: 'b', escalate: PLEASE })],
    { expect: 'arguments-invalid' },
  ),
  approvals('a change that a person does not want', 'asking', [write('src/n.js', 'x')], {
    person: 'denies',
    expect: 'approval-denied',
  }),
  approvals('a command that a person does not want', 'asking', [run('ls')], {
    person: 'denies',
    expect: 'approval-denied',
  }),
  approvals('a tool that is always asked for', 'asking', [call('list', {})], {
    person: 'denies',
    expect: 'approval-denied',
  }),
  approvals('a change, and nobody answers', 'asking', [write('src/n.js', 'x')], { expect: 'approval-lapsed' }),
]

const budgets = of('budget')

const BUDGETS: Attempt[] = [
  budgets(
    'to knock at the wall for ever',
    'chat',
    Array.from({ length: 11 }, (_, n) => hop(`nowhere-${'abcdefghijk'[n]}`)),
    { expect: 'budget-spent' },
  ),
  budgets(
    'to knock with tools that there are not',
    'chat',
    Array.from({ length: 11 }, (_, n) => read(`${n}.txt`)),
    { expect: 'tool-not-allowed' },
  ),
  budgets(
    'the same again and again',
    'edit',
    Array.from({ length: 4 }, () => read('../outside/secret.txt')),
    { expect: 'looping' },
  ),
  budgets(
    'the same in one breath',
    'edit',
    Array.from({ length: 6 }, () => read('.env')),
    { together: true },
  ),
  budgets(
    'a new wall for a new budget',
    'chat',
    [
      ...Array.from({ length: 8 }, (_, n) => hop(`nowhere-${'abcdefghijk'[n]}`)),
      hop('edit'),
      hop('chat'),
      hop('explore'),
    ],
    {
      expect: 'budget-spent',
    },
  ),
  budgets(
    'all the steps there are',
    'explore',
    Array.from({ length: 51 }, (_, n) => read(`${n}/../../outside/secret.txt`)),
    { expect: 'budget-spent' },
  ),
]

const holds = of('hold')

const HOLDS: Attempt[] = [
  holds('a file that another agent holds', 'edit', [write('src/held.js', 'x')], { expect: 'path-held' }),
  holds('the same by dots', 'edit', [write('src/../src/./held.js', 'x')], { expect: 'path-held' }),
  holds('the same by its whole path', 'edit', [write('@root@/src/held.js', 'x')], { expect: 'path-held' }),
  holds('the same by a link', 'edit', [edit('mine.md')], {
    links: { 'mine.md': 'docs/guide.md' },
    expect: 'path-held',
  }),
  holds(
    'the same in a patch with others',
    'edit',
    [
      call('apply-patch', {
        patch: '*** Begin Patch\n*** Add File: a.txt\n+x\n*** Add File: src/held.js\n+x\n*** End Patch',
      }),
    ],
    {
      expect: 'path-held',
    },
  ),
  holds(
    'a file that is moved over it',
    'edit',
    [
      call('apply-patch', {
        patch: '*** Begin Patch\n*** Update File: README.md\n*** Move to: src/held.js\n*** End Patch',
      }),
    ],
    {
      expect: 'path-held',
    },
  ),
]

const terminals = of('terminal')
const terminal = (args: Record<string, unknown>): ToolCall => call('terminal', args)

const TERMINALS: Attempt[] = [
  terminals('one that there is not', 'edit', [terminal({ do: 'read', name: 'server' })]),
  terminals('one of another session by its name', 'edit', [terminal({ do: 'read', name: 's-attic-server' })]),
  terminals('one of another session by a path', 'edit', [terminal({ do: 'read', name: '../s-attic/server' })], {
    expect: 'arguments-invalid',
  }),
  terminals('to write to one that there is not', 'edit', [terminal({ do: 'write', name: 'server', text: 'id\n' })]),
  terminals('to end one that there is not', 'edit', [terminal({ do: 'stop', name: 'server' })]),
  terminals('a name of another kind', 'edit', [terminal({ do: 'read', name: '__proto__' })], {
    expect: 'arguments-invalid',
  }),
  terminals('a verb that there is not', 'edit', [terminal({ do: 'exec', name: 'server' })], {
    expect: 'arguments-invalid',
  }),
  terminals('where there are none', 'explore', [terminal({ do: 'list' })], { expect: 'tool-not-allowed' }),
  terminals('a command that may not run, in one', 'edit', [inTerminal('server', 'sh')], {
    expect: 'command-not-allowed',
  }),
  terminals('a name that is an option', 'edit', [inTerminal('--server', 'ls')], { expect: 'arguments-invalid' }),
  terminals(
    'one that is left behind by a hop',
    'edit',
    [
      write('wait.mjs', 'setInterval(() => {}, 1000)\n'),
      inTerminal('left', 'node', 'wait.mjs'),
      hop('explore'),
      terminal({ do: 'list' }),
    ],
    {
      expect: 'tool-not-allowed',
      slow: true,
    },
  ),
]

const spills = of('spill')

const SPILLS: Attempt[] = [
  spills('of another session', 'edit', [read('spill:t7.7')]),
  spills('of another session by its folder', 'edit', [read('spill:../s-attic/t7.7')]),
  spills('of another session by a path', 'edit', [read('spill:s-attic/t7.7')]),
  spills('outside', 'edit', [read('spill:../../outside/secret.txt')]),
  spills('at an absolute path', 'edit', [read('spill:/etc/passwd')]),
  spills('above', 'edit', [read('spill:..')]),
  spills('of nothing', 'edit', [read('spill:')]),
  spills('in capitals', 'edit', [read('SPILL:t1.0')]),
  spills('with a NUL', 'edit', [read('spill:t1.0\0')], { expect: 'out-of-scope' }),
  spills('in a command', 'explore', [run('head', '-n', '3', 'spill:t1.0')], { slow: true }),
  spills('that is searched', 'edit', [call('grep', { pattern: '.', path: 'spill:../s-lobby/t7.7' })]),
]

const shapes = of('call')

const CALLS: Attempt[] = [
  ...Object.entries({
    'what every object has': '__proto__',
    'what makes objects': 'constructor',
    'a method of objects': 'toString',
    'a tool in capitals': 'READ',
    'a tool with a blank': 'read ',
    'a tool with a NUL': 'read\0',
    'a tool with a letter that looks the same': 'rеad',
    'a tool with a letter that cannot be seen': 're\u200bad',
    'no name': '',
    'two tools': 'read,write',
    'a tool of another spelling': 'multi_edit',
    'a tool of another system': 'bash',
    'a name without end': 'x'.repeat(10_000),
  }).map(([id, tool]) =>
    shapes(`a tool that is ${id}`, 'edit', [call(tool, { path: 'README.md' })], { expect: 'tool-not-allowed' }),
  ),
  ...Object.entries({
    'a list as a path': { path: ['../outside/secret.txt'] },
    'a number as a path': { path: 7 },
    'an object as a path': { path: { toString: 'x', real: '/etc/passwd', name: 'x' } },
    'nothing as a path': { path: null },
    'no path': {},
    'a path and more': { path: 'README.md', follow: true },
    'a path and its real one': { path: 'README.md', real: '/etc/passwd' },
    'a line that is none': { path: 'README.md', from: -1 },
    'half a line': { path: 'README.md', from: 1.5 },
    'lines without end': { path: 'README.md', lines: Number.MAX_VALUE },
    'a scope of its own': { path: '.env', scope: { read: ['**'] } },
  }).map(([id, args]) => shapes(`arguments with ${id}`, 'edit', [call('read', args)], { expect: 'arguments-invalid' })),
  shapes('arguments with what every object has', 'edit', [
    call('read', JSON.parse('{ "path": ".env", "__proto__": { "path": "README.md" } }') as Record<string, unknown>),
  ]),
  shapes(
    'arguments with a way to make objects',
    'edit',
    [call('read', { path: '.env', constructor: { prototype: { path: 'README.md' } } })],
    {
      expect: 'arguments-invalid',
    },
  ),
  shapes('a pattern that takes for ever', 'edit', [call('glob', { pattern: `${'{a,'.repeat(60)}b${'}'.repeat(60)}` })]),
  shapes('an expression that takes for ever', 'edit', [call('grep', { pattern: '(a+)+$', path: 'README.md' })]),
  shapes('an expression that is an option', 'edit', [call('grep', { pattern: '--pre=sh', path: 'README.md' })]),
  shapes('a pattern that calls back what is hidden', 'edit', [call('grep', { pattern: 'jam', glob: '.env*' })]),
  shapes('a pattern for everything', 'edit', [call('glob', { pattern: '**/.*' })]),
  shapes('a pattern that climbs out', 'edit', [call('glob', { pattern: '../**/*.txt' })]),
  shapes('an ignore file that calls back what is hidden', 'edit', [
    write('.rgignore', '!.env\n!.git\n'),
    call('grep', { pattern: 'jam' }),
  ]),
  shapes('a text that is too long', 'edit', [write('big.txt', 'x'.repeat(4_000_000))]),
]

export const HOUSE: readonly Attempt[] = [
  ...EVIDENCE,
  ...HOPS,
  ...PHASES,
  ...APPROVALS,
  ...BUDGETS,
  ...HOLDS,
  ...TERMINALS,
  ...SPILLS,
  ...CALLS,
]
