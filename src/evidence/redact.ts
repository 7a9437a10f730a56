/** Gives back the same value, or one in which every secret that was found is a mark such as `[redacted:jwt]`. */
export type Redact = <T>(value: T) => T

type Take = (text: string) => string

/** One kind of search, and what a text must have for it to be worth while. */
type Sweep = { when: RegExp; take: Take }

/**
 * Takes secrets out of what is about to be written; `known` are this instance's own. It would rather miss a weak password
 * than damage a line of source code, and a second time changes nothing. Every pattern takes linear time: what follows a
 * run without bounds is optional, or cannot be part of the run.
 */
export const createRedactor = (known: readonly string[]): Redact => {
  const own = takeKnown([...new Set(known)].filter(({ length }) => length >= 8))
  const take: Take = (text) => {
    const rest = own(text)
    return rest.length > SHORTEST && ANY.test(rest) ? SWEEPS.reduce(swept, rest) : rest
  }
  return <T>(value: T): T => walk(value, take) as T
}

const swept = (text: string, { when, take }: Sweep): string => (when.test(text) ? take(text) : text)

const walk = (value: unknown, take: Take): unknown => {
  if (typeof value === 'string') return take(value)
  if (Array.isArray(value)) return walkList(value, take)
  if (value !== null && typeof value === 'object') return walkFields(value as Record<string, unknown>, take)
  return value
}

const walkList = (list: readonly unknown[], take: Take): unknown => {
  let fresh: unknown[] | null = null
  for (let i = 0; i < list.length; i += 1) {
    const inner = walk(list[i], take)
    const now = typeof inner === 'string' && i > 0 ? asArgument(list[i - 1], inner) : inner
    if (now === list[i]) continue
    fresh ??= [...list]
    fresh[i] = now
  }
  return fresh ?? list
}

const walkFields = (fields: Record<string, unknown>, take: Take): unknown => {
  let fresh: [string, unknown][] | null = null
  const names = Object.keys(fields)
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] as string
    const inner = walk(fields[name], take)
    const now = typeof inner === 'string' ? asField(name, inner) : inner
    if (now === fields[name]) continue
    fresh ??= Object.entries(fields)
    fresh[i] = [name, now]
  }
  return fresh ? Object.fromEntries(fresh) : fields
}

/** What stands under a name such as `apiKey`, as it would in JSON. */
const asField = (name: string, value: string): string => {
  if (value.length < SHORTEST || !LABEL_AT_END.test(name) || /\s/.test(value)) return value
  const kind = kindOf(name)
  return strengthOf(value) >= (kind === 'password' ? WORD : MIXED) ? mark(kind) : value
}

/** What follows a flag such as `--password` in a list of arguments. */
const asArgument = (before: unknown, value: string): string => {
  if (typeof before !== 'string' || !before.startsWith('-') || !LABEL_AT_END.test(before)) return value
  return value.startsWith('-') || strengthOf(value) < WORD ? value : mark(kindOf(before))
}

const mark = (kind: string): string => `[redacted:${kind}]`

const anyCase = (words: string): string => words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

/**
 * What the secrets begin with. Each beginning is looked for from its rarest character, backwards and forwards, so that
 * nearly every character of an ordinary text is passed over at once.
 */
const LABEL_BEGINS = [
  `[wW](?<=${anyCase('p(?:ass)?w')})`,
  `[kK](?<=${anyCase('tok')}|${anyCase('(?:api|access|private|signing|encryption|account|master|auth)[ _-]?k')})`,
  `[cC](?<=${anyCase('sec')})${anyCase('ret')}`,
  `[cC](?<=${anyCase('passc')})`,
  `[:=](?<=${anyCase('(?:pass(?:phrase)?|authorization)')}["'\`\\\\]{0,4}\\s?[:=])`,
  `-${anyCase('-pass')}`,
].join('|')
const HEADER_BEGINS = `[bB]${anyCase('(?:earer|asic)')}`
const URL_BEGINS = String.raw`://[^\s/@]*@`
const SHAPE_BEGINS = [
  '-(?:(?<=gl(?:pat|dt|rt|ptt)-|xox[a-z]-|xapp-|sk-)|(?<=-----)BEGIN)',
  '_(?<=gh[pousr]_|github_pat_|[rs]k_|npm_|bhp_)',
  String.raw`z(?<=AIz)|J(?<=eyJ)|I(?<=A[KS]I)|\.(?<=[MNO][\w-]{22,27}\.)|:A(?<=\d:A)`,
].join('|')
const ANY = new RegExp([LABEL_BEGINS, HEADER_BEGINS, URL_BEGINS, SHAPE_BEGINS].join('|'))

