/** Fetch the tiles of a recording that the view needs, and give up those that it needs no longer. */

import { fetchFile, isAbort } from '@/base/api/client'
import { LatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import { profileUrl } from '@/boards/profiler/shared/api'
import { decode, type Lane } from './decode'
import { spanOf, TILE, type Place, type Tiles } from './tiles'

export interface Need {
  readonly place: Place
  readonly tracks: readonly number[]
}

const SETTLE_MS = 30
const AT_ONCE = 3
const AGAIN_MS = 500
const NOTHING: ReadonlyMap<number, Lane> = new Map()

interface Request {
  readonly place: Place
  readonly tracks: ReadonlySet<number>
  readonly latest: LatestRequest
}

const keyOf = ({ level, index }: Place): string => `${level} ${index}`

export class Fetching {
  private needs: readonly Need[] = []
  private readonly requests = new Set<Request>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private isOver = false
  /** Of the last answers, for whoever measures. */
  readonly times: number[] = []

  constructor(
    private readonly profile: string,
    private readonly tiles: Tiles,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** What is to be there, the most urgent first. */
  want(needs: readonly Need[]): void {
    this.needs = needs
    // A timer that runs is left alone: a view that never rests is served, too.
    if (needs.length > 0) this.timer ??= setTimeout(() => this.pump(), SETTLE_MS)
  }

  close(): void {
    this.isOver = true
    clearTimeout(this.timer)
    for (const { latest } of this.requests) latest.cancel()
  }

  private pump(): void {
    this.timer = undefined
    const needed = new Set(this.needs.map(({ place }) => keyOf(place)))
    for (const request of this.requests) {
      if (needed.has(keyOf(request.place))) continue
      request.latest.cancel()
      this.requests.delete(request)
    }
    for (const { place, tracks } of this.needs) {
      if (this.requests.size >= AT_ONCE) break
      const pending = [...this.requests].filter((request) => keyOf(request.place) === keyOf(place))
      const missing = tracks.filter(
        (track) => !this.tiles.has(place, track) && !pending.some((request) => request.tracks.has(track)),
      )
      if (missing.length > 0)
        void this.fetch({ place, tracks: new Set(missing), latest: new LatestRequest() })
    }
  }

  private async fetch(request: Request): Promise<void> {
    const { place, tracks, latest } = request
    this.requests.add(request)
    const { from, to } = spanOf(place)
    const url = profileUrl(this.profile, 'timeline', {
      from_ns: from,
      to_ns: to,
      width: TILE,
      tracks: [...tracks].join(','),
    })
    const began = performance.now()
    try {
      const answer = await fetchFile(url, latest.start())
      // The analysis made room for others and is being made anew.
      if (answer.type.includes('json')) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      else {
        const drawing = decode(await answer.arrayBuffer())
        this.times.push(performance.now() - began)
        for (const track of tracks) this.tiles.put(place, track, drawing.tracks.get(track) ?? NOTHING)
        this.arrived()
      }
    } catch (error) {
      if (!isAbort(error) && !this.isOver) {
        noteRefusal(error)
        this.failed(error)
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * 4))
      }
    }
    this.requests.delete(request)
    if (!this.isOver) this.pump()
  }
}
