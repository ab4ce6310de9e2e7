// biome-ignore-all lint/complexity/noArguments: a stand-in passes on how many arguments it got.

import type { Profile } from '../profile.ts';
import { asNative, makeTools, type Tools } from './page-script-tools.ts';
import { claimPrecision, claimWebGl, type WebGlClaims } from './page-script-webgl.ts';
import { webGlLimits } from './webgl-limits.ts';

/*
 * The parts of the page script run in pages and workers before their own scripts. They are sent as text, so they may use
 * nothing from outside themselves, and what they need of the page's objects they take at the start.
 *
 * A stand-in for a native function is a method whose name begins with `native `: see `asNative`. A method has the
 * properties of a native function and, like it, cannot be constructed.
 */

/** Chromium has no override for this. */
function claimMemory({ call, find, replace }: Tools, memory: number): void {
  const prototype = Reflect.getPrototypeOf(Reflect.get(globalThis, 'navigator') as object) as object;
  const native = find(prototype, 'deviceMemory');
  if (!native) return;
  const standIns = {
    'native get deviceMemory'(this: unknown) {
      call(native, this, arguments, standIns['native get deviceMemory']);
      return memory;
    },
  };
  replace(prototype, 'deviceMemory', standIns['native get deviceMemory']);
}

/**
 * Chromium's override reaches no worker, and was seen missing in pages that a client had navigated. What is there instead
 * of the machine's own is an override, the profile's or a client's.
 */
function claimPlatform(
  { call, find, replace }: Tools,
  { platform, own }: { platform: string; own: string },
): void {
  const prototype = Reflect.getPrototypeOf(Reflect.get(globalThis, 'navigator') as object) as object;
  const native = find(prototype, 'platform');
  if (!native) return;
  const standIns = {
    'native get platform'(this: unknown) {
      const actual = call(native, this, arguments, standIns['native get platform']);
      return actual === own ? platform : actual;
    },
  };
  replace(prototype, 'platform', standIns['native get platform']);
}

/** The machine's connection is a cable, which no phone has. */
function claimConnection({ call, find, replace }: Tools): void {
  const owner = Reflect.get(globalThis, 'NetworkInformation') as { prototype: object } | undefined;
  const native = owner && find(owner.prototype, 'type');
  if (!native) return;
  const standIns = {
    'native get type'(this: unknown) {
      const actual = call(native, this, arguments, standIns['native get type']);
      return actual === 'ethernet' ? 'wifi' : actual;
    },
  };
  replace(owner.prototype, 'type', standIns['native get type']);
}

/**
 * Chrome shares on these systems. This machine has nothing to share with, and Chromium would end the page that tries.
 * So it answers like a user who closes the list of apps, where Chromium would not have refused by itself.
 */
function claimShare({ call, find, replace }: Tools): void {
  const { DOMException: Exception, Promise: NewPromise, setTimeout: wait } = globalThis;
  const prototype = Reflect.getPrototypeOf(Reflect.get(globalThis, 'navigator') as object) as object;
  const activation = Reflect.get(globalThis, 'UserActivation') as { prototype: object } | undefined;
  const native = find(prototype, 'share');
  const canShare = find(prototype, 'canShare');
  const userActivation = find(prototype, 'userActivation');
  const isActive = activation && find(activation.prototype, 'isActive');
  if (!native || !canShare || !userActivation || !isActive) return;
  const { apply } = Reflect;
  const { captureStackTrace } = Error;
  const wouldOpen = (self: unknown, args: ArrayLike<unknown>) => {
    try {
      return apply(isActive, apply(userActivation, self, []), []) && apply(canShare, self, args);
    } catch {
      return false;
    }
  };
  const standIns = {
    'native share'(this: unknown) {
      if (!wouldOpen(this, arguments)) return call(native, this, arguments, standIns['native share']);
      return new NewPromise((_resolve, reject) => {
        const close = () => {
          const error = new Exception('Share canceled', 'AbortError');
          captureStackTrace(error, close);
          reject(error);
        };
        wait(close, 1500);
      });
    },
  };
  replace(prototype, 'share', standIns['native share']);
}

/** A cross-site frame learns the size of its window late, and that of an emulated one (`outer`) never. */
function claimWindow({ call, find, replace }: Tools, outer: Size | undefined): void {
  const width = find(globalThis, 'outerWidth');
  const height = find(globalThis, 'outerHeight');
  const screen = Reflect.get(globalThis, 'screen') as object;
  const screenPrototype = Reflect.getPrototypeOf(screen) as object;
  const availWidth = find(screenPrototype, 'availWidth');
  const availHeight = find(screenPrototype, 'availHeight');
  if (!width || !height || !availWidth || !availHeight) return;
  const { apply } = Reflect;
  const standIns = {
    'native get outerWidth'(this: unknown) {
      const actual = call(width, this, arguments, standIns['native get outerWidth']);
      return outer?.width ?? (actual || apply(availWidth, screen, []));
    },
    'native get outerHeight'(this: unknown) {
      const actual = call(height, this, arguments, standIns['native get outerHeight']);
      return outer?.height ?? (actual || apply(availHeight, screen, []));
    },
  };
  replace(globalThis, 'outerWidth', standIns['native get outerWidth']);
  replace(globalThis, 'outerHeight', standIns['native get outerHeight']);
}

interface Size {
  width: number;
  height: number;
}

/** The system on which Chromium runs. */
const ownPlatform = 'Linux x86_64';

/** The host's script for a kind of target: a page, a frame of another site with the size of its window, a worker. */
export function pageScript(
  profile: Profile,
  target: 'page' | 'worker' | { outer: Size | undefined },
): string {
  const { memory, platform, gpu } = profile.device;
  const { isFullPrecision, ...limits } = webGlLimits(gpu);
  const claims: WebGlClaims = { ...gpu, ...limits };
  const parts = [call(claimWebGl, claims)];
  if (isFullPrecision) parts.push(call(claimPrecision));
  if (memory !== profile.machineMemory) parts.push(call(claimMemory, memory));
  if (platform !== ownPlatform) parts.push(call(claimPlatform, { platform, own: ownPlatform }));
  if (profile.os === 'android') parts.push(call(claimConnection));
  if (target !== 'worker' && profile.os !== 'linux') parts.push(call(claimShare));
  if (typeof target === 'object') parts.push(call(claimWindow, target.outer));
  return `(() => { 'use strict'; const tools = (${makeTools})();\n${parts.join('\n')} })()`;
}

function call<Value>(part: (tools: Tools, value: Value) => void, value?: Value): string {
  return `(${asNative(String(part))})(tools, ${JSON.stringify(value)});`;
}
