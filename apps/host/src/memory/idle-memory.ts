import { giveBackMemory } from '../switchboard/give-back-memory.ts';

const lookMs = 5000;
/** The share of one processor below which a process is idle. */
const idleShare = 0.1;
/** Less than this is not worth a pause. */
const worthBytes = 32 * 2 ** 20;
/** Between one time and the next, so that a process which is never quite busy is not stopped again and again. */
const restMs = 30_000;

export interface IdleMemoryOptions {
  residentBytes(): number;
  /** Processor time of this process so far. */
  cpuMs(): number;
  giveBack(): void;
  now(): number;
}

/**
 * Gives memory back to the system when the process is idle after load. Neither V8 nor the C library does so by itself:
 * the one keeps free pages for the next load, the other what was freed in the middle of its arenas (decision 0023).
 */
export class IdleMemory {
  readonly #options: IdleMemoryOptions;
  #timer: NodeJS.Timeout | undefined;
  #cpuMs = 0;
  /** What it had when there was nothing more to give. */
  #leastBytes: number;
  #notBefore = 0;

  constructor(options: Partial<IdleMemoryOptions> = {}) {
    this.#options = {
      residentBytes,
      cpuMs,
      giveBack: giveBackMemory,
      now: () => performance.now(),
      ...options,
    };
    this.#leastBytes = this.#options.residentBytes();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), lookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** To be called every 5 seconds. */
  look(): void {
    const { residentBytes, cpuMs, giveBack, now } = this.#options;
    const usedMs = cpuMs() - this.#cpuMs;
    this.#cpuMs += usedMs;
    if (usedMs > lookMs * idleShare || now() < this.#notBefore) return;
    if (residentBytes() < this.#leastBytes + worthBytes) return;
    giveBack();
    this.#leastBytes = residentBytes();
    this.#cpuMs = cpuMs();
    this.#notBefore = now() + restMs;
  }
}

const residentBytes = () => process.memoryUsage.rss();

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
