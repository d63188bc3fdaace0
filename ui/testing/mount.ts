/** Components as the page has them: with a router, in a document, removed after each test. */

import { enableAutoUnmount, flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { afterEach, vi } from 'vitest'
import type { Component } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

enableAutoUnmount(afterEach)

const router = () =>
  createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:all(.*)*', component: { template: '<div />' } }],
  })

export interface MountOptions {
  readonly props?: Readonly<Record<string, unknown>>
  readonly slots?: Readonly<Record<string, string | (() => unknown)>>
}

export function mountInPage(component: Component, { props = {}, slots = {} }: MountOptions = {}): VueWrapper {
  return mount(component, { props, slots, attachTo: document.body, global: { plugins: [router()] } })
}

/** Until responses have arrived and are shown. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await flushPromises()
}

/** The element with a test id. */
export const byTestId = (wrapper: VueWrapper, id: string) => wrapper.find(`[data-testid="${id}"]`)

/** A pen that draws nowhere; every letter is 6 pixels wide. */
function blankPen(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const own: Record<string | symbol, unknown> = {
    canvas,
    measureText: (text: string) => ({ width: 6 * text.length }),
    getImageData: (_x: number, _y: number, width: number, height: number) => ({
      data: new Uint8ClampedArray(4 * width * height),
      width,
      height,
    }),
    createLinearGradient: () => ({ addColorStop: () => undefined }),
  }
  const pen = new Proxy(own, { get: (target, name) => (name in target ? target[name] : () => undefined) })
  return pen as unknown as CanvasRenderingContext2D
}

// Not only while a test runs: a frame may be painted just after it. There is no WebGL.
HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
  return kind === '2d' ? blankPen(this) : null
} as typeof HTMLCanvasElement.prototype.getContext

/** happy-dom lays nothing out: elements get this size, and all of them are in view. */
export function layOut(width = 640, height = 360): void {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(height)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly report: (entries: unknown[]) => void) {}
      observe(target: Element): void {
        this.report([{ target, contentRect: { width, height } }])
      }
      unobserve(): void {}
      disconnect(): void {}
    },
  )
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(private readonly report: (entries: unknown[]) => void) {}
      observe(target: Element): void {
        this.report([{ target, isIntersecting: true }])
      }
      unobserve(): void {}
      disconnect(): void {}
    },
  )
}

afterEach(() => vi.restoreAllMocks())
