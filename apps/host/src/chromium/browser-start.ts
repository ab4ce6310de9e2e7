import type { OperatingSystem } from '@turnpike/contract/create-parameters';

/** Options that a running browser cannot change. */
export interface BrowserStart {
  headless: boolean;
  /** The claimed system, whose fonts it has. */
  os: OperatingSystem;
  /** For requests that belong to no page, and for shared workers. Other targets are told theirs by DevTools. */
  userAgent: string;
  /** The language of the browser's own user interface; undefined means English. */
  uiLanguage: string | undefined;
  /** The display's ratio. A headless browser is told its own by DevTools. */
  pixelRatio: number;
}

export const shapes = ['headful', 'headless'] as const;
export type Shape = (typeof shapes)[number];
export const shapeOf = ({ headless }: BrowserStart): Shape => (headless ? 'headless' : 'headful');
