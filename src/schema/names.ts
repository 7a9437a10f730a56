import type { z } from 'zod'
import { Presence, Probe } from '../shapes/agent.ts'
import { Config } from '../shapes/config.ts'
import { Digest } from '../shapes/digest.ts'
import { Author, Body, Draft, Entry, events } from '../shapes/evidence.ts'
import { Fruit } from '../shapes/fruit.ts'
import { Alive, ExecLine, Health } from '../shapes/http.ts'
import { Item, ItemEvent } from '../shapes/item.ts'
import { Assignment, Receipt } from '../shapes/message.ts'
import { PeripheralFile, ToolCall } from '../shapes/peripheral.ts'
import { Person, Role } from '../shapes/person.ts'
import { Post, Progress } from '../shapes/post.ts'
import { Grant, TokenRow } from '../shapes/principal.ts'
import { ProblemDetails } from '../shapes/problem-details.ts'
import { Refusal, RefusalCode } from '../shapes/refusal.ts'
import { RoomMode } from '../shapes/room.ts'
import { RpcAnswer, RpcError, RpcNotification, RpcRequest, RpcThread, RpcTurn } from '../shapes/rpc.ts'
import { FileChange, RunResult, StepOutcome, StepReport, TestReport, TurnOutcome } from '../shapes/turn.ts'
import { Check, Proof, StoreVerdict, Verdict, Violation } from '../shapes/verdict.ts'
import { ClientFrame, ServerFrame } from '../shapes/wire.ts'

/** `step-ended` as the name of a type: `StepEnded`. */
export const typeName = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The shapes that have a name of their own in what is generated; all others are written where they stand. */
const shapes: Record<string, z.ZodType> = {
  Alive,
  Assignment,
  Author,
  Check,
  ClientFrame,
  Config,
  Digest,
  Draft,
  Entry,
  EvidenceBody: Body,
  ExecLine,
  FileChange,
  Fruit,
  Grant,
  Health,
  Item,
  ItemEvent,
  PeripheralFile,
  Person,
  Post,
  Presence,
  Probe,
  ProblemDetails,
  Progress,
  Proof,
  Receipt,
  Refusal,
  RefusalCode,
  Role,
  RoomMode,
  RpcAnswer,
  RpcError,
  RpcNotification,
  RpcRequest,
  RpcThread,
  RpcTurn,
  RunResult,
  ServerFrame,
  StepOutcome,
  StepReport,
  StoreVerdict,
  TestReport,
  TokenRow,
  ToolCall,
  TurnOutcome,
  Verdict,
  Violation,
}

/** The name of a shape. */
export const names: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ...Object.entries(shapes).map(([name, shape]) => [shape, name] as const),
  ...Object.entries(events).map(([event, { body }]) => [body, `${typeName(event)}Body`] as const),
])
