// Work that lasts: proofs, and what missions owe, each with its graph. A house that knows nothing of them shows nothing.
import { make } from '/elements.js'
import { ask } from '/house.js'
import { createGraph } from './graph.js'
import { createKeeper } from './keep.js'
import { linkOf, pill, section } from './sections.js'
import { texts } from './texts.js'

/** The graph of an undertaking, in the words of the drawing. */
const drawable = (graph) => ({
  nodes: graph.nodes.map(({ id, text = '', status, kind }) => ({ id, text, status: status ?? kind ?? '' })),
  edges: graph.edges.map(({ from, to, label, kind = '' }) => ({ from, to, label: label ?? kind })),
})

/** What the house does not know at all is not asked for again. */
const createQuestion = (path) => {
  let unknown = false
  return async () => {
    const answer = unknown ? { status: 404, body: null } : await ask(path)
    unknown ||= answer.status === 404
    return answer
  }
}

/** What one of them rests on; hidden for as long as nobody knows. */
export const createUndertaking = ({ path, title, label }) => {
  const graph = createGraph({ label, nothing: texts.missions.noItems })
  const element = section('undertaking', title, graph.element)
  element.hidden = true
  const question = createQuestion(path)
  const look = async () => {
    const { status, body } = await question()
    // What nobody has begun to carry on has nothing to draw yet: its file says what there is.
    const known = status === 200 && body?.begun !== false && Array.isArray(body?.graph?.nodes)
    element.hidden = !known
    if (known) graph.show(drawable(body.graph))
  }
  return { element, look }
}

/** All proofs, each a way to its graph. */
export const createProofs = () => {
  const list = make('ul', 'rows')
  const element = section('proofs', texts.missions.undertakings, list)
  element.hidden = true
  const show = createKeeper(list, {
    keyOf: ({ id }) => id,
    make: () => {
      const row = make('li', '')
      return { element: row, show: (proof) => row.replaceChildren(...proofRow(proof)) }
    },
  })
  const question = createQuestion('/api/proofs')
  const look = async () => {
    const { status, body } = await question()
    const proofs = status === 200 && Array.isArray(body?.proofs) ? body.proofs.flatMap(named) : []
    element.hidden = proofs.length === 0
    show(proofs)
  }
  return { element, look }
}

/** A proof as it is listed, whatever its row calls its name and what it is about. */
const named = ({ id, proof, undertaking, title, text, status, phase }) => {
  const name = id ?? proof ?? undertaking
  return typeof name === 'string' ? [{ id: name, title: title ?? text ?? '', status: status ?? phase ?? null }] : []
}

const proofRow = ({ id, title, status }) => [
  linkOf(`/missions?proof=${encodeURIComponent(id)}`, id),
  ' ',
  typeof status === 'string' ? pill(status) : '',
  ` ${title}`,
]
