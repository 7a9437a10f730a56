// A link to one post, `/?room=ROOM#post-ID`: the room is read from some way before it, and it is marked once it is there.
// Where that is far back, a page around it is shown, and after a gap how the room ends.

const POST = /^#post-([A-Za-z0-9._~-]{1,128})$/

/** How far before it the reading begins; and what is too far back to read everything from there. */
const BEFORE = 200
const FAR = 2000

export const createLinked = ({ ask, openAt, onFound, onMissing }) => {
  /** The post that is looked for, and where it stands; null once it was found, or cannot be. */
  let wanted = POST.exec(location.hash)?.[1] ?? null
  let position = Number.POSITIVE_INFINITY

  /** The position to read after; null where it is all the same. */
  const after = async (room) => {
    if (wanted === null) return null
    const { status, body } = await ask(`/api/show?entry=${encodeURIComponent(wanted)}`)
    const isHere = status === 200 && body.entry.tags.includes(`room/${room}`)
    if (isHere) position = body.entry.position
    else if (status !== 0) giveUp()
    if (!isHere || (await isFar(room))) return null
    return Math.max(0, position - BEFORE)
  }

  /** Whether it is far back, and shown by itself. */
  const isFar = async (room) => {
    const { status, body } = await ask(`/api/posts?room=${encodeURIComponent(room)}&limit=${BEFORE}`)
    const end = status === 200 ? (body.posts.at(-1)?.position ?? 0) : 0
    return end - position > FAR && position < body.posts[0].position && openAt({ room, position, see })
  }

  const see = (post, element) => {
    if (post.id === wanted) {
      wanted = null
      element.classList.add('linked')
      onFound(element)
    } else if (wanted !== null && post.position > position) giveUp()
  }

  const giveUp = () => {
    wanted = null
    onMissing()
  }

  addEventListener('hashchange', () => location.reload())

  return { after, see }
}
