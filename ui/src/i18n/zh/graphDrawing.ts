import type { graphDrawing as English } from '../en/graphDrawing'

export const graphDrawing: typeof English = {
  fit: '显示全图',
  panel: '显示或隐藏侧栏',
  miniMap: '缩略图，拖动可平移',
}
