import { becomeInterruptible } from '@turnpike/process/work/interruptible';
import type { Command } from 'commander';

/** Options of the commands that run a part of the service. */
export interface RunFlags {
  verbose?: boolean;
}

export const runFlags = (command: Command): Command =>
  command
    .option('--verbose', 'on a terminal, show each request in a line')
    .hook('preAction', (running, asked) => {
      // Not for `host ls` and the like.
      if (asked === running) becomeInterruptible();
    });
