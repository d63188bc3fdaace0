/** Plays sounds, one at a time on the whole page; how loud and how fast is remembered. */

import { readonly, ref, watch } from 'vue'
import { fetchFile } from '@/base/api/client'
import { isBoolean, remembered } from '@/base/storage'
import { playable } from './waveform'

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1
export const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 4] as const
const isSpeed = (value: unknown): value is number => SPEEDS.some((speed) => speed === value)

export const volume = remembered('mi-volume', 0.8, isShare)
export const isMuted = remembered('mi-muted', false, isBoolean)
export const speed = remembered('mi-speed', 1, isSpeed)
export const isLooping = remembered('mi-loop', false, isBoolean)

const url = ref<string | null>(null)
const isPlaying = ref(false)
const seconds = ref(0)
const isBroken = ref(false)

export const player = {
  /** The sound that is loaded. */
  url: readonly(url),
  isPlaying: readonly(isPlaying),
  /** Where it stands. */
  seconds: readonly(seconds),
  /** Whether the browser cannot play it. */
  isBroken: readonly(isBroken),
}

let element: HTMLAudioElement | null = null
let converted: string | null = null
let frame = 0

function follow(): void {
  seconds.value = element?.currentTime ?? 0
  if (isPlaying.value) frame = requestAnimationFrame(follow)
}

function made(): HTMLAudioElement {
  if (element) return element
  const audio = new Audio()
  element = audio
  audio.addEventListener('play', () => {
    isPlaying.value = true
    cancelAnimationFrame(frame)
    follow()
  })
  for (const event of ['pause', 'ended'] as const) {
    audio.addEventListener(event, () => {
      isPlaying.value = false
      follow()
    })
  }
  audio.addEventListener('seeked', follow)
  audio.addEventListener('error', () => void convert())
  watch(
    [volume, isMuted, speed, isLooping],
    () => {
      audio.volume = volume.value
      audio.muted = isMuted.value
      audio.playbackRate = speed.value
      audio.defaultPlaybackRate = speed.value
      audio.loop = isLooping.value
    },
    { immediate: true },
  )
  return audio
}

/** Some samples are laid out in a way that the browser does not play; they are given to it once more in the plainest way. */
async function convert(): Promise<void> {
  const address = url.value
  if (address === null || converted !== null) {
    isPlaying.value = false
    isBroken.value = address !== null
    return
  }
  const blob = await fetchFile(address).then(
    async (file) => playable(await file.arrayBuffer()),
    () => null,
  )
  if (url.value !== address) return
  if (!blob) {
    isPlaying.value = false
    isBroken.value = true
    return
  }
  const at = seconds.value
  converted = URL.createObjectURL(blob)
  await start(converted, at)
}

async function start(source: string, at: number): Promise<void> {
  const audio = made()
  audio.src = source
  audio.currentTime = at
  try {
    await audio.play()
  } catch {
    // Another sound came in between, or the browser cannot play this one and has said so by its event.
  }
}

/** Play `sound` from where it stands, or from `at`. */
export function play(sound: string, at?: number): void {
  if (sound !== url.value) {
    stop()
    url.value = sound
    void start(sound, at ?? 0)
    return
  }
  if (at !== undefined) seek(at)
  made()
    .play()
    .catch(() => undefined)
}

export function pause(): void {
  element?.pause()
}

/** Go to a place in the loaded sound. */
export function seek(at: number): void {
  if (!element) return
  element.currentTime = at
  seconds.value = at
}

/** Leave the loaded sound. */
export function stop(): void {
  element?.pause()
  if (converted !== null) URL.revokeObjectURL(converted)
  converted = null
  url.value = null
  isPlaying.value = false
  isBroken.value = false
  seconds.value = 0
}
