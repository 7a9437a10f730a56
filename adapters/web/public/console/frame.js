// Showing in step with the screen: however often it is asked for, it is done once for each frame.

export const oncePerFrame = (draw) => {
  let waits = false
  return () => {
    if (waits) return
    waits = true
    requestAnimationFrame(() => {
      waits = false
      draw()
    })
  }
}
