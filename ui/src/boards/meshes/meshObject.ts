/** A mesh as objects of three.js. */

import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PointLight,
  Sphere,
  Vector3,
  type Light,
  type Object3D,
} from 'three'
import { rampAt } from '@/plot/colourRamp'
import { pointCloud } from '@/plot/scene/cloud'
import type { Up } from '@/plot/scene/sceneView'
import type { LoggedLight, MeshConfig } from './meshConfig'
import { normalised, type Ball, type MeshModel } from './meshModel'
import type { MeshLook } from './meshView'

/** Normals at points make edges smooth; of more points than these they take too long. */
const MOST_SMOOTH = 1_000_000

export interface Dress extends Pick<MeshLook, 'display' | 'colouring' | 'isLit' | 'pointSize'> {
  readonly up: Up
  /** Of the run. */
  readonly colour: string
  readonly config: MeshConfig
}

/** The mesh in the unit sphere around its own middle; `place` puts it where it belongs. */
export function meshObject(model: MeshModel, dress: Dress): Object3D {
  const positions = normalised(model.points, model.ball)
  const colours = coloursOf(model, dress)
  const { material } = dress.config
  const colour = material.colour ?? dress.colour
  if (!model.faces || dress.display === 'points')
    return pointCloud({ positions, colours, colour, size: dress.pointSize })
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(positions, 3))
  if (colours) geometry.setAttribute('color', new BufferAttribute(colours, 3, true))
  geometry.setIndex(new BufferAttribute(model.faces, 1))
  // Known, so that it is not computed from points that are out of sight.
  geometry.boundingSphere = new Sphere(new Vector3(), 1)
  const common = {
    vertexColors: colours !== null,
    color: colours ? '#ffffff' : colour,
    side: DoubleSide,
    wireframe: dress.display === 'wireframe' || material.isWireframe,
  }
  if (!dress.isLit || material.isPlain || common.wireframe)
    return new Mesh(geometry, new MeshBasicMaterial(common))
  const isSmooth = positions.length <= 3 * MOST_SMOOTH
  if (isSmooth) geometry.computeVertexNormals()
  return new Mesh(
    geometry,
    new MeshStandardMaterial({
      ...common,
      roughness: material.roughness ?? 0.8,
      metalness: material.metalness ?? 0,
      flatShading: !isSmooth,
    }),
  )
}

/** Put a mesh that is drawn around its own middle where it lies in `frame`, the unit sphere of the scene. */
export function place(object: Object3D, own: Ball, frame: Ball): void {
  object.scale.setScalar(own.radius / frame.radius)
  object.position.set(
    (own.centre[0] - frame.centre[0]) / frame.radius,
    (own.centre[1] - frame.centre[1]) / frame.radius,
    (own.centre[2] - frame.centre[2]) / frame.radius,
  )
  object.updateMatrixWorld()
}

function coloursOf({ colours, points, box }: MeshModel, { colouring, up }: Dress): Uint8Array | null {
  if (colouring === 'logged') return colours
  if (colouring === 'run') return null
  const axis = up === 'y' ? 1 : 2
  const [lo, range] = [box.lo[axis], box.hi[axis] - box.lo[axis] || 1]
  const table = Array.from({ length: 256 }, (_, i) => rampAt(i / 255))
  const mapped = new Uint8Array(points.length)
  for (let at = 0; at < points.length; at += 3) {
    const colour =
      table[Math.min(255, Math.max(0, Math.round(((points[at + axis]! - lo) / range) * 255)))] ?? table[0]!
    mapped[at] = colour[0]
    mapped[at + 1] = colour[1]
    mapped[at + 2] = colour[2]
  }
  return mapped
}

/** TensorBoard's three.js measured light without the factor that came later. */
const SINCE = Math.PI

export function lightOf({ kind, colour, intensity, position }: LoggedLight): Light {
  const light = {
    ambient: () => new AmbientLight(colour, intensity * SINCE),
    directional: () => new DirectionalLight(colour, intensity * SINCE),
    point: () => new PointLight(colour, intensity * SINCE, 0, 0),
    hemisphere: () => new HemisphereLight(colour, '#444444', intensity * SINCE),
  }[kind]()
  if (position) light.position.set(...position)
  return light
}
