/**
 * One clipboard for two machines. What is copied in the session goes to this machine's clipboard where the browser
 * lets it, and into the panel in any case. Ctrl+V (or ⌘V) takes what this machine has, which needs no permission.
 */

const controls = { ControlLeft: 0xffe3, ControlRight: 0xffe4 };
const metaKeys = [0xffe7, 0xffe8, 0xffeb, 0xffec];
const keyV = 0x76;

export class Clipboard {
  #panel;
  #text;
  #button;
  #current;
  /** Which Control key was pressed last, and whether the paste at hand was begun with it. */
  #control = 'ControlLeft';
  #controlHeld = false;

  /** `current` answers the RFB object while there is a connection. */
  constructor({ panel, text, button, send, copy }, current) {
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
  attach(rfb) {
    rfb.addEventListener('clipboard', ({ detail }) => void this.#fromSession(detail.text));
  }

  /** Paste is a thing of this browser's: noVNC must not see its keys, or there would be no paste event. */
  listen(screen) {
    screen.addEventListener(
      'keydown',
      (event) => {
        if (event.code in controls) this.#control = event.code;
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

  #paste(text) {
    const rfb = this.#current();
    if (!rfb) return;
    if (text !== '') rfb.clipboardPasteFrom(text);
    // Whatever began it here, a Mac's key or a menu, it is Control there. One that is held is pressed again all the
    // same: on Windows noVNC keeps it back for a moment, as it may be half of AltGr. Its release is noVNC's to tell.
    const [control, keysym] = [this.#control, controls[this.#control]];
    if (!this.#controlHeld) for (const key of metaKeys) rfb.sendKey(key, null, false);
    rfb.sendKey(keysym, control, true);
    rfb.sendKey(keyV, 'KeyV');
    if (!this.#controlHeld) rfb.sendKey(keysym, control, false);
    this.#controlHeld = false;
  }

  async #fromSession(text) {
    this.#text.value = text;
    const copied = document.hasFocus() && (await copyText(text, { quietly: true }));
    this.#button.classList.toggle('fresh', !copied);
  }

  #send() {
    this.#current()?.clipboardPasteFrom(this.#text.value);
    this.#toggle();
    this.#current()?.focus();
  }

  #toggle() {
    this.#panel.hidden = !this.#panel.hidden;
    this.#button.setAttribute('aria-expanded', String(!this.#panel.hidden));
    this.#button.classList.remove('fresh');
    if (!this.#panel.hidden) this.#text.focus();
  }
}

/** Answers whether it went well. Pages without TLS have no `navigator.clipboard`, and copy as of old. */
export async function copyText(text, { quietly = false } = {}) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return quietly ? false : copyByCommand(text);
  }
}

function copyByCommand(text) {
  const put = (event) => {
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', put);
  try {
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', put);
  }
}
