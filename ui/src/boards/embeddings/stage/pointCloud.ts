/** Many points on the graphics card: discs, or small pictures in a frame of their colour. */

import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  DynamicDrawUsage,
  LinearFilter,
  NearestFilter,
  Points,
  PointsMaterial,
  Texture,
  Vector2,
  Vector4,
} from 'three'
import { spreadOrder } from '@/plot/scene/cloud'

const VERTEX_HEAD = `
attribute vec2 emphasis; // size and strength
varying float strength;
varying float tile;
`
// What is faded lies behind all, what is strong in front, wherever it is in space.
const VERTEX_END = `
gl_PointSize = size * emphasis.x;
strength = emphasis.y;
tile = float(gl_VertexID);
if (emphasis.x == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
else if (strength < 0.3) gl_Position.z = gl_Position.w * 0.9999;
else if (emphasis.x > 1.2) gl_Position.z = -gl_Position.w * 0.9;
`
const FRAGMENT_HEAD = `
uniform sampler2D sheet;
uniform vec2 tiles; // share of the sheet that a picture takes, across and down; 0: no pictures
uniform vec4 fit; // where in the square of a point its picture lies
varying float strength;
varying float tile;
`
const FRAGMENT_END = `
if (tiles.x > 0.0) {
  vec2 inside = (gl_PointCoord - fit.xy) / (fit.zw - fit.xy);
  vec2 rim = vec2(0.09);
  if (any(lessThan(inside, -rim)) || any(greaterThan(inside, 1.0 + rim))) discard;
  if (all(greaterThanEqual(inside, vec2(0.0))) && all(lessThanEqual(inside, vec2(1.0)))) {
    float across = floor(1.0 / tiles.x + 0.001);
    vec2 place = vec2(mod(tile, across), floor((tile + 0.5) / across));
    diffuseColor.rgb = texture2D(sheet, (place + clamp(inside, 0.001, 0.999)) * tiles).rgb;
  }
  diffuseColor.a = strength;
} else {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  float soft = fwidth(away);
  diffuseColor.a = strength * (1.0 - smoothstep(1.0 - soft, 1.0, away));
  if (diffuseColor.a < 0.02) discard;
}
`

/** Pixels across, by the number of points. */
const sizeOf = (count: number): number => (count <= 300 ? 11 : count <= 3000 ? 8 : count <= 20_000 ? 5 : 3)
const pictureSizeOf = (count: number): number =>
  count <= 300 ? 36 : count <= 3000 ? 26 : count <= 20_000 ? 18 : 12
const LARGEST = { disc: 18, picture: 96 }

export class PointCloud {
  readonly object: Points<BufferGeometry, PointsMaterial>
  /** Where the points are drawn now; while they move this is not yet where they belong. */
  readonly positions: Float32Array
  private readonly uniforms = {
    sheet: { value: new DataTexture(new Uint8Array(4), 1, 1) as Texture },
    tiles: { value: new Vector2() },
    fit: { value: new Vector4(0, 0, 1, 1) },
  }
  private zoom = 1

  constructor(readonly count: number) {
    this.positions = new Float32Array(count * 3)
    const geometry = new BufferGeometry()
    const attribute = (name: string, values: Float32Array | Uint8Array, size: number): void => {
      const buffer = new BufferAttribute(values, size, values instanceof Uint8Array)
      buffer.setUsage(DynamicDrawUsage)
      geometry.setAttribute(name, buffer)
    }
    attribute('position', this.positions, 3)
    attribute('color', new Uint8Array(count * 3), 3)
    attribute('emphasis', new Float32Array(count * 2).fill(1), 2)
    geometry.setIndex(new BufferAttribute(spreadOrder(count), 1))
    const material = new PointsMaterial({ sizeAttenuation: false, vertexColors: true, transparent: true })
    material.onBeforeCompile = (shader): void => {
      Object.assign(shader.uniforms, this.uniforms)
      shader.vertexShader =
        VERTEX_HEAD +
        shader.vertexShader.replace('#include <fog_vertex>', `${VERTEX_END}#include <fog_vertex>`)
      shader.fragmentShader =
        FRAGMENT_HEAD +
        shader.fragmentShader.replace('#include <color_fragment>', `#include <color_fragment>${FRAGMENT_END}`)
    }
    this.object = new Points(geometry, material)
    this.object.frustumCulled = false // its bounds change with every movement
    this.resize()
  }

  /** Points without a place are left out by `setMoods`; the graphics card needs a number for them all the same. */
  setPositions(positions: Float32Array): void {
    for (let i = 0; i < positions.length; i++)
      this.positions[i] = Number.isNaN(positions[i]!) ? 0 : positions[i]!
    this.update('position')
  }

  /** On the way from one place to another, `share` of 0 to 1. */
  setBetween(from: Float32Array, to: Float32Array, share: number): void {
    for (let i = 0; i < to.length; i++) {
      const [a, b] = [from[i]!, to[i]!]
      this.positions[i] = Number.isNaN(b) ? 0 : Number.isNaN(a) ? b : a + (b - a) * share
    }
    this.update('position')
  }

  setColours(colours: Uint8Array): void {
    this.attribute('color').array.set(colours)
    this.update('color')
  }

  /** Size and strength of each point. */
  setEmphasis(emphasis: Float32Array): void {
    this.attribute('emphasis').array.set(emphasis)
    this.update('emphasis')
  }

  /** Pictures in place of discs; `one` is the size of a picture in `sheet`. */
  setPictures(
    sheet: HTMLImageElement | ImageBitmap | null,
    one: { readonly width: number; readonly height: number } | null,
  ): void {
    this.uniforms.sheet.value.dispose()
    if (!sheet || !one) this.uniforms.tiles.value.set(0, 0)
    else {
      const texture = new Texture(sheet)
      texture.flipY = false
      texture.generateMipmaps = false
      texture.magFilter = NearestFilter
      texture.minFilter = LinearFilter
      texture.needsUpdate = true
      this.uniforms.sheet.value = texture
      this.uniforms.tiles.value.set(one.width / sheet.width, one.height / sheet.height)
      // In the middle of the square with a frame around it.
      const longest = Math.max(one.width, one.height)
      const [x, y] = [(0.42 * one.width) / longest, (0.42 * one.height) / longest]
      this.uniforms.fit.value.set(0.5 - x, 0.5 - y, 0.5 + x, 0.5 + y)
    }
    this.resize()
  }

  /** Points grow a little when they are looked at from near. */
  setZoom(zoom: number): void {
    this.zoom = zoom
    this.resize()
  }

  /** Pixels across that a plain point has. */
  get size(): number {
    return this.object.material.size
  }

  dispose(): void {
    this.uniforms.sheet.value.dispose()
  }

  private resize(): void {
    const isPictured = this.uniforms.tiles.value.x > 0
    const base = isPictured ? pictureSizeOf(this.count) : sizeOf(this.count)
    this.object.material.size = Math.max(
      base * Math.min(1, this.zoom),
      Math.min(isPictured ? LARGEST.picture : LARGEST.disc, base * Math.max(1, this.zoom) ** 0.45),
      1.5,
    )
  }

  private attribute(name: string): BufferAttribute {
    return this.object.geometry.getAttribute(name) as BufferAttribute
  }

  private update(name: string): void {
    this.attribute(name).needsUpdate = true
  }
}