/** This instance's own secrets, wherever they stand. What is marked stays, even for a secret that looks like a mark. */
const takeKnown = (own: readonly string[]): Take => {
  if (own.length === 0) return (text) => text
  const longestFirst = [...own].sort((a, b) => b.length - a.length)
  const literals = longestFirst.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  const [when, pattern] = [new RegExp(literals), new RegExp(`(\\[redacted:[a-z-]+\\])|${literals}`, 'g')]
  return (text) => (when.test(text) ? text.replace(pattern, (_, marked?: string) => marked ?? mark('known')) : text)
}

/** A line break of a key block, real or escaped, with what may surround it: quotation marks, line numbers, indentation. */
const BREAK = String.raw`(?:\\[nrt]|[^A-Za-z]){1,30}`
const KEY_BLOCK = [
  '-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----',
  String.raw`(?:${BREAK}[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100}(?=[\n\\])){0,4}`,
  `(?:${BREAK}[A-Za-z0-9+/=]{20,})+`,
  String.raw`(?:[^]{0,120}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\w-]*|${BREAK}[A-Za-z0-9+/=]{1,19}$)?`,
].join('')

type Shape = { kind: string; shape: string; isOne?: (found: string) => boolean }

/**
 * Secrets that are known by their shape alone. Each takes the rest of its run along: no half of one is left, and what
 * comes after it begins where it began before.
 */
const SHAPES: readonly Shape[] = [
  // In source code, what follows the header is code.
  { kind: 'private-key', shape: KEY_BLOCK, isOne: (block) => /[A-Za-z]\d|\d[A-Za-z]/.test(block) },
  { kind: 'github-token', shape: String.raw`gh[pousr]_(?:\d{1,12}_)?[A-Za-z0-9]{30,}[\w-]*(?:\.[\w-]{20,})*` },
  { kind: 'github-token', shape: String.raw`github_pat_[A-Za-z0-9]{20,}\w*` },
  { kind: 'gitlab-token', shape: String.raw`gl(?:pat|dt|rt|ptt)-[\w-]{20,}(?:\.[\w-]+)*` },
  { kind: 'slack-token', shape: String.raw`(?<![A-Za-z0-9])(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{10,}` },
  { kind: 'api-key', shape: String.raw`(?<![A-Za-z0-9])sk-(?:ant|proj|svcacct|admin|or-v1)-[\w-]{16,}` },
  { kind: 'api-key', shape: String.raw`(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20,}[\w-]*` },
  { kind: 'stripe-key', shape: '(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}' },
  { kind: 'google-key', shape: String.raw`(?<![A-Za-z0-9])AIza[\w-]{35,}` },
  { kind: 'bellhop-token', shape: String.raw`(?<![A-Za-z0-9])bhp_[\w-]{40,}` },
  { kind: 'npm-token', shape: '(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}' },
  { kind: 'aws-key', shape: '(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}[A-Za-z0-9]*' },
  { kind: 'telegram-token', shape: String.raw`(?<!\d)\d{8,10}:A[\w-]{34,}` },
  {
    kind: 'discord-token',
    shape: String.raw`(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{5,7}\.[\w-]{27,}`,
    // It begins with the number of the account.
    isOne: (found) => /^\d{17,20}$/.test(decoded(found.slice(0, found.indexOf('.')))),
  },
  { kind: 'jwt', shape: String.raw`(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}(?:\.[\w-]*)?` },
]
const SHAPE = new RegExp(SHAPES.map(({ shape }) => `(${shape})`).join('|'), 'g')

const takeShapes: Take = (text) =>
  text.replace(SHAPE, (found: string, ...groups: unknown[]) => {
    const { kind, isOne } = SHAPES[groups.findIndex((group) => group !== undefined)] as Shape
    return /x{8}/i.test(found) || isOne?.(found) === false ? found : mark(kind)
  })

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1')

