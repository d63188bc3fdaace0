/** From where a scene is looked at. Scenes lie in the unit sphere around the origin, so views of different scenes can be compared. */

export type Vector = readonly [number, number, number]
/** Perspective and parallel views turn around the scene; a flat one looks straight down on x and y. */
export type Projection = 'perspective' | 'parallel' | 'flat'
export type Up = 'y' | 'z'

export interface SceneView {
  /** Radians around the upward axis; 0 is the front. */
  readonly azimuth: number
  /** Radians above the horizon. */
  readonly elevation: number
  /** 1 shows the whole unit sphere. */
  readonly zoom: number
  /** What lies in the middle of the picture. */
  readonly target: Vector
}

export const HOME: SceneView = { azimuth: -0.6, elevation: 0.5, zoom: 1, target: [0, 0, 0] }
export const FLAT_HOME: SceneView = { azimuth: 0, elevation: 0, zoom: 1, target: [0, 0, 0] }

const STEEPEST = Math.PI / 2 - 0.001 // straight from above, "up" of the picture would be undefined
const ZOOMS = [0.05, 2000] as const
const FARTHEST = 20

const within = (value: number, lo: number, hi: number): number => Math.min(hi, Math.max(lo, value))

/** Unit vectors of the picture: to its right, to its top, and from the scene to the eye. */
export function picturePlane(
  { azimuth, elevation }: SceneView,
  up: Up,
): { readonly right: Vector; readonly top: Vector; readonly eye: Vector } {
  const [sa, ca, se, ce] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)]
  // As if y were up; with z up the same is lying on its back.
  const lay = ([x, y, z]: Vector): Vector => (up === 'y' ? [x, y, z] : [x, -z, y])
  return { right: lay([ca, 0, -sa]), top: lay([-se * sa, ce, -se * ca]), eye: lay([ce * sa, se, ce * ca]) }
}

/** The angles of a view whose eye lies in the direction `eye` from its target. */
export function anglesOf([x, y, z]: Vector, up: Up): Pick<SceneView, 'azimuth' | 'elevation'> {
  const [ahead, high] = up === 'y' ? [z, y] : [-y, z]
  return { azimuth: Math.atan2(x, ahead), elevation: Math.atan2(high, Math.hypot(x, ahead)) }
}

export function turned(view: SceneView, azimuth: number, elevation: number): SceneView {
  return {
    ...view,
    azimuth: view.azimuth + azimuth,
    elevation: within(view.elevation + elevation, -STEEPEST, STEEPEST),
  }
}

export const zoomed = (view: SceneView, factor: number): SceneView => ({
  ...view,
  zoom: within(view.zoom * factor, ...ZOOMS),
})

/** Look at what lies so many halves of the picture to the right and to the top. */
export function moved(view: SceneView, up: Up, toRight: number, toTop: number): SceneView {
  const { right, top } = picturePlane(view, up)
  const at = (axis: 0 | 1 | 2): number =>
    within(view.target[axis] + (right[axis] * toRight + top[axis] * toTop) / view.zoom, -FARTHEST, FARTHEST)
  return { ...view, target: [at(0), at(1), at(2)] }
}

const short = (value: number): string => String(Number(value.toFixed(3)))

/** A view as text for an address. */
export function writeSceneView({ azimuth, elevation, zoom, target }: SceneView): string {
  return [short(azimuth), short(elevation), String(Number(zoom.toPrecision(4))), ...target.map(short)].join(
    ',',
  )
}

/** The view that a text stands for; null when it is none. */
export function readSceneView(text: string): SceneView | null {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return null
  const [azimuth = 0, elevation = 0, zoom = 1, x = 0, y = 0, z = 0] = numbers
  if (
    Math.abs(elevation) > Math.PI / 2 ||
    zoom < ZOOMS[0] ||
    zoom > ZOOMS[1] ||
    [x, y, z].some((place) => Math.abs(place) > FARTHEST)
  )
    return null
  return { azimuth, elevation: within(elevation, -STEEPEST, STEEPEST), zoom, target: [x, y, z] }
}

/** Whether two views would be written alike. */
export const isSameView = (a: SceneView, b: SceneView): boolean =>
  a === b || writeSceneView(a) === writeSceneView(b)
