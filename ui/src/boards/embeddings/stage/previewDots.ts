/** Points of a plane as dots. */

interface Points {
  /** x and y in turn. */
  readonly values: Float32Array
  readonly count: number
  readonly columns: number
}

const MARGIN = 6
/** More would only make the cloud denser. */
const MOST = 20_000

/** Where the dots are, in pixels; both axes have the same scale. */
export function dotsIn(
  { values, count, columns }: Points,
  { width, height }: { width: number; height: number },
): readonly (readonly [number, number])[] {
  const every = Math.max(1, Math.ceil(count / MOST))
  const places: (readonly [number, number])[] = []
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let i = 0; i < count; i += every) {
    const [x, y] = [values[i * columns]!, columns > 1 ? values[i * columns + 1]! : 0]
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue
    places.push([x, y])
    ;[left, right, low, high] = [Math.min(left, x), Math.max(right, x), Math.min(low, y), Math.max(high, y)]
  }
  const scale = Math.min(
    (width - 2 * MARGIN) / (right - left || 1),
    (height - 2 * MARGIN) / (high - low || 1),
  )
  return places.map(([x, y]) => [
    width / 2 + (x - (left + right) / 2) * scale,
    height / 2 - (y - (low + high) / 2) * scale,
  ])
}
