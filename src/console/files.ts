import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Hono, Next } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import type { Context, Env } from './house.ts'
import { vendored } from './vendor.ts'

/**
 * What pages are made of: the same for everybody, and nobody's secret. It goes out compressed, and again only when it has
 * changed.
 */
export const addFiles = (app: Hono<Env>, folder: string): void => {
  const lightly = [kept, compress(), etag()] as const
  app.get('/:file{[a-z-]+\\.(css|js|svg)}', ...lightly, (c) => servePage(c, folder, c.req.param('file')))
  app.get('/sign-in', (c) => servePage(c, folder, 'sign-in.html'))
  app.get('/console/:file{[a-z-]+\\.(css|js)}', ...lightly, (c) =>
    servePage(c, join(folder, 'console'), c.req.param('file')),
  )
  app.get('/vendor/:file{[a-z-]+\\.(css|js)}', ...lightly, (c) => serveFile(c, vendored(c.req.param('file'))))
}

/** A browser may keep it, and asks each time whether it still holds. */
const kept = async (c: Context, next: Next): Promise<void> => {
  await next()
  c.header('cache-control', 'no-cache')
}

/** A file of the page. Its name has no slash and no dot but the one before its kind: it cannot lead anywhere else. */
export const servePage = (c: Context, folder: string, name: string, status: 200 | 401 = 200): Promise<Response> =>
  serveFile(c, join(folder, name), status)

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

const serveFile = async (c: Context, path: string | null, status: 200 | 401 = 200): Promise<Response> => {
  const file = path === null ? null : await readFile(path).catch(() => null)
  return path !== null && file
    ? c.body(file, status, { 'content-type': `${TYPES[extname(path)]}; charset=utf-8` })
    : c.notFound()
}
