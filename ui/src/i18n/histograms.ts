/** Words of the histogram board. */

import { plural } from './plural'
import { words } from './words'

export const w = words(
  {
    look: 'View',
    lookOffset: 'Offset',
    lookOffsetHint: 'Steps behind each other, seen from above at 45 degrees',
    lookOverlay: 'Overlay',
    lookOverlayHint: 'From the front, all steps over each other; newer ones are stronger',
    lookBands: 'Distribution',
    lookBandsHint: 'Bands of percentiles over training: all values, 7–93 %, 16–84 %, 31–69 %, and the median',
    countPerPart: 'Count per bin',
    bucket: 'Bucket',
    outOfBuckets: 'none',
    noHistograms: 'No histograms logged yet',
    noHistogramsWhy: 'As soon as one is written, its chart appears here. Log one with:',
    noHistogramSteps: 'No histograms in these runs.',
    noFiniteValues: 'No finite values were logged in these steps.',
    notFiniteHint: 'Values that are not finite numbers, in all steps drawn. Their steps are marked by triangles; point at one for its own count.',
    stepsDrawn: (shown: string, total: string) => `${shown} of ${total} steps drawn, evenly chosen`,
    downloadBuckets: 'CSV, every bucket of every step',
    histogramLabel: (tag: string, count: number) => `Histograms of ${tag}, ${plural(count, 'step', 'steps')}. Up and down arrows choose the step, left and right the bucket.`,
  },
  {
    look: '视角',
    lookOffset: '俯视',
    lookOffsetHint: '以 45 度角俯视，各步骤前后错开',
    lookOverlay: '正视',
    lookOverlayHint: '从正面看，各步骤重叠，越新颜色越深',
    lookBands: '分布',
    lookBandsHint: '随训练变化的百分位区间：全部、7–93 %、16–84 %、31–69 % 以及中位数',
    countPerPart: '每格数量',
    bucket: '区间',
    outOfBuckets: '无',
    noHistograms: '还没有直方图',
    noHistogramsWhy: '一旦写入，直方图会自动出现在这里。记录方法：',
    noHistogramSteps: '所选运行中没有直方图。',
    noFiniteValues: '这些步骤中没有有限数值。',
    notFiniteHint: '所绘步骤中非有限数值的总数。相应步骤以三角形标出，指向它可看其自身的数量。',
    stepsDrawn: (shown, total) => `均匀选取，绘制了 ${total} 个步骤中的 ${shown} 个`,
    downloadBuckets: 'CSV（所有步骤的全部区间）',
    histogramLabel: (tag, count) => `${tag} 的直方图，共 ${count} 个步骤。上下方向键选择步骤，左右方向键选择区间。`,
  },
)
