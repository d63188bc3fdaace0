/** A scene with its camera, its light and the canvas it is shown on. Draws only when something has changed. */

import {
  AmbientLight,
  DirectionalLight,
  Group,
  Matrix4,
  MOUSE,
  OrthographicCamera,
  PerspectiveCamera,
  Points,
  Scene,
  TOUCH,
  Vector3,
  type Light,
  type Object3D,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { showShare } from './cloud'
import { disposeTree } from './disposing'
import { Effort } from './frameBudget'
import { project, type Place, type Projecting } from './projecting'
import { RenderingShare } from './renderer'
import {
  anglesOf,
  isSameView,
  picturePlane,
  zoomed,
  type Projection,
  type SceneView,
  type Up,
  type Vector,
} from './sceneView'

/** Something around the scene that depends on the view, as axes do. */
export interface Decoration {
  /** Before the scene is rendered. */
  prepare?(view: SceneView): void
  /** Flat drawing over the rendered scene, in pixels of the page. */
  draw?(pen: CanvasRenderingContext2D, projecting: Projecting): void
}

export interface StageOptions {
  readonly projection: Projection
  readonly up: Up
  /** Degrees from the bottom to the top of a perspective picture. */
  readonly fieldOfView: number
}

const AIR = 1.08 // around the unit sphere
const MOST_RATIO = 2
const REST_MS = 200 // after a movement, everything is drawn again

const screenRatio = (): number => Math.min(MOST_RATIO, window.devicePixelRatio || 1)

export class Stage {
  /** What is shown; to be kept inside the unit sphere. After changing it, call `invalidate`. */
  readonly content = new Group()
  readonly decorations = new Set<Decoration>()
  /** The user has moved the camera; `isSettled` when a movement ends. */
  onView: (view: SceneView, isSettled: boolean) => void = () => undefined

  private readonly scene = new Scene()
  private readonly lights = new Group()
  private readonly pen: CanvasRenderingContext2D
  private camera!: PerspectiveCamera | OrthographicCamera
  private controls!: OrbitControls
  private size = { width: 0, height: 0 }
  private frame = 0
  private isApplying = false
  private isHeld = false // somebody has the camera in hand
  private readonly effort = new Effort()
  private resting: ReturnType<typeof setTimeout> | undefined
  private canMoveNow = true

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly share: RenderingShare,
    private current: SceneView,
    private options: StageOptions,
  ) {
    this.pen = canvas.getContext('2d')!
    this.scene.add(this.content)
    this.equip()
    this.light([new AmbientLight(0xffffff, 1.1), headlight()])
  }

  /** A stage on `canvas`; null where the browser has no WebGL. */
  static on(canvas: HTMLCanvasElement, view: SceneView, options: StageOptions): Stage | null {
    const share = RenderingShare.take(() => stage?.invalidate())
    const stage = share && new Stage(canvas, share, view, options)
    return stage
  }

  get view(): SceneView {
    return this.current
  }

  /** Look from `view`, without telling `onView`. */
  look(view: SceneView): void {
    if (isSameView(view, this.current)) return
    this.current = view
    this.placeCamera()
    this.keepMoving()
  }

  /** As `look`, as if the user had moved there. */
  moveTo(view: SceneView): void {
    this.look(view)
    this.onView(view, true)
  }

  configure(options: StageOptions): void {
    if (JSON.stringify(options) === JSON.stringify(this.options)) return
    this.options = options
    this.controls.dispose()
    this.camera.remove(this.lights)
    this.scene.remove(this.camera)
    this.equip()
    this.invalidate()
  }

  /** Replace the lights. They move with the camera, so that nobody looks at a dark side. */
  light(lights: readonly Light[]): void {
    this.lights.clear()
    for (const light of lights) {
      this.lights.add(light)
      if (light instanceof DirectionalLight) this.lights.add(light.target)
    }
    this.invalidate()
  }

  /** Whether pointers move the camera; a board may want them for something else. */
  set canMove(can: boolean) {
    this.canMoveNow = can
    this.controls.enabled = can
  }

  /** Whether the wheel and two fingers zoom; else they are left to the page, which scrolls. */
  set canZoom(can: boolean) {
    this.controls.enableZoom = can
  }

  resize(width: number, height: number): void {
    this.size = { width, height }
    this.placeCamera()
    // At once: a canvas of another size is empty until it is drawn.
    this.draw()
  }

  /** Draw in the next frame. */
  invalidate(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw())
  }

  /** Show `object`; `remove` gives back its memory. */
  add(object: Object3D): void {
    this.content.add(object)
    this.invalidate()
  }

  remove(object: Object3D): void {
    this.content.remove(object)
    disposeTree(object)
    this.invalidate()
  }

  /** What `project` and `nearestPoint` need for places in the scene, or for those in the coordinates of an object. */
  projecting(object?: Object3D): Projecting {
    this.camera.updateMatrixWorld()
    const matrix = new Matrix4().multiplyMatrices(
      this.camera.projectionMatrix,
      this.camera.matrixWorldInverse,
    )
    if (object) matrix.multiply(object.matrixWorld)
    return { matrix: matrix.elements, ...this.size }
  }

  /** Where a place in the scene lies in the picture, in pixels of the canvas. */
  project([x, y, z]: Vector): Place | null {
    return project(this.projecting(), x, y, z)
  }

  /** The scene as a picture over `background`. */
  async png(background: string): Promise<Blob | null> {
    const picture = document.createElement('canvas')
    const ratio = Math.max(2, screenRatio())
    picture.width = Math.round(this.size.width * ratio)
    picture.height = Math.round(this.size.height * ratio)
    const pen = picture.getContext('2d')!
    pen.scale(ratio, ratio)
    pen.fillStyle = background
    pen.fillRect(0, 0, this.size.width, this.size.height)
    this.thin(1)
    this.drawOn(pen, ratio)
    return new Promise((resolve) => picture.toBlob(resolve, 'image/png'))
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    clearTimeout(this.resting)
    this.frame = -1 // nothing is drawn any more
    this.controls.dispose()
    disposeTree(this.scene)
    this.share.release()
  }

  private keepMoving(): void {
    clearTimeout(this.resting)
    this.resting = setTimeout(() => this.rest(), REST_MS)
    this.invalidate()
  }

  private rest(): void {
    this.resting = this.isHeld && this.effort.isHeavy ? setTimeout(() => this.rest(), REST_MS) : undefined
    if (this.resting !== undefined) return
    if (this.effort.share < 1) this.invalidate()
  }

  private draw(): void {
    if (this.frame < 0) return
    this.frame = 0
    const { width, height } = this.size
    if (width < 1 || height < 1) return
    const ratio = screenRatio()
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (this.canvas.width !== across || this.canvas.height !== down) {
      this.canvas.width = across
      this.canvas.height = down
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.pen.clearRect(0, 0, width, height)
    const share = this.resting === undefined ? 1 : this.effort.share
    this.thin(share)
    const began = performance.now()
    this.drawOn(this.pen, ratio)
    // The next frame comes when the graphics card is done with this one.
    requestAnimationFrame(() => this.effort.note(share, performance.now() - began))
  }

  private thin(share: number): void {
    this.content.traverse((object) => object instanceof Points && showShare(object, share))
  }

  private drawOn(pen: CanvasRenderingContext2D, ratio: number): void {
    for (const decoration of this.decorations) decoration.prepare?.(this.current)
    this.share.render(this.scene, this.camera, pen, { ...this.size, ratio })
    const projecting = this.projecting()
    for (const decoration of this.decorations) {
      pen.save()
      decoration.draw?.(pen, projecting)
      pen.restore()
    }
  }

  /** Camera and controls as the options want them. */
  private equip(): void {
    const { projection, up, fieldOfView } = this.options
    const camera =
      projection === 'perspective' ? new PerspectiveCamera(fieldOfView) : new OrthographicCamera()
    const isFlat = projection === 'flat'
    if (up === 'z' && !isFlat) camera.up.set(0, 0, 1)
    camera.add(this.lights)
    this.scene.add(camera)
    const controls = new OrbitControls(camera, this.canvas)
    controls.enableRotate = !isFlat
    controls.enabled = this.canMoveNow
    controls.enableZoom = false
    controls.zoomToCursor = isFlat
    controls.screenSpacePanning = true
    if (isFlat) {
      controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN }
      controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN }
    }
    this.camera = camera
    this.controls = controls
    this.placeCamera()
    const follow = (isSettled: boolean): void => {
      if (this.isApplying) return
      const view = this.seenView()
      if (isSameView(view, this.current) && !isSettled) return
      this.current = view
      this.placeCamera() // distances that are not allowed are put right
      this.keepMoving()
      this.onView(view, isSettled)
    }
    controls.addEventListener('start', () => (this.isHeld = true))
    controls.addEventListener('change', () => follow(false))
    controls.addEventListener('end', () => {
      this.isHeld = false
      follow(true)
    })
  }

  /** From the middle of the scene to the eye of a view with zoom 1. */
  private get homeDistance(): number {
    const { projection, fieldOfView } = this.options
    if (projection !== 'perspective') return 10
    const half = (fieldOfView * Math.PI) / 360
    const aspect = this.aspect
    // The narrower side has to hold the sphere.
    const narrow = aspect < 1 ? Math.atan(Math.tan(half) * aspect) : half
    return AIR / Math.sin(narrow)
  }

  private get aspect(): number {
    return this.size.height > 0 ? this.size.width / this.size.height : 1
  }

  private placeCamera(): void {
    const { projection, up } = this.options
    const { target, zoom } = this.current
    const { eye } = projection === 'flat' ? { eye: [0, 0, 1] as Vector } : picturePlane(this.current, up)
    const camera = this.camera
    const distance = camera instanceof PerspectiveCamera ? this.homeDistance / zoom : this.homeDistance
    camera.position.set(
      target[0] + eye[0] * distance,
      target[1] + eye[1] * distance,
      target[2] + eye[2] * distance,
    )
    const reach = Math.hypot(...target) + 2
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = this.aspect
      camera.far = distance + reach
      camera.near = Math.max(distance - reach, camera.far / 5000)
    } else {
      const half = AIR * Math.max(1, 1 / this.aspect)
      Object.assign(camera, {
        left: -half * this.aspect,
        right: half * this.aspect,
        top: half,
        bottom: -half,
        zoom,
        near: Math.min(-reach, distance - reach),
        far: distance + reach,
      })
    }
    camera.lookAt(...target)
    camera.updateProjectionMatrix()
    camera.updateMatrixWorld()
    this.isApplying = true
    this.controls.target.set(...target)
    this.controls.update()
    this.isApplying = false
  }

  private seenView(): SceneView {
    const { camera, controls, options } = this
    const { x, y, z } = controls.target
    const eye = new Vector3().subVectors(camera.position, controls.target)
    const angles =
      options.projection === 'flat'
        ? { azimuth: 0, elevation: 0 }
        : anglesOf([eye.x, eye.y, eye.z], options.up)
    const zoom = camera instanceof PerspectiveCamera ? this.homeDistance / eye.length() : camera.zoom
    return zoomed({ ...angles, zoom, target: [x, y, z] }, 1)
  }
}

function headlight(): DirectionalLight {
  const light = new DirectionalLight(0xffffff, 2)
  light.position.set(-0.4, 0.6, 1)
  light.target.position.set(0, 0, -1)
  return light
}
