import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { operatingSystems } from '@turnpike/contract/create-parameters';
import { deviceTable } from '../../apps/host/src/profile/devices/device-table.ts';

/**
 * Compares the table of devices with what fingerprint-generator's data (Apache-2.0) has of real browsers, and refreshes
 * the full version numbers of Chrome. Run it when that package is new. GPU names and versions of macOS that were not
 * seen are errors. Models of phones and sizes of screens are only listed: that data has few of them.
 */

interface Node {
  name: string;
  possibleValues: string[];
}

/** Reads the only file of the package's archive, by the entry at its beginning. */
function readNetwork(): Node[] {
  const folder = join(createRequire(import.meta.url).resolve('fingerprint-generator'), '..', 'data_files');
  const zip = readFileSync(join(folder, 'fingerprint-network-definition.zip'));
  const start = 30 + zip.readUInt16LE(26) + zip.readUInt16LE(28);
  return (JSON.parse(inflateRawSync(zip.subarray(start)).toString()) as { nodes: Node[] }).nodes;
}

const nodes = readNetwork();

/** The known values of what the data calls by this name. */
function seen(name: string): Record<string, unknown>[] {
  const values = nodes.find((node) => node.name === name)?.possibleValues ?? [];
  return values
    .filter((value) => value.startsWith('*STRINGIFIED*{'))
    .map((value) => JSON.parse(value.slice('*STRINGIFIED*'.length)) as Record<string, unknown>);
}

const agents = seen('userAgentData');
const renderers = new Set(seen('videoCard').map(({ renderer }) => renderer));
const systemVersions = new Set(agents.map(({ platformVersion }) => platformVersion));
const models = new Set(agents.map(({ model }) => model));
const screens = new Set(
  seen('screen').map(({ width, height, devicePixelRatio }) => `${width}x${height}@${devicePixelRatio}`),
);

const unseen: string[] = [];
for (const os of operatingSystems) {
  const { devices, versions } = deviceTable[os];
  for (const { name, model, renderer, screens: own } of devices) {
    if (!renderers.has(renderer)) {
      console.error(`${os}: ${name}: no GPU is called ${renderer}`);
      process.exitCode = 1;
    }
    if (model !== undefined && !models.has(model)) unseen.push(`${name}: the model ${model}`);
    for (const { width, height, pixelRatio } of own) {
      const size = `${width}x${height}@${pixelRatio}`;
      if (!screens.has(size)) unseen.push(`${name}: the screen ${size}`);
    }
  }
  for (const [version] of versions) {
    if (os !== 'macos' || systemVersions.has(version)) continue;
    console.error(`${os}: no version ${version}`);
    process.exitCode = 1;
  }
}
console.log(`In no browser of the data, so rest on their makers' word alone:\n  ${unseen.join('\n  ')}`);

const path = join(import.meta.dirname, '../../apps/host/src/profile/seen-versions.json');
const known = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
for (const { fullVersionList = [] } of agents) {
  // Other browsers that are built of Chromium have numbers of their own.
  const list = fullVersionList as { brand: string; version: string }[];
  const full = list.find(({ brand }) => brand === 'Google Chrome')?.version ?? '';
  const major = Number.parseInt(full, 10);
  if (major >= 120 && /^\d+\.0\.\d{4,}\.\d+$/.test(full)) known[major] ??= full;
}
writeFileSync(path, `${JSON.stringify(known, null, 2)}\n`);
