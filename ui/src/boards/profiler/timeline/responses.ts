/** What the service says about slices of a timeline. */

import type { FlowList, FlowRow, SliceRow, SliceSearch, TimelineSlice } from '@rest'

export type SliceEntry = Omit<SliceRow, 'activity'>
export type SliceInfo = TimelineSlice
export type Flow = FlowRow
export type FlowAnswer = FlowList
export type SearchAnswer = SliceSearch
