/** HTML as a piece of page that can do no harm: it runs nothing and loads nothing. */

import DOMPurify, { type Config } from 'dompurify'
import { PLAIN_TAGS } from './html'

const ALLOWED: Config = {
  ALLOWED_TAGS: [...PLAIN_TAGS, 'a', 'img'],
  ALLOWED_ATTR: ['href', 'target', 'rel', 'src', 'alt', 'align', 'start'],
  ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto):|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
  // All others are held to be addresses.
  ADD_URI_SAFE_ATTR: ['target', 'rel', 'align', 'start'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

/** What may be shown of some HTML. */
export const pieceOf = (html: string): DocumentFragment =>
  DOMPurify.sanitize(html, { ...ALLOWED, RETURN_DOM_FRAGMENT: true })
