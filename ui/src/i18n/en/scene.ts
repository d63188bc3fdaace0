/** Words about three-dimensional scenes. */

export const scene = {
  noWebgl: 'This browser cannot render 3D graphics.',
  noWebglWhy: 'WebGL 2 is disabled or not available. Enable hardware acceleration, or use another browser.',
  sceneKeys: 'Arrow keys rotate, Shift+arrow keys pan, + and − zoom, 0 resets the view.',
  flatKeys: 'Arrow keys pan, + and − zoom, 0 resets the view.',
}
