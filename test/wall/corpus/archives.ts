import type { RefusalCode } from '../../../src/shapes/refusal.ts'
import { type Attempt, call, program, read, run, write } from '../attempt.ts'

const refused = (commands: Record<string, string[]>, expect: RefusalCode = 'command-not-allowed') =>
  Object.entries(commands).map(
    ([id, argv]): Attempt => ({
      id: `an archive: ${id}`,
      where: 'archive',
      peripheral: 'edit',
      files: { 'x.tar': 'x', 'x.zip': 'x', 'x.tgz': 'x' },
      calls: [run(...argv)],
      expect,
    }),
  )

/** Archives that hold names that lead out, made and unpacked by programs of the agent's own. */
const slow = (id: string, code: string, ...then: Attempt['calls'][number][]): Attempt => ({
  id: `an archive: ${id}`,
  where: 'archive',
  peripheral: 'edit',
  slow: true,
  calls: [...program(code), ...then],
})

export const ARCHIVES: readonly Attempt[] = [
  ...refused({
    'it is unpacked': ['tar', '-xf', 'x.tar'],
    'it is unpacked over the machine': ['tar', '-xPf', 'x.tar', '-C', '/'],
    'it is unpacked with a program': ['tar', '-xf', 'x.tar', '--to-command=sh'],
    'it is unpacked, and reports to a program': [
      'tar',
      '-xf',
      'x.tar',
      '--checkpoint=1',
      '--checkpoint-action=exec=sh',
    ],
    'a zip is unpacked': ['unzip', '-o', 'x.zip', '-d', '..'],
    'a zip is unpacked by python': ['python3', '-m', 'zipfile', '-e', 'x.zip', '..'],
    'a tar is unpacked by python': ['python3', '-m', 'tarfile', '-e', 'x.tar', '..'],
    'an archive of other times': ['cpio', '-idm'],
    'seven zip': ['7z', 'x', 'x.zip', '-o..'],
    'a package of the workspace is installed': ['npm', 'install', './x.tgz'],
    'a package is unpacked by npm': ['npm', 'pack', '--pack-destination=..'],
    'one is made of everything': ['tar', '-cf', 'all.tar', '.'],
  }),
  slow(
    'a tar with names that climb out',
    `sh('mkdir t && echo x > t/f && tar -cPf x.tar --transform "s,^t/f,../outside/@mark@," t/f && tar -xPf x.tar; tar -xf x.tar')`,
  ),
  slow(
    'a tar with absolute names',
    `sh('echo x > f && tar -cPf x.tar --transform "s,^f,@outside@/@mark@," f && tar -xPf x.tar')`,
  ),
  slow(
    'a tar with a link, and a file through it',
    `sh('mkdir t && ln -s @outside@ t/l && tar -cf x.tar t && tar -xf x.tar && echo x > t/l/@mark@')`,
    read('t/l/secret.txt'),
    write('t/l/@mark@'),
  ),
  slow(
    'a zip with names that climb out',
    `sh('python3 -c "import zipfile; z = zipfile.ZipFile(\\"x.zip\\", \\"w\\"); z.writestr(\\"../outside/@mark@\\", \\"x\\"); z.close()"; unzip -o -: x.zip; python3 -m zipfile -e x.zip .')`,
  ),
  slow('a tar of everything there is to read', `sh('tar -cf all.tar . ; tar -tf all.tar; tr -d "\\\\0" < all.tar')`),
  slow(
    'a program that is an archive',
    `sh('python3 -c "import zipfile; z = zipfile.ZipFile(\\"app.pyz\\", \\"w\\"); z.writestr(\\"__main__.py\\", \\"print(open(\\\\\\"../outside/secret.txt\\\\\\").read())\\"); z.close()"')`,
    run('python3', 'app.pyz'),
  ),
  {
    id: 'an archive: a package that a person is asked for, and does not want',
    where: 'archive',
    peripheral: 'edit',
    person: 'denies',
    expect: 'approval-denied',
    calls: [call('run', { argv: ['npm', 'install', 'evil'], escalate: { why: 'it is needed' } })],
  },
]
