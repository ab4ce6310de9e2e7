import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { HarWriter } from '../../../apps/gateway/src/recordings/exports/har.ts';
import { newAction, recorded } from '../../../apps/host/src/recording/actions/action.ts';
import { ActionRecorder } from '../../../apps/host/src/recording/actions/action-recorder.ts';
import { DriverActions } from '../../../apps/host/src/recording/actions/driver-actions.ts';
import { Mask } from '../../../apps/host/src/recording/masks/mask.ts';
import {
  learnFromParams,
  maskParams,
  maskResult,
} from '../../../apps/host/src/recording/masks/mask-command.ts';
import { SecretSet } from '../../../apps/host/src/recording/masks/secret-set.ts';
import { isTelling, looksSecret } from '../../../apps/host/src/recording/masks/telling-names.ts';
import type { Reader } from '../reader.ts';

const tokens = [
  ...[
    'eyJ',
    'eyJ-',
    'eyJhbGciOiJ.',
    'Bearer ',
    'Basic ',
    'authorization: ',
    'password=',
    'token',
    '&',
    '=',
    '?',
    ';',
  ],
  ...[
    '"password":"',
    '":"',
    '\\"',
    'name="password"\r\n\r\n',
    '\r\n--',
    '<input ',
    '<input value="',
    '%20',
    '://',
    '@',
  ],
];
/** Where actions go that nobody looks at. */
const noActions = () =>
  new ActionRecorder({
    ...{
      startedAt: 0,
      log: { add: () => {} },
      mask: newMask(),
      onDone: () => {},
      guard: (work: () => void) => work(),
    },
    names: { at: async () => undefined },
  });
const driver = () => new DriverActions({ onBegun: () => {}, onOver: () => {} });
const newMask = () => new Mask(new SecretSet(['a secret of the session']));
const maxShown = 2 ** 18;

export const recordingReaders: Reader[] = [
  { name: 'mask of a text', tokens, read: (text) => newMask().text(text, maxShown) },
  {
    name: 'mask of a URL',
    tokens,
    around: [
      ['https://a.test/?', ''],
      ['', ''],
    ],
    read: (text) => newMask().url(text),
  },
  {
    name: 'mask of headers',
    tokens,
    around: [
      ['Bearer', 'x'],
      ['', ''],
    ],
    read: (text) => newMask().headers({ Authorization: text, Cookie: text, 'X-Other': text, [text]: 'a' }),
  },
  {
    name: 'what a mask learns of headers',
    tokens,
    around: [
      ['Bearer', 'x'],
      ['', ''],
    ],
    read: (text) =>
      newMask().learnHeaders({ Authorization: text, Cookie: text, 'X-Api-Key': text, 'Set-Cookie': text }),
  },
  { name: 'mask of a body', tokens, read: (text) => newMask().body(text) },
  {
    name: 'secrets that bodies teach',
    tokens: ['&password=a1b2c3d4e5', 'token=0a1b2c3d4e5f6&'],
    read: (text) => {
      const mask = newMask();
      for (let at = 0; at < text.length; at += 1024) mask.body(`n${at}=1&${text.slice(at, at + 1024)}${at}`);
    },
  },
  { name: 'looks secret', tokens, read: looksSecret },
  { name: 'telling name', tokens: ['pass', 'api', 'api-', 'api_', 'authent', 'session'], read: isTelling },
  {
    name: 'mask of a command',
    tokens,
    read: (text) => {
      const params = { url: text, value: text, name: text, headers: [{ name: text, value: text }], text };
      learnFromParams('Network.setCookie', params, newMask());
      return [maskParams('Page.navigate', params, newMask()), maskResult('Page.navigate', params, newMask())];
    },
  },
  {
    name: 'mask of a command of many values',
    tokens: ['1,', '"a",', '{},', '[],'],
    around: [['[', '0]']],
    read: (text) => maskParams('Page.navigate', { list: parseBoundedJson(text) }, newMask()),
  },
  {
    name: 'actions of commands',
    tokens: [
      ...['(utilityScript', '(injected', 'parts', 'const module = {}', '"contextId":1', 'ilityWorld\\":true'],
      ...['//# sourceURL=pptr:', 'evaluate;', 'WaitTask.rerun', '%20', '(() => {', ' '],
    ],
    around: [
      ['(utilityScript', ''],
      ['() => {}\n//# sourceURL=pptr:evaluate;', ''],
      ['', ''],
    ],
    read: (text) => {
      const actions = noActions();
      const ask = (method: string, params: unknown) =>
        actions.asked({ place: 'a', client: 1, tab: 1, method, params, text, at: 1 });
      ask('Runtime.evaluate', { expression: text });
      ask('Runtime.evaluate', undefined);
      const parts = {
        k: 'parts',
        v: {
          a: [
            {
              o: [
                { k: 'name', v: text },
                { k: 'source', v: text },
              ],
            },
          ],
        },
      };
      const given = [{}, {}, {}, { value: `(injected) => ${text}` }, {}, { value: { o: [parts] } }];
      for (const functionDeclaration of [text, '(utilityScript, ...args)'])
        ask('Runtime.callFunctionOn', { functionDeclaration, objectId: text, arguments: given });
      ask('Input.dispatchKeyEvent', { type: 'keyDown', key: text, text });
      ask('Page.navigate', { url: text });
      actions.close(2);
      return actions.size;
    },
  },
  {
    name: 'actions of a driver',
    tokens: ['/session/', '/element/', '*', 'element/', '/attribute/', 'property/', '?', '/', '"value":'],
    around: [
      ['/session/1/', ''],
      ['', ''],
    ],
    read: (text) => driver().asked({ method: 'GET', path: text, body: text }, 1),
  },
  {
    name: 'selector of an action',
    tokens: ['[value=', '[ value ', '[', ']', ' ', '"', '='],
    read: (target) => recorded(newAction({ client: 1, tab: 1, name: 'a', from: 1, target }), 0, newMask()),
  },
  {
    name: 'HAR',
    tokens: ['&a=b', '?', 'a;', '\n'],
    around: [
      ['https://a.test/?', ''],
      ['', ''],
    ],
    read: (text) => {
      const har = new HarWriter(0);
      const event = {
        t: 1,
        tab: 1,
        id: 'a',
        method: 'POST',
        url: text,
        type: 'Document',
        initiator: 'other',
      };
      const more = { headers: { cookie: text, 'content-type': text }, isRedirect: false, body: text };
      har.add({ ...event, ...more, kind: 'request' }, text.length);
      har.add({ t: 2, kind: 'request.done', id: 'a', bytes: 1 }, 50);
      return har.end();
    },
  },
];
