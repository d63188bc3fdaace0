import { expect, test } from 'vitest'
import { between, fitted, opening, pulled, shown, toScene, toScreen, visible, zoomed } from './camera'

const STAGE = { width: 800, height: 600 }
const box = (x: number, y: number, width: number, height: number) => ({ x, y, width, height })

test('all of it fits, and small graphs are not blown up', () => {
  expect(fitted(box(0, 0, 100, 50), STAGE)).toEqual({ x: 50, y: 25, scale: 1 })
  const view = visible(fitted(box(0, 0, 4000, 100), STAGE), STAGE)
  expect(view.x).toBeLessThan(0)
  expect(view.x + view.width).toBeGreaterThan(4000)
})

test('a tall graph begins readable at its top', () => {
  const camera = opening(box(0, 0, 300, 20_000), STAGE)

  expect(camera.scale).toBeGreaterThan(0.7)
  expect(visible(camera, STAGE).y).toBeLessThanOrEqual(0)
})

test('zooming keeps what is under the pointer there', () => {
  const before = { x: 10, y: 20, scale: 1 }
  const at = toScene(before, STAGE, 700, 100)

  const [x, y] = toScreen(zoomed(before, STAGE, 2.5, 700, 100), STAGE, ...at)

  expect(x).toBeCloseTo(700)
  expect(y).toBeCloseTo(100)
})

test('pulling moves by pixels of the screen', () => {
  const [x, y] = toScreen(pulled({ x: 0, y: 0, scale: 2 }, 30, -8), STAGE, 0, 0)

  expect([x, y]).toEqual([430, 292])
})

test('what is in sight does not move, what is not comes into sight', () => {
  const camera = { x: 0, y: 0, scale: 1 }

  expect(shown(camera, STAGE, box(-50, -50, 100, 100))).toEqual(camera)
  const view = visible(shown(camera, STAGE, box(900, 0, 100, 40)), STAGE)
  expect(view.x + view.width).toBeGreaterThanOrEqual(1000)
})

test('a way from one view to another begins and ends there', () => {
  const [a, b] = [
    { x: 0, y: 0, scale: 1 },
    { x: 100, y: 50, scale: 0.25 },
  ]

  expect(between(a, b, 0)).toEqual(a)
  const end = between(a, b, 1)
  expect(end.x).toBeCloseTo(100)
  expect(end.scale).toBeCloseTo(0.25)
})
