/** A mesh as a PLY file, which every program for meshes and point clouds reads. */

import type { MeshModel } from './meshModel'

export function plyFile({ points, colours, faces }: Pick<MeshModel, 'points' | 'colours' | 'faces'>): Blob {
  const count = points.length / 3
  const faceCount = faces ? faces.length / 3 : 0
  const header = [
    'ply',
    'format binary_little_endian 1.0',
    `element vertex ${count}`,
    'property float x',
    'property float y',
    'property float z',
    ...(colours ? ['property uchar red', 'property uchar green', 'property uchar blue'] : []),
    ...(faces ? [`element face ${faceCount}`, 'property list uchar int vertex_indices'] : []),
    'end_header',
    '',
  ].join('\n')
  return new Blob([header, vertexRows(points, colours), ...(faces ? [faceRows(faces)] : [])], {
    type: 'application/octet-stream',
  })
}

function vertexRows(points: Float32Array, colours: Uint8Array | null): ArrayBuffer {
  const width = colours ? 15 : 12
  const rows = new ArrayBuffer((points.length / 3) * width)
  const view = new DataView(rows)
  for (let i = 0, at = 0; i < points.length; i += 3, at += width) {
    for (let axis = 0; axis < 3; axis++) {
      view.setFloat32(at + 4 * axis, points[i + axis]!, true)
      if (colours) view.setUint8(at + 12 + axis, colours[i + axis]!)
    }
  }
  return rows
}

function faceRows(faces: Uint32Array): ArrayBuffer {
  const rows = new ArrayBuffer((faces.length / 3) * 13)
  const view = new DataView(rows)
  for (let i = 0, at = 0; i < faces.length; i += 3, at += 13) {
    view.setUint8(at, 3)
    for (let corner = 0; corner < 3; corner++) view.setInt32(at + 1 + 4 * corner, faces[i + corner]!, true)
  }
  return rows
}
