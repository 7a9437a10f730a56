import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { count } from '../lib/count.ts'
import { Problem } from '../lib/problem.ts'
import { syncFolderOf } from '../lib/sync-folder.ts'
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
export const signHead = (files: HeadFiles, { position, root }: Tip, at: string): Head => {
  const key = keyOf(files.key)
  const statement = { position, root, at }
  const head: Head = {
    ...statement,
    key: publicText(key),
    signature: sign(null, signed(statement), key).toString('base64'),
  }
  writeDurably(files.head, `${JSON.stringify(head)}\n`)
  return head
}

type Signed = Pick<Store, 'engine' | 'tip'>

/**
 * Signs where the store stands now, where it goes on from the last head: what lies between is read and added up. Where it
 * does not, nothing is signed, for that would vouch for it; answers what is wrong then.
 */
export const signOn = async (files: HeadFiles, store: Signed, at: string): Promise<string | null> => {
  const tip = await store.tip()
  const last = readHead(files.head)
  if (last === null && existsSync(files.key) && tip.position > 0) return 'the last signed head is missing'
  if (last !== null && !isOurs(last, files.key)) return 'the last head was not signed with the key that is here'
  const missing = (last?.position ?? 0) - tip.position
  if (missing > 0) return `at its end ${count(missing, 'entry', 'entries')} ${missing === 1 ? 'is' : 'are'} missing`
  if (tip.position === (last?.position ?? 0)) return null
  const from = last === null ? START : { ...START, position: last.position, root: last.root }
  const walked = await walkTip(store.engine.db, from, tip.position)
  if (walked?.root !== tip.root) return 'what was written up to the last signed head is not what is there now'
  signHead(files, tip, at)
  return null
}

/** The last head that was signed; null where none was. */
export const readHead = (file: string): Head | null => {
  if (!existsSync(file)) return null
  try {
    return Head.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new Problem(`${file} is damaged`, 'remove it if you trust the store: the next start signs a new head')
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
    writeDurably(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  try {
    return createPrivateKey(readFileSync(file))
  } catch {
    throw new Problem(
      `${file} is damaged`,
      'put it back from a copy, or remove it: a new key is made at the next start',
    )
  }
}

/** Whole or not at all, for its owner alone, and on the disk when it is done: what it says is relied on. */
const writeDurably = (file: string, text: string | Buffer): void => {
  const fresh = `${file}.${process.pid}.new`
  // What a write that was cut off left behind may be anybody's to read.
  rmSync(fresh, { force: true })
  const handle = openSync(fresh, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(fresh, file)
  syncFolderOf(file)
}
