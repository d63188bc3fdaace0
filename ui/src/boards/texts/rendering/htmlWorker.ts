/** Makes HTML of Markdown beside the page, which goes on meanwhile. */

import { htmlOf } from './html'

self.onmessage = ({ data }: MessageEvent<string>) => self.postMessage(htmlOf(data))
