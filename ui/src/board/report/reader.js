/* The script of a report: shows the values of a chart at the place that is pointed at, or reached by the arrow keys. */

const SVG = 'http://www.w3.org/2000/svg'
const MOST_ROWS = 12

const part = (scale, value) =>
  scale.isLog
    ? Math.log(value / scale.lo) / Math.log(scale.hi / scale.lo)
    : (value - scale.lo) / (scale.hi - scale.lo)
const valueAt = (scale, share) =>
  scale.isLog ? scale.lo * (scale.hi / scale.lo) ** share : scale.lo + share * (scale.hi - scale.lo)

function placeText(axis, x) {
  if (axis === 'absolute') return new Date(x * 1000).toLocaleString()
  if (axis !== 'relative') return String(x)
  const seconds = Math.round(x)
  return seconds < 60
    ? `${x} s`
    : [seconds / 3600, (seconds / 60) % 60, seconds % 60]
        .map((count) => String(Math.floor(count)).padStart(2, '0'))
        .join(':')
}

function nearest(xs, x) {
  let best = -1
  for (let at = 0; at < xs.length; at++)
    if (xs[at] !== null && (best < 0 || Math.abs(xs[at] - x) <= Math.abs(xs[best] - x))) best = at
  return best
}

for (const figure of document.querySelectorAll('figure')) {
  const chart = figure.querySelector('.chart')
  const svg = chart.querySelector('svg')
  const { frame, xScale, left, right, axis, xLabel, lines, more } = JSON.parse(
    figure.querySelector('script[type="application/json"]').textContent,
  )
  const [, , width] = svg.getAttribute('viewBox').split(' ').map(Number)
  const marks = svg.appendChild(document.createElementNS(SVG, 'g'))
  const box = chart.appendChild(document.createElement('div'))
  box.className = 'reading'
  box.setAttribute('role', 'status')
  box.hidden = true
  const places = [...new Set(lines.flatMap(({ xs }) => xs))].filter((x) => x !== null).sort((a, b) => a - b)
  const ends = lines.map(({ xs }) =>
    xs.reduce(
      ([lo, hi], x) => (x === null ? [lo, hi] : [Math.min(lo, x), Math.max(hi, x)]),
      [Infinity, -Infinity],
    ),
  )
  let shown = null

  const mark = (name, attributes) => {
    const element = marks.appendChild(document.createElementNS(SVG, name))
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  }

  function hide() {
    marks.replaceChildren()
    box.hidden = true
    shown = null
  }

  function read(x, pointerY) {
    hide()
    if (places.length === 0) return
    shown = places[nearest(places, x)]
    const pixel = frame.x + part(xScale, shown) * frame.width
    if (!(pixel >= frame.x - 1 && pixel <= frame.x + frame.width + 1)) return
    mark('path', { d: `M${pixel} ${frame.y}v${frame.height}`, class: 'cross' })
    const readings = lines.flatMap((line, place) => {
      const at = nearest(line.xs, shown)
      // A curve that begins later or has ended says nothing here.
      if (at < 0 || shown < ends[place][0] || shown > ends[place][1]) return []
      const scale = line.side === 'left' ? left : right
      const value = line.ys[at]
      return [
        {
          ...line,
          x: line.xs[at],
          value,
          detail: line.details?.[at],
          y: value === null ? NaN : frame.y + (1 - part(scale, value)) * frame.height,
        },
      ]
    })
    for (const { x: at, y, colour } of readings) {
      if (y >= frame.y - 1 && y <= frame.y + frame.height + 1)
        mark('circle', { cx: frame.x + part(xScale, at) * frame.width, cy: y, r: 3, fill: colour })
    }
    // Of many, those nearest to the pointer; then from top to bottom.
    const near =
      pointerY === null
        ? readings
        : [...readings].sort((a, b) => Math.abs(a.y - pointerY) - Math.abs(b.y - pointerY))
    const rows = near.slice(0, MOST_ROWS).sort((a, b) => a.y - b.y)
    box.replaceChildren()
    const title = box.appendChild(document.createElement('strong'))
    title.textContent = `${xLabel} ${placeText(axis, shown)}`
    for (const { name, colour, value, detail } of rows) {
      const row = box.appendChild(document.createElement('div'))
      const dot = row.appendChild(document.createElement('i'))
      dot.style.background = colour
      row.appendChild(document.createElement('span')).textContent = name
      row.appendChild(document.createElement('b')).textContent = value === null ? 'NaN' : String(value)
      if (detail)
        row.appendChild(document.createElement('small')).textContent =
          `${detail[0] === null ? '' : `${detail[0]} – ${detail[1]}  `}n = ${detail[2]}`
    }
    if (readings.length > rows.length)
      box.appendChild(document.createElement('em')).textContent = `+ ${readings.length - rows.length} ${more}`
    box.hidden = false
    // Beside the line, where there is more room, and inside of the chart in any case.
    const all = svg.getBoundingClientRect().width
    const place = (pixel * all) / width
    box.style.left = '0'
    const wanted = pixel > width / 2 ? place - 12 - box.offsetWidth : place + 12
    box.style.left = `${Math.max(0, Math.min(wanted, all - box.offsetWidth))}px`
  }

  svg.addEventListener('pointermove', (event) => {
    const area = svg.getBoundingClientRect()
    const scale = width / area.width
    read(
      valueAt(xScale, ((event.clientX - area.left) * scale - frame.x) / frame.width),
      (event.clientY - area.top) * scale,
    )
  })
  svg.addEventListener('pointerleave', hide)
  figure.addEventListener('blur', hide)
  figure.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (event.key === 'Escape') hide()
    if (!step || places.length === 0) return
    event.preventDefault()
    const at = shown === null ? (step > 0 ? -1 : places.length) : places.indexOf(shown)
    read(places[Math.min(Math.max(at + step, 0), places.length - 1)], null)
  })
}
