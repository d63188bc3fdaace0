/** Debiased exponential moving average, the formula of the service (`store/curves`) and of TensorBoard. */

/** `values` smoothed by `weight` in [0, 1); non-finite values pass through unchanged and do not count. */
export function smooth(values: Float64Array, weight: number): Float64Array {
  if (weight <= 0) return values
  const out = new Float64Array(values.length)
  let last = 0
  let decay = 1 // weight ** (finite values so far)
  // As long as all values are the same, so is their average: rounding would draw waves on an axis of its own height.
  let constant = NaN
  let isConstant = true
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (!Number.isFinite(value)) {
      out[i] = value
      continue
    }
    if (decay === 1) constant = value
    isConstant &&= value === constant
    last = last * weight + (1 - weight) * value
    decay *= weight
    out[i] = isConstant ? value : last / (1 - decay)
  }
  return out
}
