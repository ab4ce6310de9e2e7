import { describe, expect, test } from 'vitest';
import { ContextTracker, contextOfObject } from './context-tracker.ts';
import { Room } from './room.ts';

const endless = { take: () => true, add: () => {} };

const site = 'http://site.test';

function trackedPage(): ContextTracker {
  const tracker = new ContextTracker(new Room(endless));
  tracker.start({
    frame: { id: 'top', securityOrigin: site },
    childFrames: [{ frame: { id: 'child', parentId: 'top', securityOrigin: '://' } }],
  });
  return tracker;
}

function find(tracker: ContextTracker, frameId: string, world: string, id: number) {
  const of = tracker.documentOf(frameId);
  return of && tracker.found(of, world, id);
}

describe('contexts of a page', () => {
  test('a context is described once, as Chromium describes it', () => {
    const tracker = trackedPage();
    expect(find(tracker, 'top', '', 1)).toEqual({
      id: 1,
      origin: site,
      name: '',
      uniqueId: '1.0',
      auxData: { isDefault: true, type: 'default', frameId: 'top' },
    });
    expect(find(tracker, 'top', '', 1)).toBeUndefined();
    expect(find(tracker, 'top', 'mine', 2)).toMatchObject({ name: 'mine', auxData: { type: 'isolated' } });
  });

  test('a blank frame has the origin of its parent', () => {
    expect(find(trackedPage(), 'child', '', 3)).toMatchObject({ origin: site });
  });

  test("a frame's navigation ends its contexts and those of its own frames", () => {
    const tracker = trackedPage();
    tracker.attached('grandchild', 'child');
    find(tracker, 'top', '', 1);
    find(tracker, 'child', '', 2);
    find(tracker, 'child', 'mine', 3);
    find(tracker, 'grandchild', '', 4);
    expect(tracker.navigated({ id: 'child', parentId: 'top' })).toEqual([2, 3, 4]);
    expect(tracker.frameIds).toEqual(['top', 'child']);
  });

  test("the main frame's navigation ends all contexts", () => {
    const tracker = trackedPage();
    find(tracker, 'child', '', 2);
    expect(tracker.navigated({ id: 'top', securityOrigin: site })).toBe('all');
    expect(tracker.frameIds).toEqual(['top']);
  });

  test('the main frame of a cross-site frame has a parent elsewhere', () => {
    const tracker = new ContextTracker(new Room(endless));
    tracker.start({ frame: { id: 'frame', parentId: 'elsewhere', securityOrigin: site } });
    expect(tracker.navigated({ id: 'frame', parentId: 'elsewhere' })).toBe('all');
    expect(tracker.rootFrameId).toBe('frame');
  });

  test('what was found of a document that is gone is ignored', () => {
    const tracker = trackedPage();
    const of = tracker.documentOf('child');
    tracker.navigated({ id: 'child', parentId: 'top' });
    expect(of && tracker.isCurrent(of)).toBe(false);
    expect(of && tracker.found(of, '', 2)).toBeUndefined();
  });

  test('a detached frame is forgotten with its contexts', () => {
    const tracker = trackedPage();
    find(tracker, 'child', '', 2);
    expect(tracker.detached('child')).toEqual([2]);
    expect(tracker.detached('child')).toEqual([]);
    expect(tracker.documentOf('child')).toBeUndefined();
  });

  test('a page of too many frames is followed in part', () => {
    const tracker = trackedPage();
    for (let i = 0; i < 20_000; i++) tracker.attached(`frame ${i}`, 'top');
    expect(tracker.frameIds.length).toBe(10_000);
    expect(tracker.navigated({ id: 'top' })).toBe('all');
  });
});

test.each([
  ['6340485421200889659.12.1', 12],
  ['-2969835484168784085.1.7', 1],
  ['{"injectedScriptId":1,"id":1}', undefined],
  [undefined, undefined],
])('the context of object %s is %s', (objectId, contextId) => {
  expect(contextOfObject(objectId)).toBe(contextId);
});
