// A link to one post, `/?room=ROOM#post-ID`: the room is read from some way before it, and it is marked once it is there.

const POST = /^#post-([A-Za-z0-9._~-]{1,128})$/

/** How far before it the reading begins. */
const BEFORE = 200

export const createLinked = ({ ask, onFound, onMissing }) => {
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
    return isHere ? Math.max(0, position - BEFORE) : null
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
