// Text that is only text: what was written for a terminal, or turns the reading order around, is left out. This is none.

const ESC = '\\u001b'
const BEL = '\\u0007'
const SEQUENCES = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`, // colours, the cursor
    `${ESC}[\\]PX^_][^${BEL}${ESC}\\n]*(?:${BEL}|${ESC}\\\\)`, // titles, links
    `${ESC}[ -/]*[0-OQ-WYZ\\\\\`-~]`,
  ].join('|'),
  'g',
)
const UNSEEN = /[^\P{Cc}\n\t\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** What is left of a broken sequence shows as the text it is. */
export const plain = (text) => text.replace(SEQUENCES, '').replace(UNSEEN, '')
