/** Options that a running browser cannot change. */
export interface BrowserStart {
  headless: boolean;
  /** For requests that belong to no page, and for shared workers. Other targets are told theirs by DevTools. */
  userAgent: string;
  /** The language of the browser's own user interface; undefined: English. */
  uiLanguage: string | undefined;
  /** Of the display. A headless browser is told its own by DevTools. */
  pixelRatio: number;
}

export const shapes = ['headful', 'headless'] as const;
export type Shape = (typeof shapes)[number];
export const shapeOf = ({ headless }: BrowserStart): Shape => (headless ? 'headless' : 'headful');
