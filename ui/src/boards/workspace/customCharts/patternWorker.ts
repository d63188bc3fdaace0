import { matchOf } from './patternMatching'

addEventListener(
  'message',
  ({ data }: MessageEvent<{ readonly pattern: string; readonly names: readonly string[] }>) =>
    postMessage(matchOf(data.pattern, data.names)),
)
