import type { Method } from './api'

/** The same in every language. */
export const METHOD_NAMES: Readonly<Record<Method, string>> = { pca: 'PCA', tsne: 't-SNE', umap: 'UMAP' }
export const METHODS = ['pca', 'tsne', 'umap'] as const

/** A share of 0 to 1. */
export const percent = (share: number | undefined): string =>
  share === undefined ? '' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
