import type { Command } from 'commander'
import { newSecrets } from '../house/folder.ts'
import { print } from './print.ts'

/** `bellhop secrets new`: for several machines that are to be one instance. */
export const secretsCommand = (command: Command): void => {
  command
    .description('the secrets that several machines of one instance share: docs/operations.md')
    .command('new')
    .description('print new ones, for a file that BELLHOP_SECRETS_FILE names on each of them')
    .action(() => print(JSON.stringify(newSecrets(), null, 2)))
}
