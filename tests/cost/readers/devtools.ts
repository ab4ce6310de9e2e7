import { HiddenScripts } from '../../../apps/host/src/filters/hidden-scripts.ts';
import { ByteBudget, newHeldBytes } from '../../../apps/host/src/memory/byte-budget.ts';
import { readMessageStart } from '../../../apps/host/src/page/devtools/message-start.ts';
import { splitArray } from '../../../apps/host/src/page/read/split-array.ts';
import { isOnlyPings } from '../../../apps/host/src/protocols/only-pings.ts';
import { AnswerReader } from '../../../apps/host/src/protocols/script/run-script.ts';
import {
  answerSessionMessage,
  changeSessionMessage,
  routeMessage,
} from '../../../apps/host/src/relay/client-message.ts';
import { outlineOf } from '../../../apps/host/src/relay/message-outline.ts';
import { calledBinding, calledContext } from '../../../apps/host/src/stealth/client-bindings.ts';
import { exceptionThrown } from '../../../apps/host/src/stealth/client-events.ts';
import { contextOfObject } from '../../../apps/host/src/stealth/context-tracker.ts';
import { DetectableStrings } from '../../../apps/host/src/stealth/detectable-strings.ts';
import { Room } from '../../../apps/host/src/stealth/room.ts';
import { StealthSession } from '../../../apps/host/src/stealth/stealth-session.ts';
import { StealthSessions } from '../../../apps/host/src/stealth/stealth-sessions.ts';
import { withoutBody } from '../../../apps/host/src/switchboard/cdp/large-pause.ts';
import { MessageSplitter } from '../../../apps/host/src/switchboard/cdp/message-splitter.ts';
import { clientSessionIdAt, sessionIdAt } from '../../../apps/host/src/switchboard/cdp/session-tail.ts';
import {
  readAttached,
  readDetached,
  targetEvent,
} from '../../../apps/host/src/switchboard/cdp/target-messages.ts';
import { concernsHost } from '../../../apps/host/src/switchboard/concerns-host.ts';
import { FrameReader } from '../../../apps/host/src/switchboard/websocket/frame-reader.ts';
import { ViewOnlyFilter } from '../../../apps/host/src/viewer/view-only-filter.ts';
import { frame, opcode } from '../../fuzz/frames.ts';
import { bytesOf, type Reader } from '../reader.ts';

const sessionId = 'A'.repeat(32);
const tail = `","sessionId":"${sessionId}"}`;
/** Not a divisor of anything, so that everything is cut somewhere. */
const pieceBytes = 13;
const newShare = () => new ByteBudget(2 ** 28, newHeldBytes(), 'switchboard').share();
const jsonTokens = [
  '"a":',
  '"\\u0061":1,',
  '{',
  '[',
  '\\u0041',
  '"sessionId":"',
  '"method":',
  '"id":1,',
  '1,',
];
const evaluated = [
  '{"id":1,"method":"Runtime.evaluate","params":{"expression":"',
  `"},"sessionId":"${sessionId}"}`,
] as const;
const noFilter = { message: () => {}, tooLarge: () => {} };
const noSink = { text: () => {}, control: () => {}, refuse: () => {} };
const clientTokens = [
  ...['//# sourceURL=', '//@ sourceURL=', 'puppeteer_', '__playwright__binding__', 'UtilityScript'],
  ...[
    'module.exports.UtilityScript',
    '"uniqueContextId":"1.0"',
    '"Runtime.',
    '"Page.enable"',
    '"sessionId":"',
  ],
];

