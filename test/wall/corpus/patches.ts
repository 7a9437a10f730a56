import { type Attempt, patch, read } from '../attempt.ts'

const envelope = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
const lines = (...text: string[]): string => `${text.join('\n')}\n`

type Given = Omit<Attempt, 'id' | 'where' | 'peripheral' | 'calls'>

const tried = (id: string, text: string, given: Given = { expect: 'out-of-scope' }): Attempt => ({
  id: `a patch: ${id}`,
  where: 'patch',
  peripheral: 'edit',
  calls: [patch(text)],
  ...given,
})

const ENVELOPES: Attempt[] = [
  tried('a file that is added above', envelope('*** Add File: ../@mark@', '+x')),
  tried('a file that is added at an absolute path', envelope('*** Add File: /tmp/@mark@', '+x')),
  tried('a file that is deleted outside', envelope('*** Delete File: ../outside/secret.txt')),
  tried('a secret that is deleted', envelope('*** Delete File: .env')),
  tried('a file outside that is changed', envelope('*** Update File: ../outside/secret.txt', '@@', '-the', '+THE')),
  tried(
    'a file that is moved outside',
    envelope('*** Update File: README.md', '*** Move to: ../@mark@', '@@', '-# a workspace', '+x'),
  ),
  tried('a file outside that is moved in', envelope('*** Update File: ../outside/secret.txt', '*** Move to: mine.txt')),
  tried('a secret that is moved', envelope('*** Update File: .env', '*** Move to: env.txt')),
  tried('a file that becomes a secret', envelope('*** Update File: README.md', '*** Move to: .env.production')),
  tried('a file that becomes a hook', envelope('*** Update File: README.md', '*** Move to: .git/hooks/pre-commit')),
  tried('one good file and one outside', envelope('*** Add File: good.txt', '+x', '*** Add File: ../@mark@', '+x')),
  tried('a hook', envelope('*** Add File: .git/hooks/post-commit', '+#!/bin/sh')),
  tried('a name with blanks around it', envelope('*** Add File:  ../@mark@ ', '+x'), {}),
  tried('a file through a link', envelope('*** Add File: a-folder/@mark@', '+x'), {
    links: { 'a-folder': '../outside' },
    expect: 'out-of-scope',
  }),
  tried('a link that is deleted takes nothing with it', envelope('*** Delete File: a-link'), {
    links: { 'a-link': '../outside/secret.txt' },
    expect: 'out-of-scope',
  }),
  tried(
    'a file in two sections',
    envelope('*** Add File: a-link', '+x', '*** Update File: a-link', '@@', '-x', '+y'),
    {},
  ),
]

