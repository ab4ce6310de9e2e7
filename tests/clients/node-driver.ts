import { openAsBlob } from 'node:fs';
import { Turnpike, TurnpikeError } from 'turnpike-client';
import type { ClientDriver } from './run-scenario.ts';
import type { Outcome } from './scenarios.ts';

/** The Node client under test. */
export function nodeDriver(): ClientDriver {
  let client: Turnpike | undefined;
  const drive = async (call: string, options: Record<string, unknown>): Promise<Outcome> => {
    try {
      if (call === 'configure') {
        client = new Turnpike(options as any);
        return { ok: null };
      }
      if (!client) throw new Error('not configured');
      return { ok: await invoke(client, call, options) };
    } catch (error) {
      if (!(error instanceof TurnpikeError)) throw error;
      const { name, message, ...fields } = error;
      return { error: { class: name, message, ...(fields as object) } };
    }
  };
  return {
    drive,
    async [Symbol.asyncDispose]() {
      await client?.settled();
    },
  };
}

async function invoke(client: Turnpike, call: string, options: any): Promise<unknown> {
  const { token, product, ...rest } = options;
  const { sessionId, ...more } = options;
  switch (call) {
    case 'connectUrl':
    case 'reconnectUrl': {
      const cdpUrl =
        call === 'connectUrl'
          ? await client.connectUrl(options)
          : await client.reconnectUrl(options.sessionId);
      return { cdpUrl, sessionId: client.sessionId, vncUrl: client.vncUrl };
    }
    case 'status':
      return client.status(options.id);
    case 'statuses':
      return client.statuses(options.ids);
    case 'close':
      return client.close(options.sessionId);
    case 'traffic':
    case 'trafficCsv':
      return client[call](options.sessionId);
    case 'deleteProfile':
      return (await client.deleteProfile(options.name)) ?? null;
    case 'deleteCache':
      return (await client.deleteCache(options.name)) ?? null;
    case 'takeSnapshot':
      return client.takeSnapshot(sessionId, more);
    case 'deleteSnapshot':
      return (await client.deleteSnapshot(options.id)) ?? null;
    case 'uploadExtension':
      return client.uploadExtension(await openAsBlob(options.file));
    case 'deleteExtension':
      return (await client.deleteExtension(options.id)) ?? null;
    case 'listSessions':
      return Array.fromAsync(client.listSessions(options));
    case 'summary':
    case 'bandwidth':
    case 'bandwidthCsv':
    case 'countries':
      return client.stats(token)[call](product, rest);
    default:
      return (client as any)[call](options);
  }
}
