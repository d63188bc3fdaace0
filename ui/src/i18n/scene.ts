/** Words about scenes, in both languages. */

import { words } from './words'

export const s = words({
  noWebgl: 'This browser cannot draw in three dimensions.',
  noWebglWhy: 'WebGL 2 is switched off or missing. Switch on hardware acceleration, or open the page in another browser.',
  sceneKeys: 'Arrow keys turn, Shift and arrow keys move, + and − zoom, 0 shows everything.',
  flatKeys: 'Arrow keys move, + and − zoom, 0 shows everything.',
}, {
  noWebgl: '此浏览器无法绘制三维画面。',
  noWebglWhy: 'WebGL 2 未启用或不可用。请打开硬件加速，或换一个浏览器。',
  sceneKeys: '方向键旋转，Shift 加方向键平移，+ 和 − 缩放，0 显示全部。',
  flatKeys: '方向键平移，+ 和 − 缩放，0 显示全部。',
})
