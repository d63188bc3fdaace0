/** What writers say about camera, light and material: JSON in the words of three.js, as TensorBoard takes it. */

import { anglesOf, type SceneView, type Up, type Vector } from '@/plot/scene/sceneView'
import type { Ball } from './meshModel'

export interface LoggedLight {
  readonly kind: 'ambient' | 'directional' | 'point' | 'hemisphere'
  readonly colour: string
  readonly intensity: number
  readonly position: Vector | null
}

export interface MeshConfig {
  readonly projection: 'perspective' | 'parallel'
  /** Degrees; null: not said. */
  readonly fieldOfView: number | null
  /** Where the eye is, in the coordinates of the mesh. */
  readonly eye: Vector | null
  readonly up: Up | null
  /** Empty: not said. */
  readonly lights: readonly LoggedLight[]
  readonly material: {
    /** Whether it wants no light at all. */
    readonly isPlain: boolean
    readonly colour: string | null
    readonly roughness: number | null
    readonly metalness: number | null
    readonly isWireframe: boolean
  }
}

export const NO_CONFIG: MeshConfig = {
  projection: 'perspective',
  fieldOfView: null,
  eye: null,
  up: null,
  lights: [],
  material: { isPlain: false, colour: null, roughness: null, metalness: null, isWireframe: false },
}

type Json = Readonly<Record<string, unknown>>
const recordOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const numberIn = (value: unknown, lo: number, hi: number): number | null =>
  typeof value === 'number' && value >= lo && value <= hi ? value : null

function vectorOf(value: unknown): Vector | null {
  const numbers = Array.isArray(value)
    ? value
    : Object.keys(recordOf(value)).length > 0
      ? ['x', 'y', 'z'].map((axis) => recordOf(value)[axis])
      : []
  return numbers.length === 3 && numbers.every((part) => typeof part === 'number' && Number.isFinite(part))
    ? (numbers as unknown as Vector)
    : null
}

/** `#rrggbb`, or a number as three.js writes colours. */
function colourOf(value: unknown): string | null {
  if (typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)) return value
  const whole = numberIn(value, 0, 0xffffff)
  return whole !== null && Number.isInteger(whole) ? `#${whole.toString(16).padStart(6, '0')}` : null
}

const KINDS: Readonly<Record<string, LoggedLight['kind']>> = {
  AmbientLight: 'ambient',
  DirectionalLight: 'directional',
  PointLight: 'point',
  HemisphereLight: 'hemisphere',
}
const MOST_LIGHTS = 8

/** What of a configuration can be followed; all of it is optional, and what makes no sense is passed over. */
export function readConfig(text: string | null): MeshConfig {
  let config: Json
  try {
    config = recordOf(JSON.parse(text ?? '{}'))
  } catch {
    return NO_CONFIG
  }
  const [camera, material] = [recordOf(config['camera']), recordOf(config['material'])]
  const lights = Array.isArray(config['lights']) ? config['lights'].slice(0, MOST_LIGHTS).map(recordOf) : []
  const up = vectorOf(camera['up'])
  return {
    projection: camera['cls'] === 'OrthographicCamera' ? 'parallel' : 'perspective',
    fieldOfView: numberIn(camera['fov'], 5, 120),
    eye: vectorOf(camera['position']),
    up: up && (up[2] > 0.9 ? 'z' : up[1] > 0.9 ? 'y' : null),
    lights: lights.flatMap((light) => {
      const kind = KINDS[String(light['cls'])]
      return kind
        ? [
            {
              kind,
              colour: colourOf(light['color']) ?? '#ffffff',
              intensity: numberIn(light['intensity'], 0, 100) ?? 1,
              position: vectorOf(light['position']),
            },
          ]
        : []
    }),
    material: {
      isPlain: material['cls'] === 'MeshBasicMaterial',
      colour: colourOf(material['color']),
      roughness: numberIn(material['roughness'], 0, 1),
      metalness: numberIn(material['metalness'], 0, 1),
      isWireframe: material['wireframe'] === true,
    },
  }
}

/** The logged camera as a view of what lies in `ball`; null when none was logged. */
export function loggedView({ eye }: MeshConfig, { centre, radius }: Ball, up: Up): SceneView | null {
  if (!eye) return null
  const way: Vector = [eye[0] - centre[0], eye[1] - centre[1], eye[2] - centre[2]]
  return Math.hypot(...way) > radius * 1e-6 ? { ...anglesOf(way, up), zoom: 1, target: [0, 0, 0] } : null
}
