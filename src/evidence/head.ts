import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { Head } from '../shapes/verdict.ts'
import type { Tip } from './engine/engine.ts'
import { canonical } from './hash.ts'

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
  const fresh = `${file}.new`
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
  syncFolder(dirname(file))
}

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
