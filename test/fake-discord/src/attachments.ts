import { fault, invalidForm } from './form.ts'
import type { MessageForm } from './message-form.ts'
import { refuse } from './refusal.ts'
import type { World } from './state.ts'
import type { Attachment, Embed, Snowflake } from './wire.ts'

/** A file of a form: `at` is the n of `files[n]`. */
export type Upload = { at: number; name: string; bytes: Uint8Array; contentType: string | undefined }

/** The attachments that a message has after this form: those it keeps, and those that come with it. */
export const attach = (world: World, { channelId, form, uploads, had = [] }: AttachOptions): Attachment[] => {
  if (uploads.some(({ bytes }) => bytes.byteLength > world.limits.fileBytes)) refuse('tooLarge')
  const kept = form.attachments ? had.filter(({ id }) => form.attachments?.some((one) => String(one.id) === id)) : had
  if (kept.length + uploads.length > 10) {
    throw invalidForm({ attachments: fault('BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.') })
  }
  const added = uploads.map((upload) => {
    const named = form.attachments?.find(({ id }) => String(id) === String(upload.at))
    const name = safeName(named?.filename ?? upload.name)
    return store(world, channelId, { ...upload, name }, named?.description)
  })
  return [...kept, ...added]
}

type AttachOptions = { channelId: Snowflake; form: MessageForm; uploads: Upload[]; had?: Attachment[] }

const store = (world: World, channelId: Snowflake, file: Upload, description: string | undefined): Attachment => {
  const id = world.nextId()
  const { name, bytes, contentType } = file
  world.files.set(id, { name, bytes, contentType })
  const url = `${world.base}/attachments/${channelId}/${id}/${name}`
  return {
    id,
    filename: name,
    size: bytes.byteLength,
    url,
    proxy_url: url,
    ...(contentType ? { content_type: contentType } : {}),
    ...(description ? { description } : {}),
  }
}

const safeName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_').slice(-260) || 'unknown.txt'

/** Embeds as they are stored: `attachment://` stands for a file of the same message. */
export const settledEmbeds = (embeds: readonly Embed[], attachments: readonly Attachment[]): Embed[] =>
  embeds.map((embed) => ({
    ...embed,
    type: 'rich',
    ...(embed.image ? { image: settled(embed.image, attachments) } : {}),
    ...(embed.thumbnail ? { thumbnail: settled(embed.thumbnail, attachments) } : {}),
  }))

const settled = ({ url }: { url: string }, attachments: readonly Attachment[]): { url: string } => {
  const found = attachments.find(({ filename }) => url === `attachment://${filename}`)
  return { url: found?.url ?? url }
}