export const devtoolsReaders: Reader[] = [
  {
    name: 'objects of an array',
    tokens: [...jsonTokens, '},{', '"', '\\"', ']}'],
    around: [
      ['', ''],
      ['[{"a":"', '"}]'],
    ],
    read: (text) => [...splitArray(bytesOf(text), 0)].length,
  },
  { name: 'start of a message', tokens: jsonTokens, read: (text) => readMessageStart(bytesOf(text)) },
  {
    name: 'outline of a message',
    tokens: jsonTokens,
    around: [['', ''], ['{"id":1,', '"a":1}'], ['{"params":{', '"a":1}}'], evaluated],
    read: (text) => outlineOf(bytesOf(text)),
  },
  {
    name: 'route of a message',
    tokens: jsonTokens,
    around: [['', ''], evaluated, ['{"id":1,"method":"Browser.getVersion","params":{"a":"', '"}}']],
    read: (text) => {
      const message = bytesOf(text);
      return [
        routeMessage(message, allRights),
        changeSessionMessage(message, allRights),
        answerSessionMessage(message, {}),
      ];
    },
  },
  {
    name: 'session at the end of a message',
    tokens: [tail, '"sessionId":', '}'],
    around: [
      ['{"id":1,"a":"', tail],
      ['', ''],
    ],
    read: (text) => {
      const bytes = bytesOf(text);
      return [sessionIdAt(bytes, 0, bytes.length), clientSessionIdAt(bytes, 0, bytes.length)];
    },
  },
  {
    name: 'frames in pieces',
    tokens: [],
    read: (text) => {
      const reader = new FrameReader(noSink, newShare());
      const sent = frame(bytesOf(text));
      for (let at = 0; at < sent.length; at += pieceBytes)
        reader.read(sent.subarray(at, at + pieceBytes), Math.min(pieceBytes, sent.length - at));
    },
  },
  {
    name: 'the head of a script’s answer in pieces',
    tokens: ['"type":"a/b', '; a=b', '"bytes":1,', '"error":"', '{', '\\u0041'],
    around: [
      ['', ''],
      ['{"bytes":1,"type":"a/b', '"}'],
      ['{"bytes":1,"type":"a/b; a=b', '\\n"}'],
    ],
    maxSize: 2 ** 13,
    read: (text) => {
      using reader = new AnswerReader(new ByteBudget(2 ** 28, newHeldBytes(), 'host'));
      const head = bytesOf(text);
      const sent = Buffer.concat([Buffer.alloc(4), head]);
      sent.writeUInt32BE(head.length);
      for (let at = 0; at < sent.length; at += pieceBytes) reader.read(sent.subarray(at, at + pieceBytes));
    },
  },
  {
    name: 'fragments of one byte',
    tokens: [],
    maxSize: 2 ** 15,
    read: (text) => {
      const reader = new FrameReader(noSink, newShare());
      const fragment = frame(bytesOf('a'), opcode.continuation, false);
      const first = frame(bytesOf('{'), opcode.text, false);
      reader.read(first, first.length);
      const sent = Buffer.concat(Array.from({ length: text.length / 8 }, () => fragment));
      reader.read(sent, sent.length);
    },
  },
  {
    name: 'messages of a browser in pieces',
    maxSize: 2 ** 14,
    tokens: ['\0', 'a\0'],
    read: (text) => {
      const splitter = new MessageSplitter(noFilter, newShare());
      const sent = bytesOf(text);
      for (let at = 0; at < sent.length; at += pieceBytes)
        splitter.read(sent.subarray(at, at + pieceBytes), Math.min(pieceBytes, sent.length - at));
      splitter.close();
    },
  },
  {
    name: 'hidden scripts',
    tokens: ['{"scriptId":"1","url":"","functions":[{"functionName":"', '{"scriptId":"', '}]}]'],
    around: [
      ['', ''],
      ['{"id":1,"result":{"result":[{"scriptId":"1","url":"', '"}]}]}}'],
      ['{"method":"Debugger.scriptParsed","params":{"scriptId":"', '"}}'],
    ],
    read: (text) => {
      const bytes = bytesOf(text);
      return new HiddenScripts([{ hash: 'a'.repeat(64), length: 7 }]).replace(bytes, 0, bytes.length);
    },
  },
  {
    name: 'large paused request',
    tokens: ['"headers":{', '},"frameId":"a","resourceType":"', ',"', '\\"'],
    around: [
      ['{"method":"Fetch.requestPaused","params":{"requestId":"1","request":{"url":"', '"}'],
      ['{"method":"Fetch.requestPaused","params":{"requestId":"1","request":{"url":"",', '}'],
    ],
    read: (text) => withoutBody(bytesOf(text), bytesOf(text), sessionId),
  },
  {
    name: 'target message',
    tokens: ['"url":"', '"a":{},', '"title":"'],
    around: [
      ['{"method":"Target.attachedToTarget","params":{"targetInfo":{', '"a":1}}}'],
      ['{"method":"Target.detachedFromTarget","params":{"a":"', '"}}'],
    ],
    read: (text) => {
      const bytes = bytesOf(text);
      const event = targetEvent(bytes, 0, bytes.length);
      concernsHost(bytes, 0, bytes.length);
      return event === 'attached' ? readAttached(bytes) : readDetached(bytes);
    },
  },
  {
    name: 'telling strings',
    tokens: clientTokens,
    read: (text) => new DetectableStrings().hide(bytesOf(text)),
  },
  {
    name: 'client of a stealth session',
    tokens: clientTokens,
    around: [
      evaluated,
      ['{"id":1,"method":"Page.addScriptToEvaluateOnNewDocument","params":{"source":"', tail],
    ],
    read: (text) => newStealthSession().fromClient(bytesOf(text)),
  },
  {
    name: 'browser of a stealth session',
    tokens: [...clientTokens, '"frameId":"', '"executionContextId":1'],
    around: [
      ['{"method":"Page.frameNavigated","params":{"frame":{"id":"', `"}}${tail.slice(1)}`],
      ['{"method":"Runtime.bindingCalled","params":{"name":"', `"},"sessionId":"${sessionId}"}`],
      ['{"method":"Console.messageAdded","params":{"message":{"text":"', `"}},"sessionId":"${sessionId}"}`],
    ],
    read: (text) => {
      const bytes = bytesOf(text);
      return newStealthSession().fromBrowser(bytes, 0, bytes.length);
    },
  },
  {
    name: 'stealth sessions',
    maxSize: 2 ** 14,
    tokens: ['a'],
    read: (text) => {
      const sessions = new StealthSessions(noLimit, noWire);
      const message = bytesOf(`{"id":1,"method":"Runtime.enable","params":{}}`);
      for (let i = 0; i < text.length / 64; i++) {
        const id = i.toString(16).padStart(32, '0').toUpperCase();
        sessions.fromClient(noClient, id, message, 0, message.length);
      }
    },
  },
  {
    name: 'parts of stealth events',
    tokens: [
      '1.',
      ',"executionContextId":1},"sessionId":"',
      '{"method":"Runtime.bindingCalled","params":{"name":"',
    ],
    read: (text) => [calledBinding(bytesOf(text)), calledContext(bytesOf(text)), contextOfObject(text)],
  },
  {
    name: 'exception of a stealth session',
    tokens: ['at a (b:1:1)\\n', '    at ', ':1', '(', ')'],
    around: [
      ['{"message":"a","stack":"', '"}'],
      ['', ''],
    ],
    read: (text) => exceptionThrown(text, 1),
  },
  {
    name: 'pings of a WebSocket',
    tokens: ['\x89\x80\0\0\0\0', '\x8a\x83\0\0\0\0aaa', '\x81\x80\0\0\0\0', '\x89', '\xff'],
    read: (text) => isOnlyPings(bytesOf(text)),
  },
  {
    name: 'view-only filter',
    maxSize: 2 ** 14,
    tokens: ['\x02\0\0\x01\0\0\0\0', '\x05\0\0\0\0\0', '\x06\0\0\0\0\0\0\x01a', '\x03\0\0\0\0\0\0\x01\0\x01'],
    around: [
      ['RFB 003.008\n\x01\x01', ''],
      ['', ''],
    ],
    read: (text) => {
      const filter = new ViewOnlyFilter();
      const sent = bytesOf(text);
      for (let at = 0; at < sent.length; at += pieceBytes) filter.pass(sent.subarray(at, at + pieceBytes));
    },
  },
];

const allRights = { owns: () => true, mayNotAttach: () => undefined, mayLoadExtensions: true };
const noLimit = { take: () => true, add: () => {} };
const noWire = { toBrowser: () => {}, toClient: () => {} };
const noClient = {
  clientId: 1,
  rootCdpSessionId: '',
  deliver: () => {},
  showHost: () => {},
  refuseForRoom: () => {},
};
const newStealthSession = () =>
  new StealthSession(sessionId, new DetectableStrings(), noWire, new Room(noLimit));
