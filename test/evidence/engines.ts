import { join } from 'node:path'
import { scratch } from '../support/folder.ts'
import { postgresMissing } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { type TestStore, testStore } from '../support/store.ts'

type TestEngine = {
  name: 'SQLite' | 'PostgreSQL'
  testStore: () => Promise<TestStore>
  /** Where there is no store yet. */
  newUrl: () => Promise<{ url: string } & AsyncDisposable>
}

const sqlite: TestEngine = {
  name: 'SQLite',
  testStore: () => testStore(),
  newUrl: async () => {
    const folder = scratch()
    return {
      url: join(folder.path, 'evidence.db'),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    }
  },
}

const postgres: TestEngine = {
  name: 'PostgreSQL',
  testStore: async () => testStore(await sharedPostgres().database()),
  newUrl: async () => ({ url: await sharedPostgres().database(), [Symbol.asyncDispose]: async () => {} }),
}

/** What a store is kept in: one suite of tests holds for each, `describe.each(engines)`. */
export const engines: readonly TestEngine[] = postgresMissing ? [sqlite] : [sqlite, postgres]
