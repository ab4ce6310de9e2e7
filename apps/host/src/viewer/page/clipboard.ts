import type RFB from './novnc/core/rfb.js';

/**
 * Shares the clipboard between two machines. Text that is copied in the session goes to this machine's clipboard where
 * the browser allows it, and always into the panel. Ctrl+V (or ⌘V) pastes this machine's clipboard, which needs no
 * permission.
 */

const controls = { ControlLeft: 0xffe3, ControlRight: 0xffe4 } as const;
type ControlKey = keyof typeof controls;
const isControlKey = (code: string): code is ControlKey => code in controls;
const metaKeys = [0xffe7, 0xffe8, 0xffeb, 0xffec];
const keyV = 0x76;

export interface ClipboardElements {
  panel: HTMLElement;
  text: HTMLTextAreaElement;
  button: HTMLElement;
  send: HTMLElement;
  copy: HTMLElement;
}

export class Clipboard {
  readonly #panel: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #button: HTMLElement;
  readonly #current: () => RFB | undefined;
  /** The Control key that was pressed last, and whether it began the paste that is under way. */
  #control: ControlKey = 'ControlLeft';
  #controlHeld = false;

  /** `current` returns the RFB object while there is a connection. */
  constructor({ panel, text, button, send, copy }: ClipboardElements, current: () => RFB | undefined) {
    this.#panel = panel;
    this.#text = text;
    this.#button = button;
    this.#current = current;
    button.addEventListener('click', () => this.#toggle());
    send.addEventListener('click', () => this.#send());
    copy.addEventListener('click', () => void copyText(this.#text.value));
    panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.#toggle());
  }

  /** Called for each new connection. */
  attach(rfb: RFB): void {
    rfb.addEventListener('clipboard', (event) => {
      void this.#fromSession((event as CustomEvent<{ text: string }>).detail.text);
    });
  }

  /** Takes the keys of a paste before noVNC does: otherwise there would be no paste event. */
  listen(screen: HTMLElement): void {
    screen.addEventListener(
      'keydown',
      (event) => {
        if (isControlKey(event.code)) this.#control = event.code;
        const pastes = (event.ctrlKey || event.metaKey) && !event.altKey && event.code === 'KeyV';
        if (!pastes || !this.#current()) return;
        this.#controlHeld = event.ctrlKey;
        event.stopImmediatePropagation();
      },
      { capture: true },
    );
    document.addEventListener('paste', (event) => {
      if (!screen.contains(document.activeElement)) return;
      event.preventDefault();
      this.#paste(event.clipboardData?.getData('text/plain') ?? '');
    });
  }

  #paste(text: string): void {
    const rfb = this.#current();
    if (!rfb) return;
    if (text !== '') rfb.clipboardPasteFrom(text);
    // A paste is Ctrl+V in the session, even if a Mac's key or a menu began it here. A Control key that is held is
    // pressed again: on Windows noVNC delays it, because it may be half of AltGr. noVNC sends its release.
    const [control, keysym] = [this.#control, controls[this.#control]];
    if (!this.#controlHeld) for (const key of metaKeys) rfb.sendKey(key, null, false);
    rfb.sendKey(keysym, control, true);
    rfb.sendKey(keyV, 'KeyV');
    if (!this.#controlHeld) rfb.sendKey(keysym, control, false);
    this.#controlHeld = false;
  }

  async #fromSession(text: string): Promise<void> {
    this.#text.value = text;
    const copied = document.hasFocus() && (await copyText(text, { quietly: true }));
    this.#button.classList.toggle('fresh', !copied);
  }

  #send(): void {
    this.#current()?.clipboardPasteFrom(this.#text.value);
    this.#toggle();
    this.#current()?.focus();
  }

  #toggle(): void {
    this.#panel.hidden = !this.#panel.hidden;
    this.#button.setAttribute('aria-expanded', String(!this.#panel.hidden));
    this.#button.classList.remove('fresh');
    if (!this.#panel.hidden) this.#text.focus();
  }
}

/** Returns whether it worked. Pages without TLS have no `navigator.clipboard`, and use the older command. */
export async function copyText(text: string, { quietly = false } = {}): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return quietly ? false : copyByCommand(text);
  }
}

function copyByCommand(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', put);
  try {
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', put);
  }
}
