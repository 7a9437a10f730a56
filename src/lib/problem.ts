/** Something a person has to put right before Bellhop can run: what is wrong, and what to do. Shown without a stack. */
export class Problem extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.name = 'Problem'
    this.fix = fix
  }
}
