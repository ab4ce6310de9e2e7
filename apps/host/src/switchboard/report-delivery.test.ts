import { describe, expect, it } from 'vitest';
import { BrowserWork } from '../chromium/browser-work.ts';
import { ReportDelivery } from './report-delivery.ts';
import type { Report } from './reports.ts';

type Message = Extract<Report, { type: 'message' }>;

const message = (pipeId: number, text: string): Message => ({ type: 'message', pipeId, text });

function createDelivery() {
  const delivery = new ReportDelivery(
    () => {},
    (error) => expect.unreachable(error),
  );
  const addPipe = (onText: (text: string) => void) => {
    const work = new BrowserWork();
    const pipeId = delivery.addPipe({ work, report: (report) => onText((report as Message).text) });
    return { pipeId, work };
  };
  return { delivery, addPipe };
}

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('ReportDelivery', () => {
  it('delivers a session’s reports in order, and those of another and other events between them', async () => {
    const { delivery, addPipe } = createDelivery();
    const delivered: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const flooded = addPipe((text) => {
      delivered.push(text);
      spin(0.5);
      if (text === '39') resolve();
    });
    const beside = addPipe((text) => delivered.push(text));
    setTimeout(() => delivered.push('event'), 0);
    const texts = Array.from({ length: 40 }, (_, i) => String(i));
    delivery.deliver([
      ...texts.map((text) => message(flooded.pipeId, text)),
      message(beside.pipeId, 'beside'),
    ]);
    await promise;
    expect(delivered.filter((text) => texts.includes(text))).toEqual(texts);
    expect(delivered.indexOf('beside')).toBeLessThan(10);
    expect(delivered).toContain('event');
  });

  it('counts the time to the session whose reports took it', () => {
    const { delivery, addPipe } = createDelivery();
    const [idle, busy] = [addPipe(() => {}), addPipe(() => spin(3))];
    delivery.deliver([message(idle.pipeId, ''), message(busy.pipeId, '')]);
    expect(busy.work.busyMs).toBeGreaterThanOrEqual(3);
    expect(idle.work.busyMs).toBeLessThan(3);
  });
});
