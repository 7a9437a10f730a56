import type { RefusalCode } from '../../../src/shapes/refusal.ts'
import { type Attempt, git, hop, program, run, write } from '../attempt.ts'

const refused = (peripheral: string, commands: Record<string, string[]>, expect: RefusalCode = 'command-not-allowed') =>
  Object.entries(commands).map(
    ([id, argv]): Attempt => ({
      id: `git in ${peripheral}: ${id}`,
      where: 'git',
      peripheral,
      calls: [git(...argv)],
      expect,
    }),
  )

const LOOKS: Record<string, string[]> = {
  'a setting that is an alias': ['-c', 'alias.x=!id', 'x'],
  'a setting that is a pager': ['-c', 'core.pager=id', 'log', '-n', '1'],
  'a setting that watches files': ['-c', 'core.fsmonitor=./x', 'status'],
  'a setting from the environment': ['--config-env=core.pager=HOME', 'log'],
  'another place for its programs': ['--exec-path=.', 'status'],
  'another folder': ['-C', '../outside', 'status'],
  'another repository': ['--git-dir=../outside/.git', 'status'],
  'another tree': ['--work-tree=/', 'status'],
  'a program for differences': ['diff', '--ext-diff'],
  'a program that makes text': ['diff', '--textconv'],
  'an output to a file': ['diff', '--output=../outside/x'],
  'an output to a file, in two words': ['log', '--oneline', '-n', '1', '--output', '../outside/x'],
  'files that are in no repository': ['diff', '--no-index', '/dev/null', '.env'],
  'an order from a file': ['diff', '-O../outside/secret.txt'],
  'a file of a revision': ['show', 'HEAD:.env'],
  'a file of the index': ['show', ':.env'],
  'a file of the index, of another stage': ['show', ':0:.env'],
  'a revision that is an option': ['show', '--output=x'],
  'a revision with a place up': ['show', 'HEAD/../x'],
  'the content of an object': ['cat-file', '-p', 'HEAD'],
  'the content of files': ['grep', 'jam', 'HEAD~1'],
  'an archive': ['archive', '--remote=ext::sh', 'HEAD'],
  'an archive to a file': ['archive', '-o', '../outside/x.tar', 'HEAD'],
  'a bundle': ['bundle', 'create', '../outside/x', 'HEAD'],
  'patches to a folder': ['format-patch', '-o', '../outside', 'HEAD~1'],
  'what is remote': ['remote', '-v'],
  'what is set': ['config', '--list'],
  'a setting that is made': ['config', 'core.hooksPath', 'src'],
  credentials: ['credential', 'fill'],
  'a copy': ['clone', 'ext::sh -c id', 'x'],
  'a copy with a program': ['clone', '--upload-pack=id', '.', 'x'],
  'to fetch': ['fetch', '--upload-pack=id', 'origin'],
  'what is at a remote': ['ls-remote', 'ext::sh -c id'],
  'submodules that update': ['submodule', 'update', '--init'],
  'a command in each submodule': ['submodule', 'foreach', 'id'],
  'a search for a fault with a program': ['bisect', 'run', 'id'],
  'a program for each commit': ['rebase', '-x', 'id', 'HEAD~1'],
  'a rewrite of history': ['filter-branch', '--tree-filter', 'id'],
  'a patch that is applied': ['apply', 'x.patch'],
  'another branch': ['checkout', 'HEAD~1', '--', '.env'],
  'a file that is taken back': ['restore', '--source=HEAD~1', '.env'],
  'another worktree': ['worktree', 'add', '../outside/x'],
  'hooks that are run': ['hook', 'run', 'pre-commit'],
  'blame with a program': ['blame', '--contents', '../outside/secret.txt', '--', 'README.md'],
  'blame of a revision': ['blame', 'HEAD~1', '--', '.env'],
  'its own language of paths': ['diff', '--', ':(top)*'],
  'its own language that leaves out': ['diff', '--', ':!README.md'],
  'a pattern': ['diff', '--', '*'],
}

const PATHS: Record<string, string[]> = {
  'who wrote a secret': ['blame', '--', '.env'],
  'what became of a secret': ['log', '--oneline', '-n', '5', 'HEAD', '--', '.env'],
  'how a secret differs': ['diff', 'HEAD~1', '--', '.env'],
  'how a file outside differs': ['diff', 'HEAD', '--', '../outside/secret.txt'],
  'who wrote a file outside': ['blame', '--', '@outside@/secret.txt'],
}

