import { describe, expect, it } from 'vitest'
import {
  anglesOf,
  HOME,
  isSameView,
  moved,
  picturePlane,
  readSceneView,
  turned,
  writeSceneView,
  zoomed,
  type SceneView,
  type Up,
  type Vector,
} from './sceneView'

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const view: SceneView = { azimuth: 0.7, elevation: -0.3, zoom: 2.5, target: [0.1, -0.2, 0.3] }

describe.each(['y', 'z'] as const)('a view with %s up', (up: Up) => {
  it('has a picture plane of right angles, with the axis up to the top', () => {
    const { right, top, eye } = picturePlane(view, up)
    for (const [a, b] of [
      [right, top],
      [top, eye],
      [eye, right],
    ] as const)
      expect(dot(a, b)).toBeCloseTo(0)
    for (const a of [right, top, eye]) expect(dot(a, a)).toBeCloseTo(1)
    const cross = [
      right[1] * top[2] - right[2] * top[1],
      right[2] * top[0] - right[0] * top[2],
      right[0] * top[1] - right[1] * top[0],
    ]
    expect(cross[0]).toBeCloseTo(eye[0])
    expect(cross[1]).toBeCloseTo(eye[1])
    expect(top[up === 'y' ? 1 : 2]).toBeGreaterThan(0)
  })

  it('is told by the direction of its eye', () => {
    const { azimuth, elevation } = anglesOf(picturePlane(view, up).eye, up)
    expect(azimuth).toBeCloseTo(view.azimuth)
    expect(elevation).toBeCloseTo(view.elevation)
  })

  it('moves in the plane of the picture, less when it is enlarged', () => {
    const { right, eye } = picturePlane(view, up)
    const there = moved(view, up, 0.5, 0).target
    const way: Vector = [there[0] - view.target[0], there[1] - view.target[1], there[2] - view.target[2]]
    expect(dot(way, right)).toBeCloseTo(0.2)
    expect(dot(way, eye)).toBeCloseTo(0)
  })
})

describe('a view in an address', () => {
  it('comes back as it was, to three digits', () => {
    const back = readSceneView(writeSceneView(view))!
    expect(back).toEqual(view)
    expect(isSameView(back, view)).toBe(true)
    expect(isSameView(turned(view, 0.01, 0), view)).toBe(false)
  })

  it.each(['', '1,2,3', '0,0,0,0,0,0', '0,3,1,0,0,0', 'a,0,1,0,0,0', '0,0,1,0,0,1e9', '0,0,Infinity,0,0,0'])(
    'is none when it cannot be understood: %s',
    (text) => {
      expect(readSceneView(text)).toBeNull()
    },
  )

  it('never goes over the top or out of sight', () => {
    expect(turned(HOME, 0, 10).elevation).toBeLessThan(Math.PI / 2)
    expect(zoomed(HOME, 1e9).zoom).toBe(2000)
  })
})
