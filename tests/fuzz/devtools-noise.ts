import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { frame, opcode, upgradeRequest } from './frames.ts';
import { mutate } from './mutate.ts';
import { play } from './play.ts';
import type { Random } from './random.ts';

const methods = ['browser_protocol', 'js_protocol'].flatMap((name) => {
  const path = createRequire(import.meta.url).resolve(`devtools-protocol/json/${name}.json`);
  const { domains } = JSON.parse(readFileSync(path, 'utf8'));
  return domains.flatMap(({ domain, commands = [] }: any) =>
    commands.map(({ name }: any) => `${domain}.${name}`),
  );
});

/** The methods that the host itself acts on or rewrites. */
const hostMethods = [
  'Browser.setDownloadBehavior',
  'Browser.getVersion',
  'Target.createTarget',
  'Target.attachToTarget',
  'Emulation.setDeviceMetricsOverride',
  'Emulation.setUserAgentOverride',
  'Runtime.runIfWaitingForDebugger',
];

/** These end the attacker's own browser, and the time of a start would be all that the run shows. */
const excluded = new Set(['Browser.close', 'Browser.crash', 'Browser.crashGpuProcess']);

/** One connection's worth of DevTools messages with valid framing and senseless content. */
export function devtoolsNoise(random: Random, cdpUrl: string): Promise<void> {
  const { hostname, port, pathname, host } = new URL(cdpUrl);
  const messages = Array.from({ length: 1 + random.below(30) }, () => noiseFrame(random));
  return play(random, { host: hostname, port: Number(port) }, [
    upgradeRequest(pathname, host),
    Buffer.concat(messages),
  ]);
}

function noiseFrame(random: Random): Buffer {
  const method = random.chance(0.3) ? random.pick(hostMethods) : random.pick(methods);
  if (excluded.has(method)) return frame(Buffer.from('{}'));
  const message = {
    id: random.pick([random.below(1000), -1, 0.5, '1', null, 2 ** 53]),
    method,
    params: value(random, 3),
    ...(random.chance(0.3) && { sessionId: random.pick(['A'.repeat(32), '', 7, null, 'x'.repeat(1000)]) }),
  };
  const text = random.chance(0.05) ? deep(random) : Buffer.from(JSON.stringify(message));
  const payload = random.chance(0.3) ? mutate(random, text, Buffer.from('{"id":1,"method":"X.y"}\0')) : text;
  const kind = random.chance(0.9) ? opcode.text : random.pick(Object.values(opcode));
  return frame(kind >= opcode.close ? payload.subarray(0, 125) : payload, kind, !random.chance(0.05));
}

/** Nested deeper than a recursive function survives. */
function deep(random: Random): Buffer {
  const levels = 1000 + random.below(50_000);
  const method = random.pick(hostMethods);
  return Buffer.from(
    `{"id":1,"method":"${method}","params":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`,
  );
}

const names = [
  'behavior',
  'downloadPath',
  'url',
  'width',
  'height',
  'deviceScaleFactor',
  'mobile',
  'userAgent',
  'targetId',
  'expression',
  'a',
];

function value(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.5)) {
    return random.pick<unknown>([
      'allow',
      'about:blank',
      '',
      0,
      -1,
      1e308,
      true,
      null,
      'x'.repeat(random.below(5000)),
    ]);
  }
  if (random.chance(0.3)) return Array.from({ length: random.below(4) }, () => value(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [random.pick(names), value(random, depth - 1)]),
  );
}
