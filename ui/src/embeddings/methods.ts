import type { Method } from '@/api/embeddings'

/** The same in every language. */
export const METHOD_NAMES: Readonly<Record<Method, string>> = { pca: 'PCA', tsne: 't-SNE', umap: 'UMAP' }
export const METHODS = ['pca', 'tsne', 'umap'] as const
