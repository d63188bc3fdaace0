/** Words of the lineage boards. */

import { plural } from '../grammar/plural'

export const lineage = {
  run: 'Run',
  groups: {
    run: 'Run',
    metric: 'Metrics',
    model: 'Model',
    hparam: 'Hyperparameters',
    user_defined: 'User-defined',
    data: 'Data',
    scalar: 'Scalars',
    code: 'Code',
    environment: 'Environment',
    pipeline: 'Data pipeline',
  } as Readonly<Record<string, string>>,
  columns: {
    labels: 'Labels',
    note: 'Note',
    created_at: 'Created',
    updated_at: 'Updated',
    dialects: 'Formats',
    bytes: 'Size',
    network: 'Network',
    optimizer: 'Optimizer',
    loss_function: 'Loss function',
    learning_rate: 'Learning rate',
    epoch: 'Epochs',
    batch_size: 'Batch size',
    device_num: 'Devices',
    parallel_mode: 'Parallel mode',
    train_dataset_path: 'Training data',
    train_dataset_count: 'Training samples',
    test_dataset_path: 'Test data',
    test_dataset_count: 'Test samples',
    model_size: 'Model size',
    loss: 'Training loss',
    dataset_mark: 'Data pipeline',
  } as Readonly<Record<string, string>>,
  search: {
    models: 'metric/accuracy > 0.9 and optimizer = "Adam"',
    datasets: 'Batch.batch_size >= 32 and metric/accuracy > 0.9',
  } as Readonly<Record<'models' | 'datasets', string>>,
  searchLabel: 'Search runs by lineage',
  suggested: { column: 'column', operator: 'operator', value: 'value', word: 'keyword' } as Readonly<
    Record<string, string>
  >,
  kinds: { number: 'numbers', text: 'text', bool: 'booleans' } as Readonly<Record<string, string>>,
  kind: { number: 'a number', text: 'text', bool: 'a boolean' } as Readonly<Record<string, string>>,
  mismatch: (column: string, valueTypes: string, value: string, kind: string) =>
    `“${column}” contains ${valueTypes}, so comparing it with ${kind} (${value}) never matches.`,
  runsShown: (visible: string, all: string) =>
    visible === all ? (all === '1' ? '1 run' : `${all} runs`) : `${visible} of ${all} runs`,
  cut: (count: string) => `Only the first ${count} runs are shown. Narrow the search to see others.`,
  importance: 'Importance',
  importanceHint: 'How strongly each parameter correlates with the target',
  target: 'Target',
  chooseTarget: 'Select a numeric target to rank the parameters by.',
  judged: (count: number, methods: string) =>
    `Based on ${plural(count, 'run', 'runs')}, using ${methods}. Correlation does not imply causation.`,
  both: ' and ',
  methods: {
    'rank correlation': 'Spearman’s rank correlation for numbers',
    'correlation ratio': 'the adjusted correlation ratio of ranks for text',
  } as Readonly<Record<string, string>>,
  fewRuns: (count: number) => `Needs at least ${count} runs with both values.`,
  reasons: {
    'too few runs': 'too few runs',
    'the same in all runs': 'same in all runs',
    'different in every run': 'different in every run',
  } as Readonly<Record<string, string>>,
  unranked: (count: number) =>
    plural(count, 'more has too few distinct values', 'more have too few distinct values'),
  grows: 'target increases with it',
  falls: 'target decreases with it',
  addScalar: 'Add scalar column',
  scalarTag: 'Tag',
  reductions: {
    last: 'last',
    min: 'min',
    max: 'max',
    mean: 'mean',
    'at:max': 'at max of',
    'at:min': 'at min of',
  } as Readonly<Record<string, string>>,
  bestOf: 'Tag whose best step to use',
  edit: (column: string) => `Edit: ${column}`,
  labelsHint: 'Comma-separated labels',
  saveFailed: 'Saving failed',
  marked: (mark: string, count: number) => `${mark} · ${plural(count, 'run', 'runs')}`,
  sharedBy: (count: number) =>
    count === 1
      ? 'No other run uses this data pipeline'
      : `${count} runs use this data pipeline: show only these`,
  allPipelines: 'Show all data pipelines',
  isThere: 'used',
  domainOf: (text: string) => `one of ${text}`,
  intervalOf: (min: string, max: string) => `${min} to ${max}`,
  exports: {
    csv: 'CSV (all columns)',
    json: 'JSON (all columns)',
    parquet: 'Parquet (all columns)',
    openlineage: 'OpenLineage events',
  } as Readonly<Record<string, string>>,
  downloadTable: 'CSV (as shown)',
  showBare: (count: string) => `Show ${count} without lineage`,
  hideBare: (count: string) => `Hide ${count} without lineage`,
  bareHint: 'Runs that only have log files and no lineage',
  noRuns: 'No lineage yet',
  noRunsWhy:
    'MindSpore lineage and the hyperparameters of TensorBoard and VisualDL logs show up here automatically. From any other program:',
  noPipelines: 'No data pipelines logged yet',
  noPipelinesWhy: 'The MindSpore callback SummaryCollector logs the pipeline of the training data.',
  noRunMatches: 'No matching runs',
  noRunMatchesWhy: 'The search and filters exclude all runs.',
  clearAll: 'Clear search and filters',
}
