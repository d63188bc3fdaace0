/** Pixels of the screen to one of the page; finer ones than these nobody sees. */
export const screenRatio = (): number => Math.min(globalThis.devicePixelRatio || 1, 3)

/** An empty canvas of `width` by `height` pixels, sharp on every screen, and the pen for it. */
export function prepareCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio = screenRatio(),
): CanvasRenderingContext2D {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w
    canvas.height = h
  }
  const pen = canvas.getContext('2d')!
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  return pen
}
