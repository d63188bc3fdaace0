/** The lines that record a profile, shown where there is none. */
export const RECORDING_CODE = `from mindinsight_like import Profiler
profiler = Profiler(output_path="runs/first")   # drives torch, MindSpore, JAX or Paddle, whichever is imported
...                                             # train; profiler.step() after each step
profiler.analyse()`
