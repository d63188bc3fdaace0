import { describe, expect, it } from 'vitest'
import type { NumberArray } from '@/base/npy'
import type { MeshPart, MeshPartSeries } from './api'
import { loggedView, NO_CONFIG, readConfig } from './meshConfig'
import { joined, meshModel, normalised } from './meshModel'
import { meshAt, meshSeriesOf, partOf } from './meshParts'
import { plyFile } from './ply'

const array = (shape: readonly number[], ...values: number[]): NumberArray => ({
  shape,
  values: Float32Array.from(values),
})
const SQUARE = array([1, 4, 3], 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0)

describe('the parts of a mesh', () => {
  it.each([
    ['eval/shape_VERTEX', 'eval/shape', 'vertices'],
    ['a_FACE', 'a', 'faces'],
    ['a_COLOR', 'a', 'colors'],
    ['a_1', 'a', 'vertices'],
    ['a_2', 'a', 'faces'],
    ['a_1_3', 'a_1', 'colors'],
    ['other', 'other', 'vertices'],
  ] as const)('are told by the tag: %s', (tag, name, content) => {
    expect(partOf(tag)).toEqual({ name, content })
  })

  const part = (step: number, content: MeshPart['content']): MeshPart => ({
    step,
    wall_time: 0,
    name: 'm',
    content,
    shape: [1, 1, 3],
    config: '',
    url: `${content}${step}`,
  })
  const series = (tag: string, ...items: MeshPart[]): MeshPartSeries => ({
    run: 'a',
    tag,
    source: '',
    total_steps: items.length,
    superseded: 0,
    items,
  })

  it('come together at each step, with faces of an earlier one', () => {
    const [mesh] = meshSeriesOf([
      series('m_VERTEX', part(0, 'vertices'), part(5, 'vertices')),
      series('m_FACE', part(0, 'faces')),
      series('m_COLOR', part(5, 'colors')),
    ])
    expect(meshAt(mesh!, null)).toMatchObject({
      step: 5,
      vertices: { url: 'vertices5' },
      faces: { url: 'faces0' },
      colors: { url: 'colors5' },
    })
    expect(meshAt(mesh!, 0)).toMatchObject({ step: 0, faces: { url: 'faces0' }, colors: null })
  })

  it('are no mesh without points', () => {
    const [mesh] = meshSeriesOf([series('m_FACE', part(0, 'faces'))])
    expect(meshAt(mesh!, null)).toBeNull()
  })
})

describe('a mesh', () => {
  it('lies in the unit sphere around its middle', () => {
    const { points, ball } = meshModel(SQUARE, null, null, 0)
    expect(ball).toEqual({ centre: [1, 1, 0], radius: Math.SQRT2 })
    expect(Math.hypot(...normalised(points, ball).slice(0, 3))).toBeCloseTo(1)
  })

  it('leaves out faces without corners, points that are no numbers and colours that do not fit, and says so', () => {
    const broken = array([1, 4, 3], 0, 0, 0, 2, 0, 0, NaN, 2, 0, 0, Infinity, 0)
    const model = meshModel(
      broken,
      array([1, 4, 3], 0, 1, 0, 0, 1, 2, 0, 1, 4, -1, 1.5, 0),
      array([1, 3, 3], ...new Array<number>(9).fill(0)),
      0,
    )
    expect(model.lost).toEqual({ points: 2, faces: 3, colours: true })
    expect([...model.faces!]).toEqual([0, 1, 0])
    expect(model.colours).toBeNull()
    expect(model.ball.radius).toBe(1)
    expect(Math.min(...normalised(model.points, model.ball).slice(6))).toBeGreaterThan(1000)
  })

  it('is one of a batch', () => {
    const two = array([2, 1, 3], 1, 1, 1, 7, 8, 9)
    expect([...meshModel(two, null, null, 1).points]).toEqual([7, 8, 9])
    expect([...meshModel(two, null, null, 5).points]).toEqual([7, 8, 9])
  })

  it('has colours up to 255, from shares too, and passes over transparency', () => {
    expect([
      ...meshModel(array([1, 1, 3], 0, 0, 0), null, array([1, 1, 3], 0, 128, 999), 0).colours!,
    ]).toEqual([0, 128, 255])
    expect([...meshModel(array([1, 1, 3], 0, 0, 0), null, array([1, 1, 3], 0, 0.5, 1), 0).colours!]).toEqual([
      0, 128, 255,
    ])
    expect([...meshModel(array([1, 1, 3], 0, 0, 0), null, array([1, 1, 4], 1, 2, 3, 4), 0).colours!]).toEqual(
      [1, 2, 3],
    )
  })
})

describe('balls', () => {
  it('join to the smallest around both', () => {
    const a = { centre: [0, 0, 0], radius: 1 } as const
    expect(joined(a, { centre: [0.5, 0, 0], radius: 0.2 })).toBe(a)
    const both = joined(a, { centre: [4, 0, 0], radius: 1 })
    expect(both).toEqual({ centre: [2, 0, 0], radius: 3 })
  })
})

describe('a PLY file', () => {
  it('has a header, points with colours, and faces', async () => {
    const model = meshModel(
      SQUARE,
      array([1, 1, 3], 0, 1, 2),
      array([1, 4, 3], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
      0,
    )
    const bytes = await plyFile(model).arrayBuffer()
    const text = new TextDecoder('latin1').decode(bytes)
    const begin = text.indexOf('end_header\n') + 'end_header\n'.length
    expect(text.slice(0, begin)).toContain('element vertex 4\nproperty float x')
    expect(text.slice(0, begin)).toContain('element face 1\n')
    expect(bytes.byteLength).toBe(begin + 4 * 15 + 13)
    const view = new DataView(bytes, begin)
    expect([
      view.getFloat32(15, true),
      view.getUint8(15 + 12),
      view.getUint8(60),
      view.getInt32(60 + 9, true),
    ]).toEqual([2, 4, 3, 2])
  })
})

describe('a logged configuration', () => {
  it('is followed where it makes sense', () => {
    const config = readConfig(
      JSON.stringify({
        camera: { cls: 'PerspectiveCamera', fov: 75, position: [0, 0, 5], up: [0, 0, 1] },
        lights: [{ cls: 'AmbientLight', color: '#ff0000', intensity: 0.75 }, { cls: 'Laser' }],
        material: { cls: 'MeshStandardMaterial', roughness: 1, metalness: 7, color: 255 },
      }),
    )
    expect(config).toMatchObject({
      projection: 'perspective',
      fieldOfView: 75,
      up: 'z',
      lights: [{ kind: 'ambient', colour: '#ff0000', intensity: 0.75, position: null }],
    })
    expect(config.material).toEqual({
      isPlain: false,
      colour: '#0000ff',
      roughness: 1,
      metalness: null,
      isWireframe: false,
    })
    expect(loggedView(config, { centre: [0, 0, 0], radius: 1 }, 'y')).toMatchObject({
      azimuth: 0,
      elevation: 0,
    })
  })

  it.each([null, '', 'no JSON', '[]', '{"camera": 5, "lights": {}, "material": null}'])(
    'is none when it cannot be understood: %s',
    (text) => {
      expect(readConfig(text)).toEqual(NO_CONFIG)
    },
  )
})
