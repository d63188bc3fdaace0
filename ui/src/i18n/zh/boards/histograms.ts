import type { histograms as English } from '../../en/boards/histograms'

export const histograms: typeof English = {
  look: '视角',
  lookOffset: '俯视',
  lookOffsetHint: '以 45 度角俯视，各步骤前后错开',
  lookOverlay: '正视',
  lookOverlayHint: '从正面看，各步骤重叠，越新颜色越深',
  lookBands: '分布',
  lookBandsHint: '随训练变化的百分位区间：全部、7–93 %、16–84 %、31–69 % 以及中位数',
  countPerPart: '每格数量',
  logCount: '数量取对数',
  logCountHint: '数值很少的格也能看清',
  noHistograms: '还没有直方图',
  noHistogramsWhy: '一旦写入，直方图会自动出现在这里。记录方法：',
  noHistogramSteps: '所选运行中没有直方图。',
  noFiniteValues: '这些步骤中没有有限数值。',
  notFiniteHint: '所绘步骤中非有限数值的总数。相应步骤以三角形标出，指向它可看其自身的数量。',
  stepsDrawn: (visible, total) => `均匀采样，绘制了 ${total} 个步骤中的 ${visible} 个`,
  downloadBuckets: 'CSV（所有步骤的全部区间）',
  histogramLabel: (tag, count) =>
    `${tag} 的直方图，共 ${count} 个步骤。上下方向键选择步骤，左右方向键选择区间，+ 放大，− 撤销缩放，0 重置缩放。`,
}
