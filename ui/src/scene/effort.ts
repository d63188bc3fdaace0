/** How much of a scene can be drawn while it moves: less where a frame takes long, all of it where it does not. */

const LONG_MS = 45
const SHORT_MS = 22
const LEAST = 1 / 64

export class Effort {
  /** The share of points that is drawn in movement. */
  share = 1

  /** A frame of a movement took so long. */
  note(milliseconds: number): void {
    if (milliseconds > LONG_MS) this.share = Math.max(LEAST, this.share / 2)
    else if (milliseconds < SHORT_MS) this.share = Math.min(1, this.share * 1.2)
  }
}
