/** Words for views that a recording has nothing for: what is missing, and how it gets into the next one. */

type Note = Readonly<Record<string, { readonly title: string; readonly why: string }>>

export const noData: Note = {
  operators: {
    title: 'No operators in this profile',
    why: 'Its files only contain other data, such as steps or the input pipeline.',
  },
  steps: {
    title: 'No steps in this profile',
    why: 'Mark the end of each training step to get per-step times. MindSpore does not record steps on CPU.',
  },
  timeline: {
    title: 'Only totals in this profile',
    why: 'It has no timestamps, so there is no timeline to draw.',
  },
  memory: { title: 'No memory data in this profile', why: 'Enable memory profiling to record it.' },
  pipeline: {
    title: 'No input pipeline data in this profile',
    why: 'No data loading was recorded. Data may have been loaded before the profile started or in another process.',
  },
  path: {
    title: 'No device activity in this profile',
    why: 'The critical path needs work that the host launches on a device. For host-only training, see the flame graph.',
  },
  cluster: {
    title: 'No multi-rank profiles in this run',
    why: 'To see ranks together, put the profiles of one training in the directory of one run or in sibling run directories.',
  },
  flame: {
    title: 'No nested calls in this profile',
    why: 'A flame graph needs call stacks, and none were recorded.',
  },
}
