// A call that is only tried: the real gate says what it would decide. All of it is in the address, so that a decision can be
// shown to somebody else.
import { make } from '/elements.js'
import { ask } from '/house.js'
import { plain } from '/plain.js'
import { addressOf, codes, factsOf, pill, section } from './sections.js'
import { texts } from './texts.js'

const words = texts.peripherals.try
const ROLES = ['viewer', 'operator', 'approver', 'admin']
const LONGEST = 4000

export const createTrial = (id, asked) => {
  const tool = make('select', '')
  const args = make('textarea', '')
  args.rows = 5
  args.maxLength = LONGEST
  args.spellcheck = false
  args.value = asked.get('args') ?? '{}'
  const phase = make('select', '')
  const room = make('select', '', optionOf('', words.anyRoom))
  const role = make('select', '', optionOf('', words.anyRole), ...ROLES.map((name) => optionOf(name)))
  role.value = asked.get('role') ?? ''
  const phaseField = field('trial-phase', words.phase, phase)
  const submit = make('button', 'button main', words.submit)
  const said = make('div', 'decision')
  said.setAttribute('role', 'status')
  const form = make(
    'form',
    '',
    field('trial-tool', words.tool, tool),
    phaseField,
    field('trial-args', words.args, args),
    make('div', 'given', field('trial-room', words.room, room), field('trial-role', words.role, role)),
    submit,
  )
  const element = section('trial', words.title, make('p', 'dim', words.intro), form, said)

  const given = () => ({
    tool: tool.value,
    args: args.value.trim() || '{}',
    phase: phase.value || null,
    room: room.value || null,
    role: role.value || null,
  })

  const tryIt = async () => {
    const wrong = noObject(args.value.trim() || '{}')
    args.setAttribute('aria-invalid', String(wrong !== null))
    if (wrong !== null) return said.replaceChildren(make('p', 'wrong', words.noJson(wrong)))
    history.replaceState(null, '', addressOf('/peripherals', { id, ...given() }))
    submit.disabled = true
    said.replaceChildren(make('p', 'dim', words.asking))
    const { status, body } = await ask(addressOf('/api/try', { peripheral: id, ...given() }))
    submit.disabled = false
    if (status === 200) return said.replaceChildren(...decisionOf(body))
    return said.replaceChildren(make('p', 'wrong', body ? texts.refused(body) : texts.unreachable))
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void tryIt()
  })
  // As in a chat: a line ends with Enter, and what was written is sent with it and a modifier.
  args.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })

  return {
    element,
    focus: () => tool.focus(),
    /** The tools and phases of a wall; what the address asks for is tried at once, since nothing comes of it. */
    show: ({ spec, tools }) => {
      tool.replaceChildren(...tools.map(({ name }) => optionOf(name)))
      phase.replaceChildren(...spec.phases.map(({ id: name }) => optionOf(name)))
      phaseField.hidden = spec.phases.length === 0
      const wanted = asked.get('tool')
      if (wanted === null) return
      if (![...tool.options].some(({ value }) => value === wanted)) tool.append(optionOf(wanted))
      tool.value = wanted
      if (asked.get('phase') !== null) phase.value = asked.get('phase')
      const wantedRoom = asked.get('room')
      if (wantedRoom !== null) room.append(optionOf(wantedRoom))
      room.value = wantedRoom ?? ''
      void tryIt()
    },
    showRooms: (all) => {
      const chosen = room.value
      room.replaceChildren(
        optionOf('', words.anyRoom),
        ...all.map(({ id: name, mode }) => optionOf(name, `${name} (${mode})`)),
      )
      if (chosen !== '' && !all.some((one) => one.id === chosen)) room.append(optionOf(chosen))
      room.value = chosen
    },
    fill: (example) => {
      tool.value = example.tool
      if (tool.value !== example.tool) tool.append(optionOf(example.tool))
      tool.value = example.tool
      args.value = JSON.stringify(example.args, null, 2)
      if (example.phase !== undefined) phase.value = example.phase
      element.scrollIntoView({ block: 'nearest' })
      void tryIt()
    },
  }
}

const optionOf = (value, text = value) => {
  const option = make('option', '', text)
  option.value = value
  return option
}

const field = (id, label, control) => {
  control.id = id
  const name = make('label', '', label)
  name.htmlFor = id
  return make('div', 'field', name, control)
}

/** Why a text is no object of JSON; null where it is one. */
const noObject = (text) => {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : typeof value
  } catch (error) {
    return error.message
  }
}

const VERDICTS = {
  passes: ({ reads, writes, command, sandbox }) => [
    words.passes,
    [
      [words.writes, writes.length === 0 ? null : codes(writes)],
      [words.reads, reads.length === 0 ? null : codes(reads)],
      [words.by, command === null ? null : codes([command.argv.join(' ')])],
      [words.runs, sandbox === null ? null : pill(sandbox)],
    ],
  ],
  asks: ({ why, opens, writes }) => [
    words.asksPerson,
    [
      ['', words.rule(15, texts.peripherals.rules[14])],
      [words.why, plain(why)],
      [words.yes, plain(opens)],
      [words.writes, writes.length === 0 ? null : codes(writes)],
    ],
  ],
  refused: ({ rule, code, message, remedy }) => [
    words.refused,
    [
      ['', rule === null ? null : words.rule(rule, texts.peripherals.rules[rule - 1])],
      [words.why, [`${plain(message)} `, make('code', '', code)]],
      [words.remedy, plain(remedy)],
    ],
  ],
}

const decisionOf = ({ verdict, granted }) => {
  const [title, facts] = VERDICTS[verdict.kind](verdict)
  const heading = make('h3', '', title)
  const [rule, ...rest] = facts[0][0] === '' ? facts : [['', null], ...facts]
  const card = make(
    'div',
    'card verdict',
    heading,
    ...(rule[1] === null ? [] : [make('p', 'dim', rule[1])]),
    factsOf(rest),
    make('p', 'dim given-that', `${words.granted}: ${granted.join('; ')}.`),
  )
  card.dataset.status = verdict.kind
  return [card]
}
