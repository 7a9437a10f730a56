import type { Link, Message } from './link.ts'

type Options = {
  wanted: string
  /** Whether services may be asked to free it: we are signed in to an account. */
  account: () => string | null
  everyMs: number
}

/** How long a nick may be everywhere. */
const SHORTEST_LIMIT = 9

/** How many are tried before we are let in: a server that takes none of them wants no more of them. */
const MOST_CANDIDATES = 10

/** The least time between two tries, as a part of that between two that nothing led to. */
const LEAST = 0.25

/**
 * Sees to it that we have the nick we want: another one where it is taken, and it as soon as it is free. It asks the
 * services to free it, listens for whoever has it to leave, and tries now and then.
 */
export const createNick = (link: Link, { wanted, account, everyMs }: Options) => {
  let attempts = 0
  let target = wanted
  let timer: NodeJS.Timeout | undefined
  let isIn = false
  let isOver = false
  let tried = Number.NEGATIVE_INFINITY

  const has = () => link.fold(link.nick()) === link.fold(target)
  /** Who is given it and loses it at once would otherwise go on for ever, as fast as the server answers. */
  const attempt = () => {
    if (performance.now() - tried < everyMs * LEAST) return
    tried = performance.now()
    link.putFirst(`NICK ${target}`)
  }
  const tryAgain = () => {
    clearTimeout(timer)
    if (has() || isOver) return
    timer = setTimeout(
      () => {
        if (!has()) attempt()
        if (!has() && account() !== null) free()
        tryAgain()
      },
      everyMs * (0.75 + Math.random() / 2),
    )
  }
  /** Atheme knows REGAIN and GHOST, others one of them. No password goes along: we are signed in. */
  const free = () => {
    void link.put(`PRIVMSG NickServ :REGAIN ${target}`)
    void link.put(`PRIVMSG NickServ :GHOST ${target}`)
  }
  const regain = () => {
    if (has()) return
    if (link.supports('MONITOR') !== null) void link.put(`MONITOR + ${target}`)
    if (account() !== null) free()
    tryAgain()
  }
  /** Before we were let in, a nick that is not to be had is answered with another one. */
  const entering = ({ command }: Message) => {
    if (!/^43[2367]$/.test(command)) return
    if (attempts >= MOST_CANDIDATES) return link.drop(`it takes no nick like ${wanted}`)
    const isWrong = command === '432'
    if (isWrong) target = wanted.slice(0, SHORTEST_LIMIT)
    link.putFirst(`NICK ${candidate(isWrong ? target : wanted, attempts++, isWrong)}`)
  }
  const inside = (line: Message) => {
    if (!has() && isFreed(line, (name) => link.fold(name) === link.fold(target))) attempt()
    // Services rename whoever does not sign in; then it begins anew.
    if (line.command === 'NICK' && link.fold(line.nick) === link.fold(link.nick())) setImmediate(regain)
  }

  return {
    line: (line: Message) => (isIn ? inside(line) : entering(line)),
    welcome: () => {
      isIn = true
      const limit = Number(link.supports('NICKLEN') ?? link.supports('MAXNICKLEN') ?? Number.NaN)
      if (Number.isInteger(limit) && limit > 0) target = wanted.slice(0, limit)
      regain()
    },
    has,
    target: () => target,
    end: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}

/** Whoever had it left, or is called something else. */
const isFreed = ({ command, nick, params }: Message, isIt: (name: string) => boolean): boolean => {
  if (command === '731') return (params.at(-1) ?? '').split(',').some(isIt)
  return (command === 'QUIT' || command === 'NICK') && isIt(nick)
}

/** With a tail that fits everywhere: first dashes below, then anything. */
const candidate = (wanted: string, attempt: number, asIs: boolean): string => {
  if (asIs && attempt === 0) return wanted
  const tail = attempt < 3 ? '_'.repeat(attempt + 1) : String(Math.floor(Math.random() * 1000))
  return `${wanted.slice(0, Math.max(1, SHORTEST_LIMIT - tail.length))}${tail}`
}