/** `scheme://user:PASSWORD@host`, but not `http://host:80?mail=a@b`. */
const URL_PASSWORD = /(:\/\/[^\s/:@"'`<>[\]]*:)(?!\d{1,5}[?#,;)])([^\s/"'`<>]{4,})(?=@)/g

const takeFromUrls: Take = (text) =>
  text.replace(URL_PASSWORD, (found: string, head: string, password: string) =>
    PLACEHOLDER.test(password) || /^pass(?:word|wd)?$|^pwd?$/i.test(password) ? found : head + mark('url-password'),
  )

const HEADER = /(authorization["'\\]{0,4}\s?[:=,]\s?["'\\]{0,4})?\b(bearer|basic)(\s{1,4})([\w.~+/-]{5,}[\w~+/-]=*)/gi

const takeHeaders: Take = (text) =>
  text.replace(HEADER, (...[found, header = '', scheme, gap, value]: string[]) => {
    const kind = `${scheme}`.toLowerCase()
    return isCredential(kind, header !== '', `${value}`) ? `${header}${scheme}${gap}${mark(kind)}` : `${found}`
  })

const isCredential = (scheme: string, inHeader: boolean, value: string): boolean =>
  scheme === 'basic'
    ? /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(decoded(value))
    : strengthOf(value) >= (inHeader ? (value.length < 16 ? TAIL : WORD) : MIXED)

/** What it must not follow is said after the word: a search that begins by looking back is ten times as slow. */
const LABEL = String.raw`(?:${[
  String.raw`pass(?:word|wd|wort|phrase|code)|pwd|(?:pass|pw)(?<![a-z](?:pass|pw))(?=["'\x60\\]{0,4}\s?[:=]|$)`,
  String.raw`pass(?<=--pass)(?=\s)|secret[ _-]?access[ _-]?key`,
  '(?:api|access|secret|private|signing|encryption|account|master|auth)[ _-]?key|authorization',
  String.raw`secret(?<!\w:secret)|token(?<!(?:page|next|continuation)[ _-]?token)`,
].join('|')})(?:_?\d{1,2})?`
const LABEL_AT_END = new RegExp(`${LABEL}$`, 'i')

const kindOf = (name: string): string => {
  const label = LABEL_AT_END.exec(name)?.[0] ?? ''
  if (/^p/i.test(label) && !/key/i.test(label)) return 'password'
  if (/secret.?access/i.test(label)) return 'aws-key'
  if (/key/i.test(label)) return 'key'
  return /^secret/i.test(label) ? 'secret' : 'token'
}

/** A label and what leads from it to its value: `x = `, `x: string = `, `"x": `, `x for y is `, `<x>`, `x `. */
const LABELLED = new RegExp(
  `(?<label>${LABEL})(?:${[
    String.raw`(?<assign>(?:\\{0,3}["'\x60]\]?)?\s{0,4}(?:\??:\s?[\w&' ]{1,20})?(?:!?={1,3}|:=)>?\s{0,4})`,
    String.raw`(?<colon>(?:\\{0,3}["'\x60]\]?|\*\*)?\s{0,4}\??:(?!:)(?:\*\*)?\s{0,4})`,
    String.raw`(?<is>\s{1,4}(?:(?:for|of|to)\s(?:\S{1,30}\s){1,3})?(?:is|was)(?:\s(?:now|set to))?\s?[:=]?\s{1,4})`,
    '(?<tag>>)',
    String.raw`(?<space>[ \t]{1,4})`,
  ].join('|')})`,
  'gi',
)

const takeLabelled: Take = (text) => {
  let done = ''
  let from = 0
  for (let found = LABELLED.exec(text); found; found = LABELLED.exec(text)) {
    const literal = literalAt(text, LABELLED.lastIndex)
    // A value that is none may have another label in it: the search goes on behind the first.
    if (!literal || strengthOf(literal.value) < neededFor(text, found, literal)) continue
    done += text.slice(from, literal.start) + mark(kindOf(found.groups?.['label'] ?? ''))
    from = literal.isWhole ? literal.end : reach(text, literal.end, literal.stop)
    LABELLED.lastIndex = from
  }
  return from === 0 ? text : done + text.slice(from)
}

type Literal = { value: string; start: number; end: number; quoted: boolean; stop: RegExp; isWhole: boolean }

/** As much of a value as it takes to judge it: a label that is repeated a million times costs so much each time. */
const LONGEST = 80
const OPEN = /[brfu@]?(\\{0,3})(["'`])/y
const BARE_STOP = /[\s"'`<>\\]|[,;&]\s?[\w-]{1,40}[=:]/

const literalAt = (text: string, at: number): Literal | null => {
  OPEN.lastIndex = at
  const [opened = '', slashes = '', quote = ''] = OPEN.exec(text) ?? []
  const quoted = quote !== ''
  const stop = quoted ? new RegExp(`\\n|${slashes === '' ? '(?<!\\\\)' : '\\\\{1,4}'}${quote}`) : BARE_STOP
  const start = at + opened.length
  const shown = text.slice(start, start + LONGEST)
  const length = reach(shown, 0, stop)
  const value = shown.slice(0, quoted ? length : withoutMarks(shown, length))
  const literal = { value, start, end: start + value.length, stop, quoted, isWhole: length < LONGEST }
  return (quoted ? isLiteral(literal, text) : !CODE.test(value)) ? literal : null
}

/** Whether it is what stands between quotation marks, and not what stands between two strings: `"a=" + b + "c"`. */
const isLiteral = ({ value, end, isWhole }: Literal, text: string): boolean =>
  /\s/.test(value)
    ? isWhole && /^\S.*\S$/.test(value) && /^[^\n]/.test(text.slice(end, end + 1))
    : !/^[+.,;)].*[+.,;(]$/.test(value)

const reach = (text: string, from: number, stop: RegExp): number => {
  const length = text.slice(from).search(stop)
  return length < 0 ? text.length : from + length
}

/** The length without the full stop or the comma that ends the sentence. */
const withoutMarks = (text: string, length: number): number => {
  let end = length
  while (end > 0 && '.,;:!?)]}'.includes(text.charAt(end - 1))) end -= 1
  return end
}

/** How much a value must look like a secret, given where it stands: the surer the place, the less. */
const neededFor = (text: string, { index, groups }: RegExpExecArray, { value, end, quoted }: Literal): number => {
  const { label = '', assign, colon, space, tag } = groups ?? {}
  const after = text.slice(end, end + 40)
  const place = {
    assign,
    colon,
    space,
    quoted,
    isLast: /^\s*(?:$|[-|;&\n])/.test(after),
    isInCode: /^\s*[,;)}\]](?!\w+=)/.test(after),
  }
  if (tag) return after.startsWith('</') ? MIXED : NEVER
  if (isFlag(text, index)) return flagNeeds(place)
  if (kindOf(label) !== 'password' && /^\d+$/.test(value)) return NEVER
  if (assign === '=' && label === label.toUpperCase()) return WORD
  return kindOf(label) === 'password' ? passwordNeeds(place) : tokenNeeds(place)
}

