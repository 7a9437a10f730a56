import type { Intent, Scope } from './intent.ts'
import { type Phrase, phrase, type Slots } from './phrase.ts'

/** A rule: the phrases that say one thing, and the intent their slots make, or null where they make no sense. */
export type Rule = {
  phrases: readonly Phrase[]
  intent: (said: Said) => Intent | null
  /** Whether "in src" at its end is no place to look, but part of what is taken to the letter. */
  exact: boolean
}
export type Said = Slots & Scope

export const rule = (phrases: readonly string[], intent: Rule['intent']): Rule => ({
  phrases: phrases.map(phrase),
  intent,
  exact: false,
})

export const exactly = (phrases: readonly string[], intent: Rule['intent']): Rule => ({
  ...rule(phrases, intent),
  exact: true,
})

/** Parts of phrases that several rules share. */
export const ANY = 'all|any|every|some? of? the|a|an|my|our|this?'
export const FIND = `find|search|look|looking|searching|grep|rg|locate|scan|check|get|list|ls|show|give|see|print|display for|me|up? ${ANY}`
export const IN = 'in|under|inside|within|below|through'
export const USE = 'use|uses|using|call|calls|calling|import|imports|reference|references|invoke|invokes|need|needs'
export const USED = 'used|called|imported|referenced|invoked|needed|consumed'
export const USAGES = 'usage|usages|uses|callers|calls|references|refs|users|consumers|importers'
