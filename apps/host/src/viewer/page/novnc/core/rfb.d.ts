/** What the page uses of noVNC, whose files are served below `novnc/`. */
export default class RFB extends EventTarget {
  constructor(target: HTMLElement, socket: WebSocket, options?: { shared?: boolean });
  viewOnly: boolean;
  scaleViewport: boolean;
  focusOnClick: boolean;
  showDotCursor: boolean;
  background: string;
  focus(): void;
  /** Without `down`, presses and releases the key. */
  sendKey(keysym: number, code: string | null, down?: boolean): void;
  clipboardPasteFrom(text: string): void;
}