const RELEASES: Record<string, string[]> = {
  'a push that rewrites history': ['push', '--force'],
  'a push that receives with a program': ['push', '--receive-pack=id', 'origin', 'main'],
  'a push to a program': ['push', 'ext::sh -c id', 'main'],
  'a push to a file': ['push', 'file:///@outside@', 'main'],
  'a push to an address': ['push', 'http://127.0.0.1:@port@/x.git', 'main'],
  'a push to a folder above': ['push', '../outside', 'main'],
  'a push that forces one branch': ['push', 'origin', '+main'],
  'a push that deletes a branch': ['push', 'origin', ':main'],
  'a push of another name': ['push', 'origin', 'main:release'],
  'a push with a setting': ['-c', 'core.sshCommand=id', 'push'],
  'a push with an option': ['push', '-o', 'x', 'origin', 'main'],
  'a commit with hooks of its own': ['-c', 'core.hooksPath=src', 'commit', '-m', 'x'],
  'a commit of somebody else': ['commit', '-m', 'x', '--author=root <root@localhost>'],
  'a commit with a message from a file': ['commit', '-F', '../outside/secret.txt'],
  'a commit with an editor': ['commit', '-e', '-m', 'x'],
  'a commit that is put over the last': ['commit', '--amend', '-m', 'x'],
  'a secret that is added by force': ['add', '-f', '.env'],
  'files from a list': ['add', '--pathspec-from-file=../outside/secret.txt'],
  'a tag that is an option': ['tag', '-a', '--force', '-m', 'x'],
  'a tag that is deleted': ['tag', '-d', 'v1'],
}

const LOOKED = { tool: 'advance', args: { outputs: { summary: 'looked' } } }

/** A nested repository that the agent makes: its settings name programs, for whoever obeys them. */
const NESTED = (folder: string, more: string) => `
const g = (...argv) => execFileSync('git', argv, { cwd: '${folder}', stdio: 'inherit', env: { ...process.env, GIT_CONFIG_COUNT: '0' } })
fs.mkdirSync('${folder}', { recursive: true })
g('init', '--quiet', '.')
g('config', 'user.name', 'e')
g('config', 'user.email', 'e@e')
fs.writeFileSync('${folder}/f.txt', 'aaaa\\n')
g('add', 'f.txt')
g('commit', '--quiet', '-m', 'x')
${more}
`

const slow = (id: string, more: Omit<Attempt, 'id' | 'where' | 'slow'>): Attempt => ({
  id: `git: ${id}`,
  where: 'git',
  slow: true,
  ...more,
})

