import { expect, it } from 'vitest'
import { whereOf } from './filters'

it('states filters as conditions of the service', () => {
  expect(
    whereOf(
      new Map([
        ['lr', { kind: 'range', lo: 0.01, hi: 0.1 }],
        ['units', { kind: 'range', lo: -Infinity, hi: 16 }],
        ['opt', { kind: 'names', names: ['adam', 'true', '8', ''] }],
      ]),
    ),
  ).toEqual({
    lr: { ge: 0.01, le: 0.1 },
    units: { le: 16 },
    opt: { in: ['adam', 'true', true, '8', 8, ''] },
  })
})
