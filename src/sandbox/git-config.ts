/**
 * A git config without what could hold a credential, or name a program: only settings that are known to do neither are
 * kept, so whatever else there is stays out. The addresses of remotes lose their passwords and tokens.
 */
export const withoutCredentials = (text: string): string =>
  settingsIn(text)
    .map((setting) => harmless(setting))
    .filter((setting) => setting !== null)
    .map(
      ({ section, name, key, value }) =>
        `[${section}${name === null ? '' : ` "${name.replace(/["\\]/g, '\\$&')}"`}]\n\t${key} = ${quoted(value)}\n`,
    )
    .join('')

type Setting = { section: string; name: string | null; key: string; value: string }

const HARMLESS: Record<string, RegExp> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|sparsecheckout|sparsecheckoutcone|abbrev|whitespace|worktree)$/,
  extensions: /^\w+$/,
  remote: /^(url|pushurl|fetch|push|tagopt|mirror|prune|promisor|partialclonefilter)$/,
  branch: /^(remote|merge|rebase|pushremote)$/,
  submodule: /^(url|active|branch|ignore|path)$/,
  user: /^(name|email)$/,
  diff: /^(algorithm|renames|noprefix|mnemonicprefix|context)$/,
  status: /^showuntrackedfiles$/,
  merge: /^conflictstyle$/,
  pull: /^(rebase|ff)$/,
  push: /^default$/,
  init: /^defaultbranch$/,
}

const harmless = (setting: Setting): Setting | null => {
  const { section, key, value } = setting
  if (!HARMLESS[section]?.test(key)) return null
  const address = /^(push)?url$/.test(key) ? withoutPassword(value) : value
  return address === null ? null : { ...setting, value: address }
}

/**
 * An address without the password or token in it. The user of ssh is part of the address and no secret; over http the
 * user may be the token itself. Null where something is left that may be one.
 */
const withoutPassword = (address: string): string | null => {
  const parts = /^((?:[\w-]+::)*)([\w+.-]+):\/\/(?:([^/?#@]*)@)?([^?#]*)/.exec(address)
  if (parts === null) return address.includes('://') ? null : address
  const [, helper = '', scheme = '', person = '', rest = ''] = parts
  if (rest.includes('@')) return null
  const user = /^(git\+)?ssh$/.test(scheme) ? (person.split(':')[0] ?? '') : ''
  return `${helper}${scheme}://${user === '' ? '' : `${user}@`}${rest}`
}

/** The settings of a config, as git reads them. What stands under a heading that cannot be read belongs to nothing. */
const settingsIn = (text: string): Setting[] => {
  const settings: Setting[] = []
  let heading: Pick<Setting, 'section' | 'name'> | null = null
  for (const line of wholeLines(text)) {
    const { found, rest } = headingOf(line)
    heading = rest === line && /^\s*\[/.test(line) ? null : (found ?? heading)
    const [, key, value] = /^\s*([a-zA-Z][\w-]*)\s*(?:=(.*))?$/s.exec(rest) ?? []
    if (heading && key !== undefined)
      settings.push({ ...heading, key: key.toLowerCase(), value: value === undefined ? 'true' : unquoted(value) })
  }
  return settings
}

/** A backslash at the end of a line goes on in the next one. */
const wholeLines = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split(/(?<!(?:^|[^\\])(?:\\\\)*\\)\n/)

/** `[section]`, `[section "name"]` or, of old, `[section.name]`; a setting may follow on the same line. */
const headingOf = (line: string): { found: Pick<Setting, 'section' | 'name'> | null; rest: string } => {
  const parts = /^\s*\[([\w-]+)(?:\.([\w.-]+)|\s+"((?:[^"\\\n]|\\.)*)")?\s*\](.*)$/s.exec(line)
  if (parts === null) return { found: null, rest: line }
  const [, section = '', old, name, rest = ''] = parts
  const called = name === undefined ? (old?.toLowerCase() ?? null) : name.replace(/\\(.)/g, '$1')
  return { found: { section: section.toLowerCase(), name: called }, rest }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', b: '\b', '\n': '' }

/** A value without its quotes, escapes and comment. Blanks around it do not count, unless they are in quotes. */
const unquoted = (raw: string): string => {
  let value = ''
  for (const [, inQuotes, comment, plain = ''] of raw
    .trim()
    .matchAll(/"((?:[^"\\]|\\[\s\S])*)"?|([#;])|((?:[^"\\#;]|\\[\s\S])+)/g)) {
    if (comment !== undefined) return value.trimEnd()
    value += unescaped(inQuotes ?? plain)
  }
  return value
}

const unescaped = (text: string): string =>
  text.replace(/\\([\s\S])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped)

const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`
