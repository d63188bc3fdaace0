import { describe, expect, it } from 'vitest'
import { meshView, type MeshView } from './meshView'

describe('the view of a board of meshes', () => {
  it('comes back from its address', () => {
    const view: MeshView = {
      ...meshView.defaults,
      tags: ['a'],
      display: 'points',
      colouring: 'height',
      isLit: false,
      pointSize: 6,
      hasAxes: true,
      up: 'z',
      index: 2,
      step: 7,
      cameras: new Map([['eval/a@b', { azimuth: 1.5, elevation: -0.25, zoom: 2, target: [0.1, 0, 0] }]]),
    }
    const { query, hash } = meshView.write(view)
    expect(meshView.read(query, hash)).toEqual(view)
    expect(meshView.write(meshView.defaults).query).toBe('')
  })

  it('stays as it is where the address makes no sense', () => {
    expect(meshView.read('show=x&colour=y&points=99&up=q&mesh=-3&cam=1,2@a')).toEqual(meshView.defaults)
  })
})
