/** Filters that people type: a regular expression when it is one, else plain text. */

export interface Filter {
  readonly matches: (text: string) => boolean
  readonly isValid: boolean
}

const EVERYTHING: Filter = { matches: () => true, isValid: true }

/** A filter from `pattern`, upper and lower case alike; an invalid expression is taken as plain text. */
export function filterOf(pattern: string): Filter {
  if (pattern === '') return EVERYTHING
  try {
    const expression = new RegExp(pattern, 'iu')
    return { matches: (text) => expression.test(text), isValid: true }
  } catch {
    const plain = pattern.toLowerCase()
    return { matches: (text) => text.toLowerCase().includes(plain), isValid: false }
  }
}

const SYNTAX = /[|?*+()[\]{}^$\\]/u

/** Words that every text matched by `pattern` contains, for a search in the service; none for real expressions. */
export function wordsIn(pattern: string): string {
  return SYNTAX.test(pattern)
    ? ''
    : pattern
        .split(/[\s.]+/u)
        .filter((word) => word !== '')
        .join(' ')
}

/** The expression inside `/…/`, or null when `text` is not written that way. */
export function expressionIn(text: string): string | null {
  return text.length > 1 && text.startsWith('/') && text.endsWith('/') ? text.slice(1, -1) : null
}
