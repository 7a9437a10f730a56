import { execa } from 'execa'

/** Tests that start the program start what was built from these sources. */
export const setup = async (): Promise<void> => {
  await execa('npm', ['run', 'build', '--silent'])
}
