import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import type { RecordingSink } from '@turnpike/contract/recording';
import type { Context } from '../seams/context.ts';
import type { HostReports } from '../seams/host-reports.ts';
import type { HostDirectory } from './host-directory.ts';

/** What the operations on hosts work with. */
export interface HostContext extends Context {
  hosts: HostDirectory;
  /** Told what hosts say of sessions, and which hosts are lost. */
  reports: HostReports;
  /** Takes the recordings of hosts on other machines. */
  recordingSink: RecordingSink;
  /** Looks up proxies that clients of sessions name for contexts. */
  resolveProxy: ResolveProxy;
}
