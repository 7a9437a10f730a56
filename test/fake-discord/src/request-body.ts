import type { IncomingMessage } from 'node:http'
import type { Upload } from './attachments.ts'

/** What came with a request, or what is wrong with it. */
export type Body = { payload: unknown; uploads: Upload[]; wrong: 'tooLarge' | 'invalidJson' | null }

/** Reads a request to its end, and no more of it into memory than is allowed. */
export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<Body> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size <= maxBytes) chunks.push(chunk)
  }
  if (size > maxBytes) return { payload: null, uploads: [], wrong: 'tooLarge' }
  const type = request.headers['content-type'] ?? ''
  const bytes = Buffer.concat(chunks)
  const parts = type.startsWith('multipart/form-data')
    ? await partsOf(bytes, type)
    : { text: bytes.toString(), uploads: [] }
  return { ...parse(parts.text), uploads: parts.uploads }
}

/** JSON in `payload_json`, and the files in `files[n]`. */
const partsOf = async (bytes: Buffer, type: string): Promise<{ text: string; uploads: Upload[] }> => {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  const uploads: Upload[] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') continue
    const at = Number(/\[(\d+)\]$/.exec(field)?.[1] ?? uploads.length)
    uploads.push({
      at,
      name: value.name,
      bytes: new Uint8Array(await value.arrayBuffer()),
      contentType: value.type || undefined,
    })
  }
  return { text: String(form.get('payload_json') ?? ''), uploads }
}

const parse = (text: string): Pick<Body, 'payload' | 'wrong'> => {
  try {
    return { payload: text === '' ? undefined : JSON.parse(text), wrong: null }
  } catch {
    return { payload: null, wrong: 'invalidJson' }
  }
}
