import { describe, expect, it } from 'vitest'
import { nearestPoint, project } from './projecting'

// Looks down the z axis without perspective: x and y from -1 to 1 fill the picture, and a larger z is nearer.
const flat = { matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1], width: 200, height: 100 }

describe('projecting', () => {
  it('puts the middle of the scene into the middle of the picture and y upwards', () => {
    expect(project(flat, 0, 0, 0)).toMatchObject({ x: 100, y: 50 })
    expect(project(flat, 0.5, 0.5, 0)).toMatchObject({ x: 150, y: 25 })
  })

  it('does not show what lies behind the eye', () => {
    const behind = { ...flat, matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0] }
    expect(project(behind, 0, 0, 1)).toBeNull()
    expect(project(behind, 0, 0, -1)).not.toBeNull()
  })
})

describe('the nearest point', () => {
  const points = [0, 0, 0, 0.5, 0.5, 0, 0.5, 0.5, 0.9, -1, -1, 0]

  it('is the one in front of those in the same place', () => {
    expect(nearestPoint(flat, points, { x: 151, y: 25, reach: 5 })).toBe(2)
  })

  it('is none beyond the reach, and never one that is not shown', () => {
    expect(nearestPoint(flat, points, { x: 130, y: 50, reach: 5 })).toBe(-1)
    expect(nearestPoint(flat, points, { x: 150, y: 25, reach: 5, isShown: (i) => i !== 2 })).toBe(1)
  })

  it('is not a point that is no number', () => {
    expect(nearestPoint(flat, [NaN, 0, 0, 0, 0, 0], { x: 100, y: 50, reach: 5 })).toBe(1)
  })
})
