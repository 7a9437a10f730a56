import { wordSet } from './words.ts'

/** What a name says about a file. */

const LANGUAGES = new Map(
  Object.entries({
    typescript: 'ts',
    javascript: 'js',
    python: 'py',
    rust: 'rs',
    golang: 'go',
    ruby: 'rb',
    markdown: 'md',
    clojure: 'clj',
    elixir: 'ex',
    haskell: 'hs',
    kotlin: 'kt',
    shell: 'sh',
    bash: 'sh',
    perl: 'pl',
  }),
)
const EXTENSIONS = wordSet(
  `ts tsx mts cts js jsx mjs cjs py pyi rs go rb java kt kts scala clj cljs edn ex exs erl hs ml c h cc cpp cxx hpp cs
  swift php pl lua jl dart zig nim sh bash zsh fish ps1 sql html htm css scss less vue svelte xml svg json jsonc
  yaml yml toml ini cfg conf md mdx markdown rst adoc txt csv tsv proto graphql tf nix gradle cmake mk`,
)
const BARE_FILES = wordSet(
  'readme license licence makefile dockerfile changelog contributing gemfile rakefile procfile justfile codeowners',
)

/** `ts`, `.ts` and `TypeScript` are the extension ts. */
export const extensionOf = (word: string): string | null => {
  const lower = word.toLowerCase().replace(/^\./, '')
  if (EXTENSIONS.has(lower)) return lower
  return LANGUAGES.get(lower) ?? null
}

export const isFileLike = (path: string): boolean => {
  const base = baseOf(path).toLowerCase()
  const dot = base.lastIndexOf('.')
  if (dot === -1) return isBareFile(base)
  return EXTENSIONS.has(base.slice(dot + 1)) || /^\.[a-z][\w-]{0,30}$/.test(base)
}

export const isProse = (path: string): boolean => /\.(?:md|mdx|markdown|rst|adoc|txt)$/i.test(path)

export const isTest = (path: string): boolean =>
  path.split('/').some((part) => /^(?:tests?|__tests__|specs?|fixtures|testdata)$/i.test(part)) ||
  /(?:[._-](?:test|spec)s?\.|^test_)/i.test(baseOf(path))

export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A glob that takes a name as it stands, in whatever case. */
export const anyCase = (name: string): string => inAnyCase(name.replace(/[*?[\]{}!\\]/g, '\\$&'))

/** A glob, in whatever case; one with classes of its own stays as it is. */
export const inAnyCase = (glob: string): string =>
  glob.includes('[') && !glob.includes('\\[')
    ? glob
    : glob.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)

/** Files that go without an extension, and may have one: README, LICENSE. */
export const isBareFile = (name: string): boolean => BARE_FILES.has(name.toLowerCase())
