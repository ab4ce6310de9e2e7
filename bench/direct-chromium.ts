import { writeFileSync } from 'node:fs';
import { chromiumFlags } from '../apps/host/src/chromium/flags.ts';
import { ControlGroups } from '../apps/host/src/sandbox/control-groups/control-groups.ts';
import * as fixture from '../tests/fixtures/browsers/direct-chromium.ts';

interface DirectOptions {
  headless?: boolean;
  /** Runs it in a control group with the limits and the weight of a session. */
  capped?: boolean;
}

const caps = { memoryBytes: 2 ** 31, processes: 2048 };

/** Starts Chromium with the flags of a session, but with a DevTools port and without the host's sandbox. */
export async function startDirectChromium({
  headless = true,
  capped = false,
}: DirectOptions = {}): Promise<AsyncDisposable & { url: string; pid: number }> {
  await using undo = new AsyncDisposableStack();
  const own = /^--(remote-debugging|user-data-dir|proxy|user-agent)/;
  const start = { headless, os: 'linux' as const, userAgent: '', uiLanguage: undefined, pixelRatio: 1 };
  const flags = chromiumFlags(start).filter((flag) => !own.test(flag));
  const group = capped ? ControlGroups.find(caps).create() : undefined;
  undo.defer(() => group?.remove());
  const enter = (pid: number) => {
    for (const file of group?.procsFiles ?? []) writeFileSync(file, String(pid));
  };
  const { url, pid } = undo.use(await fixture.startDirectChromium({ flags, onSpawned: enter }));
  const owned = undo.move();
  return { url, pid, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
