import type { Settings } from '../house/parts.ts'

type Options = { json: boolean; write: (text: string) => void; ends: AbortSignal }

export const demo = async (_settings: Settings, _options: Options): Promise<number> => 0
