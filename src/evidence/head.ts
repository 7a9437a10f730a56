import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { count } from '../lib/count.ts'
import { Problem } from '../lib/problem.ts'
import { randomToken } from '../lib/secret.ts'
import { writeOnce } from '../lib/write-once.ts'
import { Head } from '../shapes/verdict.ts'
import type { Tip } from './engine/engine.ts'
import { canonical } from './hash.ts'
import type { Store } from './store.ts'
import { START, walkTip } from './tip.ts'

/** Where the key and the last signed head of a store are kept: beside it, and not in it. */
export type HeadFiles = { key: string; head: string }

const signed = ({ position, root, at }: Pick<Head, 'position' | 'root' | 'at'>): Buffer =>
  Buffer.from(canonical({ bellhop: 'head', position, root, at }))

/** Signs where the store stands, with a key that is made once. */
export const signHead = async (files: HeadFiles, { position, root }: Tip, at: string): Promise<Head> => {
  const isFirst = !existsSync(files.key)
  const key = keyOf(files.key)
  const statement = { position, root, at }
  const head: Head = {
    ...statement,
    key: publicText(key),
    signature: sign(null, signed(statement), key).toString('base64'),
  }
  await writeDurably(files.head, `${JSON.stringify(head)}\n`).catch((error) => {
    // A key that nothing was signed with would say that a head is missing, for ever.
    if (isFirst && !existsSync(files.head)) rmSync(files.key, { force: true })
    throw error
  })
  return head
}

type Signed = Pick<Store, 'engine' | 'tip'>

/**
 * Signs where the store stands now, where it goes on from the last head: what lies between is read and added up. Where it
 * does not, nothing is signed, for that would vouch for it; answers what is wrong then.
 */
export const signOn = async (files: HeadFiles, store: Signed, at: string): Promise<string | null> => {
  // In this order: another process may sign meanwhile what is newer than what was seen here, and nothing is missing then.
  const isMade = existsSync(files.key)
  const last = readHead(files.head)
  const tip = await store.tip()
  if (last === null && isMade && tip.position > 0) return 'the last signed head is missing'
  if (last !== null && !isOurs(last, files.key)) return 'the last head was not signed with the key that is here'
  const missing = (last?.position ?? 0) - tip.position
  if (missing > 0) return `at its end ${count(missing, 'entry', 'entries')} ${missing === 1 ? 'is' : 'are'} missing`
  if (tip.position === last?.position) return null
  const from = last === null ? START : { ...START, position: last.position, root: last.root }
  const walked = await walkTip(store.engine.db, from, tip.position)
  if (walked?.root !== tip.root) return 'what was written up to the last signed head is not what is there now'
  // What could still be lost with the power is not vouched for: its loss would look like a cut.
  await store.engine.synced()
  await signHead(files, tip, at)
  return null
}

/** One without the other vouches for nothing. */
const ANEW =
  'put it back from a copy; or, if you trust the store, remove both evidence.key and evidence.head: they are made anew'

/** The last head that was signed; null where none was. */
export const readHead = (file: string): Head | null => {
  if (!existsSync(file)) return null
  // That it cannot be read just now says nothing of what is in it.
  const text = readFileSync(file, 'utf8')
  try {
    return Head.parse(JSON.parse(text))
  } catch {
    throw new Problem(`${file} is damaged`, ANEW)
  }
}

/** Whether a head was signed with the key in that file. */
export const isOurs = (head: Head, keyFile: string): boolean => {
  if (!existsSync(keyFile)) return false
  const key = keyOf(keyFile)
  const signature = Buffer.from(head.signature, 'base64')
  // Base64 that is not written in its one way still decodes: it is not what was signed either.
  if (head.key !== publicText(key) || head.signature !== signature.toString('base64')) return false
  return verify(null, signed(head), createPublicKey(key), signature)
}

const publicText = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')

const keyOf = (file: string): KeyObject => {
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeOnce(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const text = readFileSync(file)
  try {
    return createPrivateKey(text)
  } catch {
    throw new Problem(`${file} is damaged`, ANEW)
  }
}

/**
 * Whole or not at all, for its owner alone, and on the disk when it is done: what it says is relied on. Nobody else in this
 * process waits for the disk meanwhile. Several may be at it, also on other machines: each has a file of its own until then.
 */
const writeDurably = async (file: string, text: string): Promise<void> => {
  const fresh = `${file}.${randomToken()}.new`
  const handle = await open(fresh, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  const folder = await open(dirname(file), 'r')
  // A new name lasts once its folder is on the disk.
  await folder.sync().finally(() => folder.close())
}
