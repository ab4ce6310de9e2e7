import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { frame, opcode, upgradeRequest } from '../../fuzz/frames.ts';
import type { Attack } from '../attack.ts';
import { Cdp } from '../cdp.ts';

const asleep = "new Blob(['setInterval(() => {}, 1000)'])";

export const devtoolsAttacks: Attack[] = [
  {
    row: 3,
    name: 'source URLs again and again in a stealth session',
    async play({ page, scaled }) {
      const cdp = await page('stealth');
      await cdp.call('Runtime.evaluate', { expression: '//# sourceURL='.repeat(scaled(75_000)) });
    },
  },
  {
    row: 7,
    name: 'a message of escaped keys',
    async play({ page, scaled }) {
      const cdp = await page('plain');
      cdp.send(
        `{"id":9,"method":"Browser.getVersion","params":{${'"\\u0061":1,'.repeat(scaled(1_900_000))}"b":1}}`,
      );
      await cdp.call('Browser.getVersion', {}, '');
    },
  },
  {
    row: 8,
    name: 'WebSocket fragments of one byte on many connections',
    async play({ page, scale, scaled, sent }) {
      const { hostname, port, pathname, host } = new URL((await page('plain')).socket.url);
      const fragments = Buffer.concat([
        frame(Buffer.from('{'), opcode.text, false),
        ...Array.from({ length: scaled(20_000) }, (_, i) =>
          frame(Buffer.from(i % 2 ? '' : ' '), opcode.continuation, false),
        ),
      ]);
      const sockets = Array.from({ length: scaled(100) }, () => connect(Number(port), hostname));
      for (const socket of sockets) {
        socket.on('error', () => {}).resume();
        socket.write(upgradeRequest(pathname, host));
        socket.write(fragments);
        sent(fragments.length);
      }
      await Promise.race([
        Promise.all(sockets.map((socket) => once(socket, 'close').catch(() => {}))),
        delay(200 + 1500 * scale),
      ]);
      for (const socket of sockets) socket.destroy();
    },
  },
  {
    row: 10,
    name: 'many CDP sessions of stopped workers, and made-up methods',
    async play({ page, scaled, account, sent }) {
      const first = await page('plain');
      await first.evaluate(
        `for (let i = 0; i < ${scaled(30)}; i++) new Worker(URL.createObjectURL(${asleep})); 1`,
      );
      using cdp = await Cdp.connect(first.socket.url);
      const send = (message: string) => {
        sent(message.length);
        cdp.send(message);
      };
      const { targetInfos = [] } = await cdp.call('Target.getTargets');
      for (const { targetId } of targetInfos) {
        for (let i = 0; i < scaled(60); i++) {
          send(
            JSON.stringify({
              id: 500_000 + i,
              method: 'Target.attachToTarget',
              params: { targetId, flatten: true },
            }),
          );
        }
      }
      for (let i = 0; i < scaled(20_000); i++) {
        send(
          JSON.stringify({
            id: 600_000 + i,
            method: `Emulation.setMadeUp${i}`,
            params: {},
            sessionId: first.sessionId,
          }),
        );
      }
      await cdp.call('Browser.getVersion');
      await account.get('/user/api/limits');
    },
  },
  {
    row: 13,
    name: 'forged session ids in the parameters of a stealth session',
    async play({ page, scaled }) {
      const cdp = await page('stealth');
      for (let i = 0; i < scaled(8000); i++) {
        const forged = i.toString(16).padStart(32, '0').toUpperCase();
        const message = {
          id: 700_000 + i,
          method: 'Runtime.enable',
          params: { sessionId: forged },
          sessionId: cdp.sessionId,
        };
        cdp.send(JSON.stringify(message));
      }
      await cdp.call('Browser.getVersion', {}, '');
    },
  },
  {
    row: 18,
    name: 'tabs opened and closed',
    async play({ page, scaled }) {
      const cdp = await page('plain');
      for (let i = 0; i < scaled(20); i++) {
        const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank' }, '');
        if (targetId) await cdp.call('Target.closeTarget', { targetId }, '');
      }
    },
  },
];