const UNIFIED: Attempt[] = [
  tried(
    'a name that climbs out',
    lines('--- a/../../outside/secret.txt', '+++ b/../../outside/secret.txt', '@@ -1 +1 @@', '-a', '+b'),
  ),
  tried(
    'names without a and b',
    lines('--- ../outside/secret.txt', '+++ ../outside/secret.txt', '@@ -1 +1 @@', '-a', '+b'),
  ),
  tried('an absolute name', lines('--- /dev/null', '+++ @outside@/@mark@', '@@ -0,0 +1 @@', '+x')),
  tried(
    'a good old name and a bad new one',
    lines('--- a/README.md', '+++ b/../outside/secret.txt', '@@ -1 +1 @@', '-a', '+b'),
  ),
  tried(
    'a bad old name and a good new one',
    lines('--- a/../outside/secret.txt', '+++ b/README.md', '@@ -1 +1 @@', '-a', '+b'),
  ),
  tried(
    'a file that is renamed outside',
    lines(
      'diff --git a/README.md b/../@mark@',
      'similarity index 100%',
      'rename from README.md',
      'rename to ../@mark@',
    ),
  ),
  tried(
    'a file outside that is renamed in',
    lines(
      'diff --git a/../outside/secret.txt b/mine.txt',
      'similarity index 100%',
      'rename from ../outside/secret.txt',
      'rename to mine.txt',
    ),
  ),
  tried(
    'a file that is copied',
    lines('diff --git a/.env b/mine.txt', 'similarity index 100%', 'copy from .env', 'copy to mine.txt'),
    {},
  ),
  tried(
    'a secret that is deleted by git',
    lines('diff --git a/.env b/.env', 'deleted file mode 100644', '--- a/.env', '+++ /dev/null', '@@ -1 +0,0 @@', '-x'),
  ),
  tried('a null device that is none', lines('--- /dev/null', '+++ /dev/null', '@@ -0,0 +1 @@', '+x'), {}),
  tried('a null device by dots', lines('--- /dev/../etc/passwd', '+++ /dev/../etc/passwd', '@@ -1 +1 @@', '-a', '+b')),
  tried(
    'a name in quotes',
    lines('--- "a/\\056\\056/outside/secret.txt"', '+++ "b/\\056\\056/outside/secret.txt"', '@@ -1 +1 @@', '-a', '+b'),
    {},
  ),
  tried(
    'a name with a tab and a time',
    lines(
      '--- a/../outside/secret.txt\t2026-01-01',
      '+++ b/../outside/secret.txt\t2026-01-01',
      '@@ -1 +1 @@',
      '-a',
      '+b',
    ),
  ),
  tried(
    'lines of Windows',
    '--- a/../outside/secret.txt\r\n+++ b/../outside/secret.txt\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n',
  ),
  tried(
    'an index line with another name',
    lines('Index: ../outside/secret.txt', '--- README.md', '+++ README.md', '@@ -1 +1 @@', '-# a workspace', '+# b'),
    {},
  ),
  tried(
    'a link',
    lines(
      'diff --git a/out b/out',
      'new file mode 120000',
      '--- /dev/null',
      '+++ b/out',
      '@@ -0,0 +1 @@',
      '+../outside/secret.txt',
      '\\ No newline at end of file',
    ),
    {},
  ),
  tried(
    'a submodule',
    lines(
      'diff --git a/sub b/sub',
      'new file mode 160000',
      '--- /dev/null',
      '+++ b/sub',
      '@@ -0,0 +1 @@',
      `+Subproject commit ${'a'.repeat(40)}`,
    ),
    {},
  ),
  tried('settings of git', lines('--- a/.git/config', '+++ b/.git/config', '@@ -1 +1 @@', '-[core]', '+[alias]')),
  tried('settings of git in capitals', lines('--- /dev/null', '+++ b/.Git/hooks/pre-commit', '@@ -0,0 +1 @@', '+x')),
  tried('something that is no patch', 'rm -rf /', {}),
  tried(
    'a patch of bytes',
    lines('diff --git a/x b/x', 'new file mode 100644', 'GIT binary patch', 'literal 3', 'KcmZQzU|?oo', ''),
    {},
  ),
  tried('a hunk before any name', lines('@@ -1 +1 @@', '-a', '+b'), {}),
]

/** A link by a patch, and then through it. */
const STEPS: Attempt[] = [
  {
    id: 'a patch: a link, and then a file through it',
    where: 'patch',
    peripheral: 'edit',
    calls: [
      patch(
        lines(
          'diff --git a/out b/out',
          'new file mode 120000',
          '--- /dev/null',
          '+++ b/out',
          '@@ -0,0 +1 @@',
          '+../outside',
        ),
      ),
      patch(lines('--- /dev/null', '+++ b/out/@mark@', '@@ -0,0 +1 @@', '+x')),
      read('out/secret.txt'),
    ],
  },
  {
    id: 'a patch: a file that becomes a link, and is then written',
    where: 'patch',
    peripheral: 'edit',
    calls: [
      patch(lines('diff --git a/README.md b/README.md', 'old mode 100644', 'new mode 120000')),
      patch(
        lines(
          'diff --git a/README.md b/README.md',
          'new file mode 120000',
          '--- a/README.md',
          '+++ b/README.md',
          '@@ -1 +1 @@',
          '-# a workspace',
          '+../outside/secret.txt',
        ),
      ),
      read('README.md'),
    ],
  },
  {
    id: 'a patch: through a link that is there',
    where: 'patch',
    peripheral: 'edit',
    links: { out: '../outside/secret.txt' },
    calls: [patch(lines('--- a/out', '+++ b/out', '@@ -1 +1 @@', '-x', '+y'))],
    expect: 'out-of-scope',
  },
]

export const PATCHES: readonly Attempt[] = [...ENVELOPES, ...UNIFIED, ...STEPS]
