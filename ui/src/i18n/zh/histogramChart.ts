import type { histogramChart as English } from '../en/histogramChart'

export const histogramChart: typeof English = {
  bucket: '区间',
  outOfBuckets: '无',
}
