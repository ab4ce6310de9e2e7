import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { newRequest } from '@turnpike/host/testing/test-host';
import { startSquid } from '../fixtures/network/squid.ts';
import { processTable } from '../fixtures/process/process-table.ts';
import { type HostProcess, startHostProcess } from '../isolation/host-process.ts';
import { groupsOfHost, pidsOf } from '../isolation/session-group.ts';
import { type Sample, takeSample, until } from './soak-run.ts';

export interface UploadSample extends Sample {
  /** Number of different user ids of browsers so far. */
  userIds: number;
  /** Shared memory of the whole machine. It includes files of sessions, also of ended ones that are still open. */
  sharedMiB: number;
  /** Entries in the machine's own shared memory. */
  sharedFiles: number;
}

export interface UploadRounds {
  samples: UploadSample[];
  failures: string[];
  /** Processes of the host without browsers: before the first session, and the maximum during uploads. */
  helpers: { before: number; most: number };
}

export interface UploadRoundsOptions {
  rounds: number;
  onSample?(sample: UploadSample): void;
}

/** Bytes of each upload before it stalls or is aborted. */
const partBytes = 2 ** 20;
const samplesInAll = 20;

/** Repeatedly opens a session, uploads files, aborts some uploads, lets others stall, and closes it. */
export async function uploadRounds({ rounds, onSample }: UploadRoundsOptions): Promise<UploadRounds> {
  await using squid = await startSquid();
  await using host = await startHostProcess({ nodeOptions: ['--expose-gc'] });
  const startedAt = performance.now();
  const userIds = new Set<number>();
  const before = helpers(host);
  const result: UploadRounds = { samples: [], failures: [], helpers: { before, most: before } };
  const sample = async (round: number) => {
    await until(() => groupsOfHost(host.pid).length === 0);
    const taken = { ...(await takeSample(host, round, startedAt)), userIds: userIds.size, ...sharedMemory() };
    result.samples.push(taken);
    onSample?.(taken);
  };
  await sample(0);
  for (let round = 1; round <= rounds; round += 1) {
    const session = newRequest(squid.upstream);
    try {
      const url = await host.open(session);
      await using uploads = new AsyncDisposableStack();
      await oneRound(host, url.replace('ws:', 'http:'), uploads);
      for (const pid of pidsOf('bwrap', host.pid)) userIds.add(statSync(`/proc/${pid}`).uid);
      result.helpers.most = Math.max(result.helpers.most, helpers(host));
      await host.close(session.sessionId);
    } catch (error) {
      result.failures.push(`round ${round}: ${(error as Error).message}`);
    }
    if (round % Math.ceil(rounds / samplesInAll) === 0 || round === rounds) await sample(round);
  }
  return result;
}

/** Sends one complete file, aborts one upload, and lets one stall until the session ends. */
async function oneRound(host: HostProcess, url: string, uploads: AsyncDisposableStack): Promise<void> {
  const files = `${url}/files`;
  const whole = await fetch(`${files}/whole`, { method: 'PUT', body: Buffer.alloc(partBytes) });
  if (whole.status !== 200) throw new Error(`an upload returned ${whole.status}`);
  const aborted = await startUpload(host, `${files}/aborted`);
  const stalled = await startUpload(host, `${files}/stalled`);
  uploads.defer(() => void stalled.destroy());
  const before = openUploads(host);
  aborted.destroy();
  await until(() => openUploads(host) < before);
  const { files: listed } = (await (await fetch(files)).json()) as { files: { name: string }[] };
  const names = listed.map(({ name }) => name).join();
  if (names !== 'whole') throw new Error(`the session's files are ${names}`);
}

/** Resolves when the host has started to write the upload. */
async function startUpload(host: HostProcess, url: string): Promise<ClientRequest> {
  const before = openUploads(host);
  const upload = httpRequest(url, { method: 'PUT' });
  upload.on('error', () => {}); // The upload is aborted, or the session ends.
  upload.write(Buffer.alloc(partBytes));
  await until(() => openUploads(host) > before);
  return upload;
}

/** Number of files that the host is writing. */
function openUploads({ pid }: HostProcess): number {
  return readdirSync(`/proc/${pid}/fd`).filter((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`).includes('.upload-');
    } catch {
      return false; // The descriptor was closed.
    }
  }).length;
}

/** Processes of the host outside of sandboxes. */
function helpers({ pid }: HostProcess): number {
  const own = [...processTable().values()].filter(({ parent, name }) => parent === pid && name !== 'bwrap');
  return own.length;
}

function sharedMemory(): Pick<UploadSample, 'sharedMiB' | 'sharedFiles'> {
  const kibibytes = /^Shmem:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1];
  return {
    sharedMiB: Math.round(Number(kibibytes) / 1024),
    sharedFiles: readdirSync('/dev/shm').length,
  };
}
