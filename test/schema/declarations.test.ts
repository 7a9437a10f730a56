import { expectTypeOf, test } from 'vitest'
import type { Operations as Declared, Client as DeclaredClient } from '../../docs/schemas/bellhop.d.ts'
import type { Carried, Client, CommandName } from '../../src/client/client.ts'
import type { Operations } from '../../src/operations/table.ts'

type Inputs = { [Name in keyof Operations]: Operations[Name]['input'] }
type Answers = { [Name in keyof Operations]: Name extends CommandName ? Carried<Name> : Operations[Name]['output'] }
type DeclaredInputs = { [Name in keyof Declared]: Declared[Name]['input'] }
type DeclaredAnswers = { [Name in keyof Declared]: Declared[Name]['answer'] }
type Kinds<Rows extends Record<keyof Rows, { reads: boolean; agents: boolean }>> = {
  [Name in keyof Rows]: [Rows[Name]['reads'], Rows[Name]['agents']]
}

// These are checked with the types of all sources, and cost nothing when they run.
test('what is declared of the operations is what the table says of them', () => {
  expectTypeOf<keyof Declared>().toEqualTypeOf<keyof Operations>()
  expectTypeOf<Kinds<Declared>>().toEqualTypeOf<Kinds<Operations>>()
  expectTypeOf<Inputs>().toExtend<DeclaredInputs>()
  expectTypeOf<Answers>().toExtend<DeclaredAnswers>()
})

test('what is declared of the client is what the client is', () => {
  expectTypeOf<keyof DeclaredClient>().toEqualTypeOf<keyof Client>()
  expectTypeOf<Client['say']>().toExtend<DeclaredClient['say']>()
  expectTypeOf<Client['follow']>().toExtend<DeclaredClient['follow']>()
  expectTypeOf<Client['items']>().toExtend<DeclaredClient['items']>()
})
