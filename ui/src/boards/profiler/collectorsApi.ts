/** Trainings that are connected to the service, and asking them for a recording. */

import type { CollectorList, ConnectedTraining, ProfileCommand } from '@rest'
import { getJson, sendJson } from '@/base/api/client'

export type { ConnectedTraining, ProfileCommand }
export type Collectors = CollectorList

export const fetchCollectors = (signal?: AbortSignal): Promise<Collectors> =>
  getJson('collectors', {}, signal)

/** Have a training record its next steps. */
export const profileNow = (id: string, steps: number): Promise<ProfileCommand> =>
  sendJson('post', ['collectors/{id}/profile', id], { steps })
