import type { Server } from '@modelcontextprotocol/server'
import type { Notices } from './house.ts'

/** Notices by the way of a server that is connected; where it no longer is, nobody is there to be told. */
export const noticesOf = (server: () => Server): Notices => {
  const lost = () => {}
  return {
    toolsChanged: () => void server().sendToolListChanged().catch(lost),
    promptsChanged: () => void server().sendPromptListChanged().catch(lost),
    resourcesChanged: () => void server().sendResourceListChanged().catch(lost),
    resourceUpdated: (uri) => void server().sendResourceUpdated({ uri }).catch(lost),
  }
}
