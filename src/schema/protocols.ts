import { z } from 'zod'
import { operations } from '../operations/table.ts'
import { Config } from '../shapes/config.ts'
import { Draft, Entry } from '../shapes/evidence.ts'
import { Aimed, Alive, ExecLine, Health, ItemsWanted, PostsWanted, Said } from '../shapes/http.ts'
import { ItemEvent } from '../shapes/item.ts'
import type { JsonSchema, Way } from '../shapes/json-schema.ts'
import { Receipt } from '../shapes/message.ts'
import { PeripheralFile } from '../shapes/peripheral.ts'
import { Post, Progress } from '../shapes/post.ts'
import { ProblemDetails } from '../shapes/problem-details.ts'
import { EvidenceQuery } from '../shapes/query.ts'
import {
  ApprovalAnswer,
  ApprovalParams,
  RpcAnswer,
  RpcError,
  RpcNotification,
  RpcRequest,
  rpcMethods,
  rpcNotifications,
} from '../shapes/rpc.ts'
import { Head } from '../shapes/verdict.ts'
import { ClientFrame, ServerFrame } from '../shapes/wire.ts'
import { schemaOf } from './json-schema.ts'
import { typeName } from './names.ts'

type Part = { shape: z.ZodType; way: Way }
type Protocol = { title: string; parts: Record<string, Part> }

const taken = (shape: z.ZodType): Part => ({ shape, way: 'input' })
const given = (shape: z.ZodType): Part => ({ shape, way: 'output' })

/** What a command answers over HTTP. */
const carried = (output: z.ZodType): z.ZodType => z.strictObject({ receipt: Receipt, output: output.optional() })

const operationParts = operations.flatMap(({ name, input, output, reads, agents }): [string, Part][] => [
  [`${typeName(name)}Input`, taken(input)],
  [`${typeName(name)}Answer`, given(reads || agents ? output : carried(output))],
])

const rpcParts = [
  ...Object.entries(rpcMethods).flatMap(([name, { params, result }]): [string, Part][] => [
    [`Rpc${typeName(name)}Params`, taken(params)],
    [`Rpc${typeName(name)}Result`, given(result)],
  ]),
  ...Object.entries(rpcNotifications).map(([name, told]): [string, Part] => [
    `Rpc${typeName(name)}Notice`,
    given(told),
  ]),
]

/** Every protocol that a program can speak with Bellhop, once: what is generated is generated from this. */
export const protocols: Record<string, Protocol> = {
  http: {
    title: 'The HTTP API',
    parts: {
      SayInput: taken(Said),
      SayAnswer: given(Receipt),
      Aimed: taken(Aimed),
      ProblemDetails: given(ProblemDetails),
      Alive: given(Alive),
      Health: given(Health),
      FollowInput: taken(PostsWanted),
      Post: given(Post),
      Progress: given(Progress),
      ItemsInput: taken(ItemsWanted),
      ItemEvent: given(ItemEvent),
      ...Object.fromEntries(operationParts),
    },
  },
  items: {
    title: 'Items: what a turn is made of, as it goes on',
    parts: { ItemEvent: given(ItemEvent), ExecLine: given(ExecLine) },
  },
  evidence: {
    title: 'Evidence: entries, as they are stored, and what they are asked by',
    parts: { Entry: given(Entry), Draft: taken(Draft), EvidenceQuery: taken(EvidenceQuery), Head: given(Head) },
  },
  wire: {
    title: 'The frames of /agents',
    parts: { ClientFrame: taken(ClientFrame), ServerFrame: given(ServerFrame) },
  },
  rpc: {
    title: 'The methods and notifications of the app server',
    parts: {
      RpcRequest: taken(RpcRequest),
      RpcNotification: taken(RpcNotification),
      RpcAnswer: taken(RpcAnswer),
      RpcError: given(RpcError),
      RpcApprovalParams: given(ApprovalParams),
      RpcApprovalAnswer: taken(ApprovalAnswer),
      ...Object.fromEntries(rpcParts),
    },
  },
  config: { title: 'The config file', parts: { Config: taken(Config) } },
  peripheral: { title: 'A peripheral, as a file says it', parts: { PeripheralFile: taken(PeripheralFile) } },
}

/** A protocol as one JSON Schema: its parts and all that they are made of, under `$defs`. */
export const schemaFor = (name: string): JsonSchema => {
  const protocol = protocols[name]
  if (!protocol) throw new Error(`there is no protocol ${name}`)
  const $defs: Record<string, JsonSchema> = {}
  for (const [part, { shape, way }] of Object.entries(protocol.parts)) {
    const { $defs: inner = {}, ...schema } = schemaOf(shape, way)
    Object.assign($defs, inner)
    // A part that has a name of its own is among them already.
    if (schema.$ref !== `#/$defs/${part}`) $defs[part] = schema
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:bellhop:schema:${name}`,
    title: protocol.title,
    $defs: sorted($defs),
  }
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
