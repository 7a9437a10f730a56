import { z } from 'zod'
import type { Said } from '../tools/source.ts'

const Text = z.object({ type: z.literal('text'), text: z.string() })
const Data = z.object({ type: z.enum(['image', 'audio']), mimeType: z.string(), data: z.string() })
const Link = z.object({ type: z.literal('resource_link'), uri: z.string() })
const Resource = z.object({
  type: z.literal('resource'),
  resource: z.object({ uri: z.string(), text: z.string().optional() }),
})
const Other = z.object({ type: z.string() })

/** What a server answers a call with, as far as it is of use here. */
export const Answer = z.object({
  content: z.array(z.union([Text, Data, Link, Resource, Other])).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
})

/** An answer as a text: what is no text is named. */
export const saidIn = ({ content, structuredContent, isError }: z.infer<typeof Answer>): Said => {
  const parts = content.map(textOf)
  const structured = content.length === 0 && structuredContent !== undefined ? [JSON.stringify(structuredContent)] : []
  return { text: [...parts, ...structured].join('\n'), failed: isError ? 'says that it failed' : null }
}

const textOf = (block: z.infer<typeof Answer>['content'][number]): string => {
  if ('text' in block) return block.text
  if ('data' in block) return `[${block.type} ${block.mimeType}, ${Buffer.byteLength(block.data, 'base64')} bytes]`
  if ('uri' in block) return `[a link: ${block.uri}]`
  if ('resource' in block) return block.resource.text ?? `[a file: ${block.resource.uri}]`
  return `[${block.type}]`
}
