import type { Command } from 'commander'
import { folderAt, secretsOf } from '../house/folder.ts'
import { linkOf } from '../up/link.ts'
import { print } from './print.ts'
import { addressOf, noInstance, type Shell } from './shell.ts'

/** `bellhop link`: what a page is opened with. Who can read the data folder can have it, and nobody reads it in a log. */
export const linkCommand = (command: Command, { withFlags, settingsFrom }: Shell): void => {
  withFlags(command)
    .description('the link that opens the page of the instance, signed in as the operator')
    .option('--json', 'as one JSON value')
    .action(async (flags: { json?: boolean }) => {
      const settings = settingsFrom(flags)
      const address = await addressOf(settings)
      if (address === null) throw await noInstance(settings)
      const { instance, data, secretsFile } = settings
      // Whoever names an instance and a token has no other.
      const named = instance?.url ? instance.token : null
      const link = linkOf(address.url, named ?? secretsOf(folderAt(data), secretsFile).operator)
      print(flags.json ? JSON.stringify({ link }) : link)
    })
}