const RUNNING: Attempt[] = [
  slow('a commit that took a secret by mistake is shown', { peripheral: 'explore', calls: [git('show', 'HEAD~1')] }),
  slow('the commit that took it back is shown', { peripheral: 'explore', calls: [git('show', 'HEAD')] }),
  slow('a secret in the difference of two commits', {
    peripheral: 'explore',
    calls: [git('diff', 'HEAD~2', 'HEAD~1', '--')],
  }),
  slow('a secret in the difference to now', { peripheral: 'explore', calls: [git('diff', 'HEAD~1', '--')] }),
  slow('the history with its files', { peripheral: 'explore', calls: [git('log', '--stat', '-n', '9')] }),
  slow('the tree of a commit', { peripheral: 'explore', calls: [git('show', 'HEAD~1^{tree}')] }),
  slow('what is not kept', { peripheral: 'explore', calls: [git('status', '--short')] }),
  slow('a difference by a program that attributes name', {
    peripheral: 'edit',
    calls: [write('.gitattributes', '* diff=evil\n*.md filter=evil\n'), write('README.txt', 'x'), git('diff')],
  }),
  slow('hooks that are written as files of the workspace', {
    peripheral: 'edit',
    calls: [write('hooks/post-index-change', '#!/bin/sh\ntouch @outside@/@mark@\n'), git('status')],
  }),
  slow('a program that makes hooks', {
    peripheral: 'edit',
    calls: [
      ...program(
        `put('.git/hooks/pre-commit'); put('.git/hooks/post-checkout'); attempt(() => fs.chmodSync('.git/hooks/pre-commit', 0o755))`,
      ),
      git('status'),
    ],
  }),
  slow('a program that changes the settings', {
    peripheral: 'edit',
    calls: [
      ...program(`sh('git config core.hooksPath src; git config alias.st "!id"; echo x >> .git/config')`),
      git('status'),
    ],
  }),
  slow('a program that replaces the repository', {
    peripheral: 'edit',
    calls: [
      ...program(
        `attempt(() => fs.renameSync('.git', 'old')); attempt(() => fs.rmSync('.git', { recursive: true })); sh('mv .git x; ln -s /tmp .git; rm -rf .git')`,
      ),
      git('status'),
    ],
  }),
  slow('a program that reads the settings', {
    peripheral: 'edit',
    calls: program(
      `cat('.git/config'); sh('git config --list --show-origin; git config --global --list; git remote -v')`,
    ),
  }),
  slow('a program that asks for credentials', {
    peripheral: 'edit',
    calls: program(`sh('printf "protocol=https\\nhost=example.org\\n\\n" | git credential fill')`),
  }),
  slow('a repository in a folder that watches files', {
    peripheral: 'edit',
    calls: [
      ...program(NESTED('vendor', `g('config', 'core.fsmonitor', 'touch @outside@/@mark@; cat ../.env >&2')`)),
      git('status'),
      git('diff'),
    ],
  }),
  slow('a bare repository in a folder, with hooks', {
    peripheral: 'edit',
    calls: [
      ...program(
        `sh('git init --quiet --bare bare.git; printf "#!/bin/sh\\ntouch @outside@/@mark@\\n" > bare.git/hooks/post-update')`,
      ),
      git('status'),
      git('diff'),
    ],
  }),
  slow('a file in the place of the repository, which leads outside', {
    peripheral: 'edit',
    calls: [...program(`fs.mkdirSync('w'); fs.writeFileSync('w/.git', 'gitdir: @outside@\\n')`), git('status')],
  }),
  slow('submodules whose update is a command', {
    peripheral: 'edit',
    calls: [
      write(
        '.gitmodules',
        '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch @outside@/@mark@"\n\tupdate = !touch @outside@/@mark@\n',
      ),
      git('status'),
      git('diff'),
    ],
  }),
  slow('everything is added and committed: not the secrets', {
    peripheral: 'deploy',
    commits: true,
    calls: [LOOKED, git('add', '-A'), git('commit', '-m', 'all of it'), git('log', '--stat', '-n', '1')],
  }),
  slow('a folder with a secret is added', {
    peripheral: 'deploy',
    commits: true,
    calls: [LOOKED, git('add', '--', 'config', 'keys'), git('commit', '-m', 'some of it')],
  }),
  slow('a secret is added by its name', {
    peripheral: 'deploy',
    commits: true,
    expect: 'out-of-scope',
    calls: [LOOKED, git('add', '--', 'README.md', '.env')],
  }),
  slow('a commit whose hooks are files of the workspace', {
    peripheral: 'deploy',
    commits: true,
    files: {
      'hooks/pre-commit': '#!/bin/sh\ntouch @outside@/@mark@\n',
      '.husky/pre-commit': 'touch @outside@/@mark@\n',
    },
    calls: [LOOKED, git('add', '-A'), git('commit', '-m', 'with hooks')],
  }),
  slow('a commit with filters in its attributes', {
    peripheral: 'deploy',
    commits: true,
    files: { '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'x.txt': 'x' },
    calls: [LOOKED, git('add', '-A'), git('commit', '-m', 'with filters')],
  }),
  slow('a tag whose name is an option', {
    peripheral: 'deploy',
    commits: true,
    expect: 'command-not-allowed',
    calls: [LOOKED, git('tag', '-a', '-d', '-m', 'x')],
  }),
  slow('a push that a person does not want', {
    peripheral: 'deploy',
    person: 'denies',
    expect: 'approval-denied',
    calls: [LOOKED, git('push')],
  }),
  slow('a push, with nobody to ask', {
    peripheral: 'deploy',
    expect: 'approval-lapsed',
    calls: [LOOKED, git('push', 'origin', 'main')],
  }),
  slow('a push to a folder with an option for a name', {
    peripheral: 'deploy',
    person: 'approves',
    expect: 'command-not-allowed',
    calls: [LOOKED, git('push', '--upload-pack', 'main')],
  }),
  slow('a commit, and back to where there are other tools', {
    peripheral: 'deploy',
    commits: true,
    expect: 'tool-not-allowed',
    calls: [LOOKED, hop('reflect'), run('git', 'push')],
  }),
]

export const GIT: readonly Attempt[] = [
  ...refused('explore', LOOKS),
  ...refused('explore', PATHS, 'out-of-scope'),
  ...Object.entries(RELEASES).map(
    ([id, argv]): Attempt => ({
      id: `git in deploy: ${id}`,
      where: 'git',
      peripheral: 'deploy',
      calls: [LOOKED, git(...argv)],
      ...(id === 'a push to a folder above' ? {} : { expect: 'command-not-allowed' }),
    }),
  ),
  ...RUNNING,
]
