import { describe, expect, it } from 'vitest'
import { EMPTY_MESH_VIEW, readMeshView, writeMeshView, type MeshView } from './meshView'

describe('the view of a board of meshes', () => {
  it('comes back from its address', () => {
    const view: MeshView = {
      ...EMPTY_MESH_VIEW, tags: ['a'], display: 'points', colouring: 'height', isLit: false, pointSize: 6, hasAxes: true, up: 'z', index: 2, step: 7,
      cameras: new Map([['eval/a@b', { azimuth: 1.5, elevation: -0.25, zoom: 2, target: [0.1, 0, 0] }]]),
    }
    const { query, hash } = writeMeshView(view)
    expect(readMeshView(query, hash)).toEqual(view)
    expect(writeMeshView(EMPTY_MESH_VIEW).query).toBe('')
  })

  it('stays as it is where the address makes no sense', () => {
    expect(readMeshView('show=x&colour=y&points=99&up=q&mesh=-3&cam=1,2@a')).toEqual(EMPTY_MESH_VIEW)
  })
})
