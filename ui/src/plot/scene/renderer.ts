/**
 * The one WebGL context of the page. Browsers allow about sixteen and take away the oldest; a board may show more scenes.
 * So every scene is rendered here and copied to a canvas of its own, which also makes saving a picture plain.
 */

import { ColorManagement, LinearSRGBColorSpace, WebGLRenderer, type Camera, type Scene } from 'three'

// Colours stand on the screen as the page and the logs give them.
ColorManagement.enabled = false

/** A scene may be left and another board opened at once; later the memory is given back. */
const KEEP_MS = 10_000

let renderer: WebGLRenderer | null = null
let users = 0
let leaving: ReturnType<typeof setTimeout> | undefined
const redraws = new Set<() => void>()

function make(): WebGLRenderer | null {
  // Asked for apart: three.js would write an error to the console.
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('webgl2', {
    alpha: true,
    antialias: true,
    premultipliedAlpha: true,
    powerPreference: 'high-performance',
  })
  if (!context) return null
  const renderer = new WebGLRenderer({ canvas, context, alpha: true, antialias: true })
  renderer.outputColorSpace = LinearSRGBColorSpace
  renderer.setClearColor(0, 0)
  renderer.setScissorTest(true)
  canvas.addEventListener('webglcontextrestored', () => {
    for (const redraw of redraws) redraw()
  })
  return renderer
}

/** The size of a picture on the page, and how many pixels of the device make one of the page. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly ratio: number
}

/** A share in the context; null where the browser has no WebGL. `redraw` is called when the picture is lost. */
export class RenderingShare {
  private constructor(private readonly redraw: () => void) {}

  static take(redraw: () => void): RenderingShare | null {
    clearTimeout(leaving)
    renderer ??= make()
    if (!renderer) return null
    users++
    redraws.add(redraw)
    return new RenderingShare(redraw)
  }

  /** Render and copy to `pen`'s canvas, in the transform that it has: `width` by `height` pixels of the page. */
  render(
    scene: Scene,
    camera: Camera,
    pen: CanvasRenderingContext2D,
    { width, height, ratio }: Picture,
  ): void {
    if (!renderer) return
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio)
    const canvas = renderer.domElement
    // Grown, never shrunk: scenes of different sizes in turn would make new buffers each time.
    if (canvas.width < width * ratio || canvas.height < height * ratio) {
      renderer.setSize(
        Math.ceil(Math.max(canvas.width / ratio, width)),
        Math.ceil(Math.max(canvas.height / ratio, height)),
        false,
      )
    }
    renderer.setViewport(0, 0, width, height)
    renderer.setScissor(0, 0, width, height)
    renderer.render(scene, camera)
    const [across, down] = [Math.floor(width * ratio), Math.floor(height * ratio)]
    pen.drawImage(canvas, 0, canvas.height - down, across, down, 0, 0, width, height)
  }

  release(): void {
    redraws.delete(this.redraw)
    if (--users > 0) return
    leaving = setTimeout(() => {
      renderer?.dispose()
      renderer?.forceContextLoss()
      renderer = null
    }, KEEP_MS)
  }
}
