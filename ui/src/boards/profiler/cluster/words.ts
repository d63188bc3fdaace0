/** Words of the cluster tab: many ranks beside each other. */

import { wordsOf } from '@/i18n'

export const clusterWords = wordsOf('cluster')
