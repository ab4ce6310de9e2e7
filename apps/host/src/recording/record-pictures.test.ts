import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Controller } from '../chromium/controller.ts';
import type { NewEvent, NewPicture } from './event-log.ts';
import { PictureRecorder } from './record-pictures.ts';

const [firstSession, secondSession] = ['A'.repeat(32), 'B'.repeat(32)];
const pictures: NewPicture[] = [];
const shown: number[] = [];
let commands: string[] = [];
let controller: Controller;
let recorder: PictureRecorder;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  pictures.length = 0;
  shown.length = 0;
  commands = [];
  controller = new Controller({
    send: (text) => void commands.push((JSON.parse(text) as { method: string }).method),
  });
  const log = {
    addPicture: (picture: NewPicture) => pictures.push(picture) > 0,
    add: (event: NewEvent) => void shown.push(event.tab ?? 0),
  };
  recorder = new PictureRecorder({ controller, events: controller, log, perSecond: 2 });
  for (const [tab, cdpSessionId] of [firstSession, secondSession].entries()) {
    controller.sessions.add(cdpSessionId);
    recorder.attached({ cdpSessionId, tab: tab + 1 });
  }
  for (const cdpSessionId of [firstSession, secondSession]) recorder.hasPage(cdpSessionId);
  say('Page.screencastVisibilityChanged', { visible: true }, firstSession);
  commands = [];
});

function say(method: string, params: object, sessionId: string): void {
  controller.receive(JSON.stringify({ method, params, sessionId }));
}

/** The start of a JPEG file of 40 × 30 pixels, with something that tells it from others. */
function frame(content: number, cdpSessionId = firstSession): void {
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 30, 0, 40, 3, content]);
  say('Page.screencastFrame', { data: jpeg.toString('base64'), sessionId: 1, metadata: {} }, cdpSessionId);
}

test('a page that always moves has as many pictures as were asked for, and makes no more', () => {
  let content = 0;
  frame(content++);
  for (let ms = 0; ms < 5000; ms += 20) {
    const before = commands.length;
    vi.advanceTimersByTime(20);
    const acknowledged = commands.slice(before).filter((method) => method.endsWith('Ack')).length;
    for (let i = 0; i < acknowledged; i++) frame(content++);
  }
  expect(pictures.length).toBeGreaterThanOrEqual(9);
  expect(pictures.length).toBeLessThanOrEqual(11);
  expect(pictures[0]).toMatchObject({ tab: 1, width: 40, height: 30 });
  expect(content).toBeLessThanOrEqual(12);
  expect(commands).not.toContain('Page.startScreencast');
});

test('the last change is recorded even if Chromium forgets it, and then nothing is asked for', () => {
  frame(1);
  frame(2); // Too early.
  vi.advanceTimersByTime(500);
  expect(commands).toEqual(['Page.screencastFrameAck']);
  vi.advanceTimersByTime(300);
  expect(commands.slice(1)).toEqual(['Page.stopScreencast', 'Page.startScreencast']);
  frame(2);
  vi.advanceTimersByTime(800);
  frame(2);
  expect(pictures).toHaveLength(2);
  commands = [];
  vi.advanceTimersByTime(60_000);
  expect(commands).toEqual([]);
});

test('only the tab that was shown last has pictures, and after it the one before', () => {
  frame(1);
  say('Page.screencastVisibilityChanged', { visible: true }, secondSession);
  vi.advanceTimersByTime(600);
  frame(2);
  frame(3, secondSession);
  recorder.detached(secondSession);
  vi.advanceTimersByTime(600);
  frame(4);
  expect(shown).toEqual([1, 2, 1]);
  expect(pictures.map(({ tab }) => tab)).toEqual([1, 2, 1]);
});

test('a recorder that has stopped asks for nothing', () => {
  frame(1);
  recorder.stop();
  commands = [];
  frame(2);
  vi.advanceTimersByTime(60_000);
  expect(commands).toEqual([]);
  expect(pictures).toHaveLength(1);
});

test('what happens has a picture before its turn, at most two a second, and a blank tab has none', () => {
  frame(1);
  expect(pictures).toHaveLength(1);
  for (let ms = 0; ms < 1000; ms += 50) {
    recorder.want(1);
    recorder.want(2);
    const before = commands.length;
    vi.advanceTimersByTime(50);
    if (commands.slice(before).includes('Page.startScreencast')) frame(10 + ms);
  }
  expect(pictures.length).toBeGreaterThanOrEqual(2);
  expect(pictures.length).toBeLessThanOrEqual(3);
  recorder.attached({ cdpSessionId: 'C'.repeat(32), tab: 3 });
  controller.sessions.add('C'.repeat(32));
  say('Page.screencastVisibilityChanged', { visible: true }, 'C'.repeat(32));
  vi.advanceTimersByTime(2000);
  const before = pictures.length;
  frame(99, 'C'.repeat(32));
  expect(pictures).toHaveLength(before);
  recorder.hasPage('C'.repeat(32));
  vi.advanceTimersByTime(2000);
  frame(99, 'C'.repeat(32));
  expect(pictures).toHaveLength(before + 1);
});
