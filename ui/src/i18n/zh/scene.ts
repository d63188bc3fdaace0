import type { scene as English } from '../en/scene'

export const scene: typeof English = {
  noWebgl: '此浏览器无法绘制三维画面。',
  noWebglWhy: 'WebGL 2 未启用或不可用。请打开硬件加速，或换一个浏览器。',
  sceneKeys: '方向键旋转，Shift 加方向键平移，+ 和 − 缩放，0 重置视图。',
  flatKeys: '方向键平移，+ 和 − 缩放，0 重置视图。',
}
