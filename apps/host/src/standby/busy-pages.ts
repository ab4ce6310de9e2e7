import type { Controller } from '../chromium/controller.ts';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';

const answerMs = 1000;
/** More than a page plays at once. */
const maxPlayers = 1000;
/** Longer ones say more than that a player plays. */
const maxEventLength = 200;
const starts = new Set(['kPlay']);
const stops = new Set(['kPause', 'kEnded', 'kWebMediaPlayerDestroyed']);

/** Knows which pages of a session play video or sound, and asks which ones still load. */
export class BusyPages {
  readonly #controller: Controller;
  /** Pages and frames with a process of their own, by the host's CDP session. */
  readonly #pages = new Map<string, Target>();
  /** Players that play, by the host's CDP session. */
  readonly #playing = new Map<string, Set<string>>();

  /** Call before the session's clients can open pages. */
  constructor(controller: Controller, targets: Targets) {
    this.#controller = controller;
    targets.on('attached', (target) => this.#attached(target));
    targets.on('detached', ({ cdpSessionId }) => {
      this.#pages.delete(cdpSessionId);
      this.#playing.delete(cdpSessionId);
    });
    controller.on('Media.playerEventsAdded', ({ playerId, events }, cdpSessionId = '') => {
      for (const { value } of events) this.#onPlayer(cdpSessionId, playerId, value);
    });
  }

  get isPlaying(): boolean {
    return this.#playing.size > 0;
  }

  /** A page that does not answer, because a dialog or a debugger stops it, does not load. */
  async isLoading(): Promise<boolean> {
    const pages = [...this.#pages.keys()];
    return (await Promise.all(pages.map((cdpSessionId) => this.#loads(cdpSessionId)))).includes(true);
  }

  #attached(target: Target): void {
    const { type, cdpSessionId } = target;
    if (type !== 'page' && type !== 'iframe') return;
    this.#pages.set(cdpSessionId, target);
    this.#controller.call('Media.enable', {}, { cdpSessionId }).catch(() => {}); // It is gone.
  }

  #onPlayer(cdpSessionId: string, playerId: string, value: string): void {
    const event = playerEvent(value);
    const players = this.#playing.get(cdpSessionId) ?? new Set();
    if (starts.has(event) && players.size < maxPlayers)
      this.#playing.set(cdpSessionId, players.add(playerId));
    else if (stops.has(event) && players.delete(playerId) && players.size === 0)
      this.#playing.delete(cdpSessionId);
  }

  async #loads(cdpSessionId: string): Promise<boolean> {
    const question = { expression: 'document.readyState', returnByValue: true };
    const options = { cdpSessionId, timeoutMs: answerMs };
    try {
      const { result } = await this.#controller.call('Runtime.evaluate', question, options);
      return result.value === 'loading' || result.value === 'interactive';
    } catch {
      return false;
    }
  }
}

/** The name of a player's event, which comes as JSON. */
export function playerEvent(json: string): string {
  return /"event":"(\w{1,64})"/.exec(json.slice(0, maxEventLength))?.[1] ?? '';
}
