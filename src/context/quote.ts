/** What marks are made with: letters and digits, so that nothing that is put in its place can be a part of it. */
const NONCE = /^[A-Za-z0-9]{8,64}$/

/** All that anybody takes for the end of a line. */
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/**
 * Codes that something might obey, halves of characters, and what is not to be seen but for the joints of scripts and
 * emoji.
 */
const UNSEEN = /[^\P{Cc}\n\t]|\p{Cs}|(?!\u200C|\u200D|\uFE0F)[\p{Cf}\p{DI}]/gu

/** Most texts have nothing of that, and are looked at quicker. */
const UNPLAIN = /[^\n\t -~]/

/** The most that a name may have. */
const NAME_LENGTH = 64

export type Quote = ReturnType<typeof createQuote>

/**
 * Marks what others have said or written, so that whoever reads it knows where it begins and where it ends. The marks
 * have a word in them that is the session's own, and that is taken out of all else; every line between them begins with
 * a bar. So nothing that is quoted can end its block, whatever it says. Neither can it be a command or a file to a
 * program that it is given to: no line begins with it, and an at sign that begins a word is written `\@`.
 */
export const createQuote = (nonce: string) => {
  if (!NONCE.test(nonce)) throw new Error('a nonce is 8 to 64 letters and digits')
  const own = new RegExp(nonce, 'gi')

  /** A text that can be shown to anybody. The word goes last: what stood between its letters may have been unseen. */
  const clean = (text: string): string =>
    (UNPLAIN.test(text) ? text.replace(LINE_ENDS, '\n').replace(UNSEEN, '') : text).replace(own, '…')

  const onOneLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim()

  /** A mark. What it says is ours; a path or a name in it cannot end it. */
  const mark = (label: string): string => `[[${nonce} ${onOneLine(label).replace(/[[\]]/g, '_')}]]`

  return {
    clean,
    mark,
    end: `[[${nonce} end]]`,
    /** A line as it stands between marks. */
    line: (text: string): string => `| ${clean(text).replaceAll('\n', ' ').replace(AT, '\\@')}`,
    /** A value on one line: what is in it can be read back, and nothing of it is a line of its own. */
    json: (value: unknown): string => clean(JSON.stringify(value)).replace(AT, '\\u0040'),
    /** A name as it may stand where nothing is quoted. */
    name: (text: string): string => {
      const plain = onOneLine(text).replace(/[^\p{L}\p{M}\p{N}._ -]/gu, '_')
      return [...plain].slice(0, NAME_LENGTH).join('') || 'somebody'
    },
  }
}

/** Programs take what follows it for a file, where it begins a word. */
const AT = /(?<=^|\s)@/g
