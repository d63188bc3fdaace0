/** Axes of a scene: the walls of a box behind the content with grid lines, and labels in front of it. */

import { BufferGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments } from 'three'
import type { ChartColours } from '@/base/theme'
import { project, type Place, type Projecting } from './projecting'
import { picturePlane, type SceneView, type Up, type Vector } from './sceneView'
import type { Decoration } from './stage'

/** One axis: where it begins and ends in the scene, and what stands on it. */
export interface Axis {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly ticks: readonly { readonly at: number; readonly label: string }[]
}

/** The axes x, y and z. */
export type AxesBox = readonly [Axis, Axis, Axis]

type Index = 0 | 1 | 2
const INDICES: readonly Index[] = [0, 1, 2]
const OUTSIDE = 12 // pixels from the box to a tick's label
const NAME_OUTSIDE = 34
const OVERLAP = 14 // pixels between labels that would touch

interface Wall {
  readonly axis: Index
  readonly side: 1 | -1
  readonly lines: LineSegments
}

export class BoxAxes implements Decoration {
  /** To be added to the stage. */
  readonly object = new Group()
  private readonly walls: readonly Wall[]
  private eye: Vector = [0, 0, 1]

  constructor(
    private readonly box: AxesBox,
    private readonly up: Up,
    private readonly colours: ChartColours,
  ) {
    const material = new LineBasicMaterial({ color: colours.axis, transparent: true, opacity: 0.55 })
    this.walls = INDICES.flatMap((axis) =>
      ([1, -1] as const).map((side) => ({
        axis,
        side,
        lines: new LineSegments(this.grid(axis, side), material),
      })),
    )
    for (const { lines } of this.walls) this.object.add(lines)
  }

  prepare(view: SceneView): void {
    this.eye = picturePlane(view, this.up).eye
    for (const { axis, side, lines } of this.walls) lines.visible = this.eye[axis] * side < 0
  }

  draw(pen: CanvasRenderingContext2D, projecting: Projecting): void {
    pen.font = `11px ${this.colours.font}`
    pen.fillStyle = this.colours.text
    pen.textAlign = 'center'
    pen.textBaseline = 'middle'
    const middle = this.place(projecting, this.middle)
    if (!middle) return
    for (const axis of INDICES) this.drawLabels(pen, projecting, axis, middle)
  }

  private get middle(): Vector {
    const [x, y, z] = this.box
    return [(x.from + x.to) / 2, (y.from + y.to) / 2, (z.from + z.to) / 2]
  }

  private place(projecting: Projecting, [x, y, z]: Vector): Place | null {
    return project(projecting, x, y, z)
  }

  /** The lines of a wall: its frame and a line at each tick of both its axes. */
  private grid(axis: Index, side: 1 | -1): BufferGeometry {
    const [a, b] = INDICES.filter((other) => other !== axis) as [Index, Index]
    const numbers: number[] = []
    const end = (of: Axis, high: boolean): number => (high ? of.to : of.from)
    const fixed = end(this.box[axis], side > 0)
    const line = (along: Index, across: Index, at: number): void => {
      for (const high of [false, true]) {
        const point = [0, 0, 0]
        point[axis] = fixed
        point[along] = end(this.box[along], high)
        point[across] = at
        numbers.push(...point)
      }
    }
    for (const [along, across] of [
      [a, b],
      [b, a],
    ] as const) {
      const { from, to, ticks } = this.box[across]
      for (const at of [from, to, ...ticks.map((tick) => tick.at)]) line(along, across, at)
    }
    return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(numbers, 3))
  }

  private drawLabels(
    pen: CanvasRenderingContext2D,
    projecting: Projecting,
    axis: Index,
    middle: Place,
  ): void {
    const edge = this.edge(projecting, axis)
    const { from, to, ticks, name } = this.box[axis]
    const at = (along: number): Place | null => {
      const point: [number, number, number] = [edge[0], edge[1], edge[2]]
      point[axis] = along
      return this.place(projecting, point)
    }
    const ends = [at(from), at(to)]
    if (!ends[0] || !ends[1]) return
    // Straight away from the edge, on the side where the box is not.
    const length = Math.hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y)
    if (length < 40) return // looked at along the axis
    let [nx, ny] = [-(ends[1].y - ends[0].y) / length, (ends[1].x - ends[0].x) / length]
    const half = { x: (ends[0].x + ends[1].x) / 2, y: (ends[0].y + ends[1].y) / 2 }
    if (nx * (half.x - middle.x) + ny * (half.y - middle.y) < 0) [nx, ny] = [-nx, -ny]
    let last: Place | null = null
    for (const tick of ticks) {
      const spot = at(tick.at)
      if (!spot || (last && Math.hypot(spot.x - last.x, spot.y - last.y) < OVERLAP)) continue
      const reach = OUTSIDE + (Math.abs(nx) * pen.measureText(tick.label).width) / 2
      pen.fillText(tick.label, spot.x + nx * reach, spot.y + ny * reach)
      last = spot
    }
    const reach = NAME_OUTSIDE + (Math.abs(nx) * pen.measureText(name).width) / 2
    pen.fillText(name, half.x + nx * reach, half.y + ny * reach)
  }

  /** A place on the edge of the box on which the labels of an axis stand. */
  private edge(projecting: Projecting, axis: Index): Vector {
    const upright: Index = this.up === 'z' ? 2 : 1
    const [x, y, z] = this.box
    const corner = (sides: readonly boolean[]): Vector => [
      sides[0] ? x.to : x.from,
      sides[1] ? y.to : y.from,
      sides[2] ? z.to : z.from,
    ]
    if (axis !== upright) {
      // The one at the foot of the box that is nearest to the eye.
      return corner(INDICES.map((i) => (i === upright ? this.eye[upright] < 0 : this.eye[i] > 0)))
    }
    const corners = [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ].map(([first, second]) => corner(upright === 2 ? [first!, second!, false] : [first!, false, second!]))
    return corners.reduce((best, next) =>
      (this.place(projecting, next)?.x ?? Infinity) < (this.place(projecting, best)?.x ?? Infinity)
        ? next
        : best,
    )
  }
}
