import { expect, it } from 'vitest'
import type { Profile } from './api'
import { comparisonOf, recordingsOf } from './recordings'

const profile = (id: string, session: string, facts: Partial<Profile> = {}): Profile => ({
  id,
  run: 'mlp',
  run_name: 'mlp',
  session,
  rank: null,
  device: '',
  tool: 'torch',
  name: id,
  bytes: 1000,
  steps: null,
  started_at: null,
  state: 'new',
  progress: 0,
  message: '',
  ranks: null,
  average_step: null,
  breakdown: {},
  first_advice: null,
  losses: [],
  loss_count: 0,
  ...facts,
})

it('makes one recording of the ranks of a session', () => {
  const [first, second] = recordingsOf([
    profile('rank0', 's', { state: 'failed' }),
    profile('rank1', 's', { state: 'ready' }),
    profile('alone', 't'),
  ])

  expect(first!.profiles.map(({ id }) => id)).toEqual(['rank0', 'rank1'])
  expect(first!.first.id).toBe('rank1')
  expect(first!.ranks).toBe(2)
  expect(second!.first.id).toBe('alone')
})

it('counts as many ranks as the profiler noted where fewer are there', () => {
  expect(recordingsOf([profile('rank0', 's', { ranks: 64 })])[0]!.ranks).toBe(64)
})

it('compares the same ranks of two recordings', () => {
  const [one, other] = recordingsOf([
    profile('a1', 'a', { rank: 1 }),
    profile('b0', 'b', { rank: 0 }),
    profile('b1', 'b', { rank: 1 }),
  ])

  expect(comparisonOf(one!, other!)).toEqual({
    path: '/runs/mlp/profiler',
    query: { profile: 'a1', tab: 'compare', with: 'b1' },
  })
})
