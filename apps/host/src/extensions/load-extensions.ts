import { mkdirSync } from 'node:fs';
import { type ExtensionRequest, HostError } from '@turnpike/contract/host';
import type { Browser } from '../chromium/browser.ts';
import { asUser } from '../sandbox/as-user.ts';
import { extensionsDirectory, insideHome } from '../sandbox/inside-paths.ts';
import { inside, openBelow } from '../sandbox/open-directory.ts';
import { writeExtension } from './write-extension.ts';

/** Loading takes milliseconds; this allows for a busy machine. */
const loadTimeoutMs = 15_000;

const belowHome = extensionsDirectory.slice(insideHome.length + 1);

/** A browser that no client has used yet. */
export interface FreshBrowser {
  browser: Browser;
  /** Its user id; undefined means the host's own. */
  uid: number | undefined;
}

/**
 * Gives a browser its extensions: writes all of them first, because an extension that is loaded runs, and then loads
 * them. Rejects with `EXTENSION_FAILED` and Chromium's words.
 */
export async function loadExtensions(
  { browser, uid }: FreshBrowser,
  extensions: readonly ExtensionRequest[],
  signal: AbortSignal,
): Promise<void> {
  if (!browser.isSandboxed)
    throw new HostError(
      'EXTENSION_FAILED',
      'This host runs browsers without a sandbox. Such a browser loads no extensions.',
    );
  await using home = await browser.openHome();
  asUser(uid, () => mkdirSync(inside(home, belowHome), 0o700));
  for (const extension of extensions) {
    signal.throwIfAborted();
    const directory = `${belowHome}/${extension.id}`;
    asUser(uid, () => mkdirSync(inside(home, directory), 0o700));
    await using opened = await openBelow(home, directory);
    await writeExtension(opened, extension, uid).catch((cause) => {
      throw failed(extension, reasonOf(cause), cause);
    });
  }
  for (const extension of extensions) await load(browser, extension, signal);
}

async function load(browser: Browser, extension: ExtensionRequest, signal: AbortSignal): Promise<void> {
  const path = `${extensionsDirectory}/${extension.id}`;
  const { id } = await browser.controller
    .call(
      'Extensions.loadUnpacked',
      // In the contexts that clients create too.
      { path, enableInIncognito: true },
      { signal, timeoutMs: loadTimeoutMs },
    )
    .catch((cause: Error) => {
      signal.throwIfAborted();
      throw failed(extension, cause.message, cause);
    });
  if (id !== extension.id) throw failed(extension, `its id became ${id}, not ${extension.id}`);
}

function failed({ name, id }: ExtensionRequest, reason: string, cause?: unknown): HostError {
  return new HostError('EXTENSION_FAILED', `${name} (${id}) was not loaded: ${reason}`, { cause });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOSPC' ? 'the session has no room for its files' : error.message;
}
