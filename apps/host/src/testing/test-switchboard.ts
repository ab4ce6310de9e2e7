import { createSwitchboard } from '../switchboard/create-switchboard.ts';
import type { Switchboard } from '../switchboard/switchboard.ts';

/** For tests and benches only: a switchboard of its own, whose errors are thrown. */
export function createTestSwitchboard(): Switchboard {
  const fail = (error: string | Error) => {
    throw error instanceof Error ? error : new Error(error);
  };
  return createSwitchboard({ onError: fail, onThreadDied: fail, onFallback: fail });
}
