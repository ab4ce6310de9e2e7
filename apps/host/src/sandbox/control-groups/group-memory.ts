import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

export interface MemoryUse {
  /** In memory, scratch space included. */
  residentBytes: number;
  swappedBytes: number;
}

/** Version 2 is asked for this much at once, so that it can stop in between. */
const stepBytes = 32 * 2 ** 20;
const maxSteps = 1024;

/** What a control group has in memory and in swap. */
export class GroupMemory {
  readonly #directory: string;
  readonly #version: 1 | 2;

  private constructor(directory: string, version: 1 | 2) {
    this.#directory = directory;
    this.#version = version;
  }

  static of(directories: readonly string[]): GroupMemory | undefined {
    for (const directory of directories) {
      if (existsSync(`${directory}/memory.force_empty`)) return new GroupMemory(directory, 1);
      if (existsSync(`${directory}/memory.reclaim`)) return new GroupMemory(directory, 2);
    }
    return undefined;
  }

  read(): MemoryUse {
    try {
      if (this.#version === 2) {
        const resident = this.#number('memory.current');
        return { residentBytes: resident, swappedBytes: this.#number('memory.swap.current') };
      }
      const stat = readFileSync(`${this.#directory}/memory.stat`, 'latin1');
      const swapped = Number(/^swap (\d+)$/m.exec(stat)?.[1] ?? 0);
      return { residentBytes: this.#number('memory.usage_in_bytes'), swappedBytes: swapped };
    } catch {
      return { residentBytes: 0, swappedBytes: 0 }; // It is gone.
    }
  }

  /**
   * Has the kernel write what it can to swap, as much as the group may have. It is only asked when swap keeps tenants'
   * data from disks in clear: see `swap-areas.ts`. A group that runs gets no more swap than it has then.
   */
  async reclaim(signal: AbortSignal): Promise<void> {
    try {
      if (this.#version === 1) await this.#write('memory.force_empty', '0');
      else await this.#reclaimInSteps(signal);
    } catch {
      // It is gone, or the kernel has nothing more to give back.
    }
  }

  async #reclaimInSteps(signal: AbortSignal): Promise<void> {
    const limit = readFileSync(`${this.#directory}/memory.max`, 'latin1').trim();
    await this.#write('memory.swap.max', limit);
    try {
      for (let step = 0; step < maxSteps && !signal.aborted; step++) {
        const left = this.#number('memory.current');
        if (left === 0) return;
        await this.#write('memory.reclaim', String(Math.min(left, stepBytes)));
      }
    } finally {
      await this.#write('memory.swap.max', '0');
    }
  }

  #number(file: string): number {
    return Number(readFileSync(`${this.#directory}/${file}`, 'latin1'));
  }

  #write(file: string, value: string): Promise<void> {
    return writeFile(`${this.#directory}/${file}`, value);
  }
}
