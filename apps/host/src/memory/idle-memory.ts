import { giveBackMemory } from '../native/give-back-memory.ts';

const checkMs = 5000;
/** A process that uses less than this share of one core is idle: hardly anybody is there to wait for the pause. */
const idleShare = 0.03;
/** Less memory than this is not worth a pause. */
const worthBytes = 32 * 2 ** 20;
/** The shortest time between two collections, so that a process that is never quite busy is not paused again and again. */
const restMs = 30_000;

export interface IdleMemoryOptions {
  residentBytes(): number;
  /** Processor time of this process so far. */
  cpuMs(): number;
  giveBack(): void;
  now(): number;
}

/**
 * Returns memory to the system when the process is idle after load. Neither does so by itself: V8 keeps free pages for
 * the next load, and the C library keeps memory that was freed in the middle of its arenas (decision 0023).
 */
export class IdleMemory {
  readonly #options: IdleMemoryOptions;
  #timer: NodeJS.Timeout | undefined;
  #cpuMs = 0;
  /** Resident memory after the last collection. */
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
    this.#timer ??= setInterval(() => this.check(), checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Called every 5 seconds. */
  check(): void {
    const { residentBytes, cpuMs, giveBack, now } = this.#options;
    const usedMs = cpuMs() - this.#cpuMs;
    this.#cpuMs += usedMs;
    if (usedMs > checkMs * idleShare || now() < this.#notBefore) return;
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
