/** How much of a scene can be drawn while it moves: less where a frame takes long, all of it where it does not. */

const AIM_MS = 35
const LONG_MS = 45
const SHORT_MS = 22
const LEAST = 1 / 256
/** What takes longer is not drawn in full between two movements of the same hand. */
const HEAVY_MS = 300

export class Effort {
  /** The share of points that is drawn in movement. */
  share = 1
  private wholeMs = 0

  get isHeavy(): boolean {
    return this.wholeMs > HEAVY_MS
  }

  /** A frame with so many of the points took so long. */
  note(share: number, milliseconds: number): void {
    if (share === 1) this.wholeMs = milliseconds
    if (milliseconds > LONG_MS)
      this.share = Math.max(LEAST, Math.min(this.share, (share * AIM_MS) / milliseconds))
    // Not at once: what a frame costs besides its points would be taken for points.
    else if (milliseconds < SHORT_MS) this.share = Math.min(1, this.share * 1.3)
  }
}
