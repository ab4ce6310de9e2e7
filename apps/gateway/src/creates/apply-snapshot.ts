import { camelCase, type ParameterName } from '@turnpike/contract/create-parameters';
import type { OpenRequest } from '@turnpike/contract/host';
import type { LoadedSnapshot, SessionSnapshots } from '../seams/session-snapshots.ts';
import { noSnapshot } from './create-errors.ts';
import type { SentParams } from './parameters/create-params.ts';

/** Parameters that a session has from its snapshot, unless the create gives them. */
const deviceNames = [
  'os',
  'headless',
  'browser_version_min',
  'browser_version_max',
  'screen_width_min',
  'screen_height_min',
] as const satisfies readonly ParameterName[];
const inherited = [
  ...deviceNames,
  'browser_language',
  'ui_language',
  'force_visibility',
] as const satisfies readonly ParameterName[];

export type WithSnapshot<Sent extends SentParams> = Sent & { snapshot: OpenRequest['snapshot'] };

/** Loads the snapshot of a create. What the create does not say is as in the session that it was taken of. */
export async function applySnapshot<Sent extends SentParams>(
  snapshots: SessionSnapshots,
  accountId: string,
  sent: Sent,
): Promise<WithSnapshot<Sent>> {
  const choice = sent.params.snapshot;
  if (!choice) return { ...sent, snapshot: undefined };
  const loaded = await snapshots.load(accountId, choice.id);
  if (!loaded) throw noSnapshot();
  return {
    ...sent,
    ...inheritParams(sent, choice.given, loaded.params),
    snapshot: { archive: loaded.archive, keepsDevice: keepsDevice(sent, choice.given, loaded.params) },
  };
}

function inheritParams(
  { params, described }: SentParams,
  given: readonly string[],
  kept: LoadedSnapshot['params'],
): Pick<SentParams, 'params' | 'described'> {
  const names = inherited.filter((name) => !given.includes(name) && kept[name] !== undefined);
  const browser = Object.fromEntries(names.map((name) => [camelCase(name), kept[name]]));
  return {
    params: { ...params, browser: { ...params.browser, ...browser } },
    described: { ...described, ...Object.fromEntries(names.map((name) => [name, kept[name]])) },
  };
}

/** A create that asks for another device than the snapshot's gets one. */
function keepsDevice(
  { described }: SentParams,
  given: readonly string[],
  kept: LoadedSnapshot['params'],
): boolean {
  return deviceNames.every((name) => !given.includes(name) || described[name] === kept[name]);
}