type Place = Record<'assign' | 'colon' | 'space', string | undefined> &
  Record<'quoted' | 'isLast' | 'isInCode', boolean>

const flagNeeds = ({ assign, quoted, isLast }: Place): number => (assign || quoted || isLast ? WORD : TAIL)

const passwordNeeds = ({ assign, colon, space, quoted, isInCode }: Place): number => {
  // In JSON it is data; in an object literal, a word may be a label or a message.
  if (quoted) return space || (colon && !colon.includes('"')) ? TAIL : WORD
  if (assign && assign.trim() !== '=') return NEVER
  return isInCode || space || (assign && assign !== '=') ? MIXED : TAIL
}

const tokenNeeds = ({ assign, space, quoted, isInCode }: Place): number => {
  if (space || (assign && !quoted && assign.trim() !== '=')) return NEVER
  return isInCode && !quoted ? RANDOM : MIXED
}

const isFlag = (text: string, at: number): boolean =>
  /(?:^|[\s"'`([])--?[\w-]*$/.test(text.slice(Math.max(0, at - 40), at))

/** How much a value looks like a secret: a word, a word with a number after it, letters among digits, or chance itself. */
const [NOTHING, WORD, TAIL, MIXED, RANDOM, NEVER] = [0, 1, 2, 3, 4, 5]
const SHORTEST = 6

const strengthOf = (value: string): number => {
  if (value.length < SHORTEST || PLACEHOLDER.test(value) || REFERENCE.test(value)) return NOTHING
  if (WORDS.test(value) || /\s/.test(value)) return strengthOfWords(value)
  if (/^\d+$/.test(value) || IDENTIFIER.test(value)) return TAIL
  if (value.length >= 16 && /\d\D+\d/.test(value)) return RANDOM
  if (AMONG.test(value)) return MIXED
  return /\d/.test(value) ? TAIL : WORD
}

/** Digits before letters, a year's worth of digits, or a mark between them. */
const AMONG = /\d\D*[A-Za-z]|[A-Za-z_-]\d{4}|[A-Za-z\d][!#$%^*~][A-Za-z\d]/

const strengthOfWords = (words: string): number => {
  if (/^[A-Za-z]+\d+$|^[a-z]+(?:-[a-z]+){3,}\d*$/.test(words)) return TAIL
  if (/^(?:[a-z]{24,}|[A-Z]{24,})$/.test(words)) return MIXED
  return words.includes('/') || EVERYDAY.test(words) ? NOTHING : WORD
}

/** Words, each with a short number or without: `hunter2`, `my-token-1`, `auth.login.v2`, `projects/123/secrets`. */
const WORDS = /^[A-Za-z]+\d{0,3}(?:[-_.][A-Za-z]*\d{0,3}|\/[A-Za-z]*\d*)*$/

/** A name of source code with a number in it: `Uint8Array`. */
const IDENTIFIER = /^[A-Za-z][a-z]*\d{1,3}(?:[A-Z][a-z]+)+$/

/** What stands where a secret would, in documentation or in something that was redacted before. */
const PLACEHOLDER = new RegExp(
  [
    String.raw`^[<{…]|^\$[\w({]|^%\w+%$|\$\{|\{\{|\[redacted:|^\[[\w -]*\]$`,
    String.raw`^[x*._-]+$|x{6}|\*{3}|\.{3}|…`,
    '(?:^|[-_])(?:your|example|sample|dummy|fake|placeholder|change[-_]?me|replace[-_]?me)(?:[-_]|$)|^your',
  ].join('|'),
  'i',
)

/** What says where a secret is, or what it is made with: an address, a path, a constant, a pattern, a digest, an algorithm. */
const REFERENCE = new RegExp(
  [
    String.raw`://|^0x[\da-fA-F]+$|^(?![A-Za-z0-9+/]{40}$)(?:~|\.{0,2})/|^[A-Za-z]:\\|^-`,
    String.raw`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|\(\?|\[(?:\^|[-\d*]*\])`,
    '^[Ss][Hh][Aa]-?\\d+[-:]',
    `^${anyCase('(?:sha|md|base|utf|oauth|argon|pbkdf|aes|rsa|hs|rs|es|ps|ed|x|v|u?int|float|http|ipv|secp|curve)')}[-_]?\\d{1,5}[A-Za-z_-]{0,12}$`,
  ].join('|'),
)

const EVERYDAY = new RegExp(
  [
    'pass|token|secret|auth|cred|login|bearer|basic|scheme|header|requir|valid|incorrect|missing|expired|wrong|empty|hidden',
    'string|number|boolean|object|undefined|unknown|default|optional|abled|option|argument|param|variable|value|flag',
    'instead|change|example|function|return|await|null|none|true|false|your|enter|please|must|forgot|field',
  ].join('|'),
  'i',
)

/** What no bare value of a file or a chat looks like, but an expression does. */
const CODE =
  /[()[\]{}|]|=>|::|\?\.|[a-z\d](?:Password|Token|Secret|Key|Hash)\d?$|^(?=.{0,39}$)[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/

/** In this order: what is known by its shape keeps the name of its kind, whatever label it has. */
const SWEEPS: readonly Sweep[] = [
  { when: new RegExp(SHAPE_BEGINS), take: takeShapes },
  { when: new RegExp(URL_BEGINS), take: takeFromUrls },
  { when: new RegExp(HEADER_BEGINS), take: takeHeaders },
  { when: new RegExp(LABEL_BEGINS), take: takeLabelled },
]
