import { expect, test } from 'vitest'
import { factRows } from './lineageFacts'

test('what people ask for comes first', () => {
  const values = { 'user_defined/seed': 1, device_num: 1, learning_rate: 0.03, note: '', 'metric/accuracy': 0.995, network: 'Spirals', missing: null }

  expect(factRows({ values }, 4)).toEqual([['network', 'Spirals'], ['metric/accuracy', '0.995'], ['learning_rate', '0.03'], ['user_defined/seed', '1']])
})
