import { InstancedMesh, Line, Mesh, Points, Sprite, Texture, type Material, type Object3D } from 'three'

/** Give back what `root` and everything in it hold on the graphics card; JavaScript's own collector does not see that. */
export function disposeTree(root: Object3D): void {
  root.traverse((object) => {
    if (!(
      object instanceof Mesh ||
      object instanceof Points ||
      object instanceof Line ||
      object instanceof Sprite
    ))
      return
    object.geometry.dispose()
    if (object instanceof InstancedMesh) object.dispose()
    const materials: Material | Material[] = object.material
    for (const material of Array.isArray(materials) ? materials : [materials]) {
      for (const part of Object.values(material)) if (part instanceof Texture) part.dispose()
      material.dispose()
    }
  })
}
