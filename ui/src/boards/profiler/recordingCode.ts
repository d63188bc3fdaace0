/** The lines that record a profile, shown where there is none. */
export const RECORDING_CODE = `from mindinsight_like import Profiler
profiler = Profiler(output_path="runs/first")   # drives torch, MindSpore, JAX or Paddle, whichever is imported
...                                             # train; profiler.step() after each step
profiler.analyse()`

const ANY = 'any'
/** By view and by the tool that made the recording. */
const CODE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  steps: {
    torch:
      'with torch.profiler.profile(...) as prof:\n    for batch in loader:\n        ...\n        prof.step()',
    jax: 'with jax.profiler.StepTraceAnnotation("train", step_num=step):\n    ...',
    ascend: '',
    mindspore: '',
    [ANY]: 'profiler.step()   # after each training step',
  },
  memory: {
    torch: 'torch.profiler.profile(..., profile_memory=True)',
    paddle: 'paddle.profiler.Profiler(..., profile_memory=True)',
    mindspore: 'mindspore.Profiler(profile_memory=True)',
    jax: '',
    ascend: '',
    [ANY]:
      'Profiler(output_path="runs/first", profile_memory=True)   # passed on to torch, MindSpore or Paddle',
  },
  pipeline: {
    torch: 'for batch in loader:   # a DataLoader, while the profiler records\n    ...',
    mindspore: 'mindspore.Profiler(data_process=True)',
    jax: '',
    ascend: '',
    [ANY]: 'with profiler.op("load", type="data"):\n    batch = next(batches)',
  },
  flame: {
    torch: 'torch.profiler.profile(..., with_stack=True)',
    jax: '',
    ascend: '',
    mindspore: '',
    [ANY]: 'with profiler.op("forward"):\n    with profiler.op("matmul"):\n        ...',
  },
}

/** What would have recorded a view that is missing; empty where no single line would. */
export const recordingOf = (view: string, tool: string): string =>
  CODE[view]?.[tool] ?? CODE[view]?.[ANY] ?? ''
