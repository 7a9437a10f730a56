import { type AnyTool, isOwnTool, type ToolName } from '../shapes/peripheral.ts'
import { advance } from './advance.ts'
import { applyPatch } from './apply-patch.ts'
import { bell } from './bell.ts'
import { cycle } from './cycle.ts'
import { edit } from './edit.ts'
import { evidence } from './evidence.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { hop } from './hop.ts'
import { list } from './list.ts'
import { mission } from './mission.ts'
import { missionControl } from './mission-control.ts'
import { multiEdit } from './multi-edit.ts'
import { park } from './park.ts'
import { patterns } from './patterns.ts'
import { proof } from './proof.ts'
import { read } from './read.ts'
import { reflect } from './reflect.ts'
import { run } from './run.ts'
import { sourceHelp } from './source.ts'
import { terminal } from './terminal.ts'
import { tickleCycle, ticklePage, tickleScan } from './tickle.ts'
import type { Tool } from './tool.ts'
import { webFetch } from './web-fetch.ts'
import { whistle } from './whistle.ts'
import { world } from './world.ts'
import { write } from './write.ts'

/** Every tool there is, once. Only the gate calls them. */
export const tools: Record<ToolName, Tool> = {
  read,
  list,
  glob,
  grep,
  edit,
  'multi-edit': multiEdit,
  'apply-patch': applyPatch,
  write,
  run,
  terminal,
  'web-fetch': webFetch,
  evidence,
  reflect,
  advance,
  hop,
  ...missionControl,
  // undertakings
  ...cycle,
  ...proof,
  ...patterns,
  ...mission,
  // bells and whistles
  bell,
  whistle,
  park,
  // Tickle
  'tickle-scan': tickleScan,
  'tickle-page': ticklePage,
  'tickle-cycle': tickleCycle,
  // the text world
  ...world,
}

/** What a tool takes and does, in a line. */
export const helpOf = (name: AnyTool): string => (isOwnTool(name) ? tools[name].help : sourceHelp(name))
