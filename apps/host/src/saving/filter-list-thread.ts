import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { FiltersEngine } from '@ghostery/adblocker';
import { type ListToRead, type ReadList, refusedHosts } from './filter-list.ts';

/** Reads and parses filter lists. That takes about a second, so it has a thread of its own, which ends then. */
const { paths, hidesElements } = workerData as ListToRead;
const text = paths.map((path) => readFileSync(path, 'utf8')).join('\n');
const engine = FiltersEngine.parse(text, {
  // `block` only refuses requests; pages stay as they are.
  loadCosmeticFilters: hidesElements,
  loadCSPFilters: false,
  enableHtmlFiltering: false,
  enableCompression: true,
}).serialize();
const read: ReadList = { engine, hosts: refusedHosts(text) };
parentPort?.postMessage(read);
