/** Loss landscapes as objects of three.js: surfaces, their contour lines, and the way training took. */

import {
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Object3D,
} from 'three'
import type { Landscape } from './api'
import { rampAt } from '@/plot/colourRamp'
import { fraction, type Scale } from '@/plot/scale'
import { contourLines } from './contours'
import type { Layer } from './contourPlot'
import { heights } from './terrain'

/** Halves of the box that holds the landscape. */
export const HALF = { x: 0.58, y: 0.58, z: 0.36 } as const

export interface Terrain {
  readonly x: Scale
  readonly y: Scale
  readonly loss: Scale
}

export const placeX = ({ x }: Terrain, value: number): number => (2 * fraction(x, value) - 1) * HALF.x
export const placeY = ({ y }: Terrain, value: number): number => (2 * fraction(y, value) - 1) * HALF.y
export const placeZ = (part: number): number => (2 * Math.min(1, Math.max(0, part)) - 1) * HALF.z

/** The places of all losses, row by row; NaN where there is none. */
export function surfacePlaces(landscape: Landscape, terrain: Terrain): Float32Array {
  const parts = heights(landscape.z, terrain.loss)
  const nx = landscape.x.length
  const places = new Float32Array(parts.length * 3)
  for (let i = 0; i < parts.length; i++) {
    places[3 * i] = placeX(terrain, landscape.x[i % nx]!)
    places[3 * i + 1] = placeY(terrain, landscape.y[Math.floor(i / nx)]!)
    places[3 * i + 2] = Number.isNaN(parts[i]) ? NaN : placeZ(parts[i]!)
  }
  return places
}

/** A landscape in the colours of its losses; among several, in the colour of its run and to be seen through. */
export function surfaceObject(
  { landscape, colour }: Layer,
  terrain: Terrain,
  levels: readonly number[],
  isAlone: boolean,
): Object3D {
  const group = new Group()
  const places = surfacePlaces(landscape, terrain)
  const isThere = (i: number): boolean => !Number.isNaN(places[3 * i + 2])
  const nx = landscape.x.length
  const faces: number[] = []
  for (let j = 0; j + 1 < landscape.y.length; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const [a, b, c, d] = [j * nx + i, j * nx + i + 1, (j + 1) * nx + i + 1, (j + 1) * nx + i]
      if (isThere(a) && isThere(b) && isThere(c)) faces.push(a, b, c)
      if (isThere(a) && isThere(c) && isThere(d)) faces.push(a, c, d)
    }
  }
  const geometry = new BufferGeometry()
  // What is no number is in no face; it only must not spoil the normals.
  geometry.setAttribute(
    'position',
    new BufferAttribute(
      places.map((value) => (Number.isNaN(value) ? 0 : value)),
      3,
    ),
  )
  if (isAlone) geometry.setAttribute('color', new BufferAttribute(coloursOf(landscape, terrain), 3, true))
  geometry.setIndex(faces)
  geometry.computeVertexNormals()
  const material = new MeshStandardMaterial({
    side: DoubleSide,
    roughness: 0.85,
    metalness: 0,
    vertexColors: isAlone,
    color: isAlone ? '#ffffff' : colour,
    transparent: !isAlone,
    opacity: isAlone ? 1 : 0.72,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  })
  group.add(
    new Mesh(geometry, material),
    levelLines(landscape, terrain, levels, isAlone ? '#ffffff' : colour),
  )
  return group
}

function coloursOf({ z }: Landscape, { loss }: Terrain): Uint8Array {
  const colours = new Uint8Array(z.length * 3)
  heights(z, loss).forEach((part, i) => colours.set(rampAt(part), 3 * i))
  return colours
}

function levelLines(
  landscape: Landscape,
  terrain: Terrain,
  levels: readonly number[],
  colour: string,
): LineSegments {
  const grid = {
    x: landscape.x.map((x) => placeX(terrain, x)),
    y: landscape.y.map((y) => placeY(terrain, y)),
    z: heights(landscape.z, terrain.loss),
  }
  const points: number[] = []
  for (const level of levels) {
    const part = fraction(terrain.loss, level)
    const z = placeZ(part)
    for (const line of contourLines(grid, part)) {
      for (let i = 2; i < line.length; i += 2)
        points.push(line[i - 2]!, line[i - 1]!, z, line[i]!, line[i + 1]!, z)
    }
  }
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3))
  return new LineSegments(
    geometry,
    new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.45 }),
  )
}

const THICK = 0.008
const DOT = 0.016
const END = 0.026

/** The places of a path's points. */
export function pathPlaces({ path }: Landscape, terrain: Terrain): readonly Vector3[] {
  if (!path) return []
  return path.intervals.map(
    (_, i) =>
      new Vector3(
        placeX(terrain, path.x[i]!),
        placeY(terrain, path.y[i]!),
        placeZ(Number.isFinite(path.z[i]!) ? fraction(terrain.loss, path.z[i]!) || 0 : 0),
      ),
  )
}

/** The way of training as a tube with a ball at each point, and a larger one where it ended. Faint where a hill hides it. */
export function pathObject({ landscape, colour }: Layer, terrain: Terrain, endColour: string): Object3D {
  const group = new Group()
  const places = pathPlaces(landscape, terrain)
  const { end } = landscape
  for (const isHidden of [true, false]) {
    const look = isHidden ? { transparent: true, opacity: 0.3, depthTest: false } : {}
    const material = (ink: string): MeshBasicMaterial => new MeshBasicMaterial({ color: ink, ...look })
    if (places.length > 0) group.add(tubes(places, material(colour)), balls(places, DOT, material(colour)))
    if (end) {
      const place = new Vector3(
        placeX(terrain, end.x),
        placeY(terrain, end.y),
        placeZ(fraction(terrain.loss, end.z) || 0),
      )
      group.add(balls([place], END, material(endColour)))
    }
  }
  return group
}

function balls(places: readonly Vector3[], radius: number, material: MeshBasicMaterial): InstancedMesh {
  const mesh = new InstancedMesh(new SphereGeometry(radius, 16, 12), material, places.length)
  places.forEach((place, i) => mesh.setMatrixAt(i, new Matrix4().setPosition(place)))
  return mesh
}

function tubes(places: readonly Vector3[], material: MeshBasicMaterial): InstancedMesh {
  const mesh = new InstancedMesh(
    new CylinderGeometry(THICK, THICK, 1, 8),
    material,
    Math.max(0, places.length - 1),
  )
  const upright = new Vector3(0, 1, 0)
  for (let i = 1; i < places.length; i++) {
    const way = new Vector3().subVectors(places[i]!, places[i - 1]!)
    const length = way.length()
    const turn = new Quaternion().setFromUnitVectors(
      upright,
      length > 0 ? way.clone().divideScalar(length) : upright,
    )
    mesh.setMatrixAt(
      i - 1,
      new Matrix4().compose(
        new Vector3().addVectors(places[i]!, places[i - 1]!).divideScalar(2),
        turn,
        new Vector3(1, length, 1),
      ),
    )
  }
  return mesh
}
