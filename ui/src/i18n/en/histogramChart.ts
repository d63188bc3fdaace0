/** Words of the histogram chart. */

export const histogramChart = {
  bucket: 'Bucket',
  outOfBuckets: 'none',
}
