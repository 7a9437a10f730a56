type Series = { name: string; points: readonly (readonly [number, number])[] }
export type Plot = {
  title: string
  x: string
  y: string
  series: readonly Series[] /** Each step ten times the one before. */
  log?: boolean
}

const [WIDTH, HEIGHT] = [640, 300]
const EDGE = { left: 64, right: 16, top: 34, bottom: 46 }
const COLOURS = ['#3b82f6', '#d97706', '#10b981', '#db2777', '#8b5cf6', '#0891b2']

/** A small picture of lines over an axis: grey that can be read on white and on black, and no ground of its own. */
export const plotted = ({ title, x, y, series, log = false }: Plot): string => {
  const all = series.flatMap(({ points }) => points)
  const place = log ? Math.log10 : (value: number) => value
  const xs = all.map(([value]) => place(value))
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const top = roundUp(Math.max(...all.map(([, value]) => value), 0))
  const atX = (value: number) =>
    EDGE.left + ((place(value) - left) / (right - left || 1)) * (WIDTH - EDGE.left - EDGE.right)
  const atY = (value: number) => HEIGHT - EDGE.bottom - (value / top) * (HEIGHT - EDGE.top - EDGE.bottom)
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top)
  const marks = log
    ? [...new Set(all.map(([value]) => value))]
    : [0, 0.25, 0.5, 0.75, 1].map((share) => left + share * (right - left))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="sans-serif" font-size="12" fill="#808080">`,
    `<title>${escaped(title)}</title>`,
    `<text x="${EDGE.left}" y="18" font-size="14">${escaped(title)}</text>`,
    ...ticks.map(
      (value) =>
        `<path d="M${EDGE.left} ${px(atY(value))}H${WIDTH - EDGE.right}" stroke="#808080" stroke-opacity="0.3"/>` +
        `<text x="${EDGE.left - 8}" y="${px(atY(value) + 4)}" text-anchor="end">${shown(value)}</text>`,
    ),
    ...marks.map(
      (value) =>
        `<text x="${px(atX(value))}" y="${HEIGHT - EDGE.bottom + 18}" text-anchor="middle">${shown(value)}</text>`,
    ),
    `<text x="${WIDTH / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escaped(x)}</text>`,
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">${escaped(y)}</text>`,
    ...series.flatMap(({ name, points }, i) => {
      const colour = COLOURS[i % COLOURS.length]
      const line = points.map(([a, b], n) => `${n === 0 ? 'M' : 'L'}${px(atX(a))} ${px(atY(b))}`).join('')
      return [
        `<path d="${line}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        `<text x="${WIDTH - EDGE.right}" y="${EDGE.top + 14 * i}" text-anchor="end" fill="${colour}">${escaped(name)}</text>`,
      ]
    }),
    '</svg>',
    '',
  ].join('\n')
}

const px = (value: number): string => value.toFixed(1)

/** The next number above that is easily read. */
const roundUp = (value: number): number => {
  if (value <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * unit >= value) ?? 10) * unit
}

export const shown = (value: number): string => {
  if (value >= 1e6) return `${+(value / 1e6).toFixed(1)}M`
  if (value >= 10_000) return `${+(value / 1000).toFixed(0)}k`
  return value >= 100 ? value.toFixed(0) : `${+value.toPrecision(3)}`
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
