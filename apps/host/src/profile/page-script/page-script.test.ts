import { createContext, runInContext } from 'node:vm';
import { operatingSystems } from '@turnpike/contract/create-parameters';
import { expect, it } from 'vitest';
import { deviceTable } from '../devices/device-table.ts';
import { gpuOf } from '../devices/make-device.ts';
import { type Profile, planDevice } from '../profile.ts';
import { pageScript } from './page-script.ts';
import { webGlLimits } from './webgl-limits.ts';

const params = { os: 'windows', headless: true, vnc: false, forceVisibility: false } as const;
const plan = planDevice(params, { chromiumVersion: '156.0.8078.79', memory: 8 });
const gpu = { vendor: 'Google Inc. (NVIDIA)', renderer: 'ANGLE (NVIDIA, A card Direct3D11 vs_5_0, D3D11)' };
const profile: Profile = {
  ...plan,
  ...{ languages: ['en-US', 'en'], locale: 'en-US', timeZone: 'America/New_York', country: 'US' },
  device: { ...plan.device, gpu, memory: 4, platform: 'Win32' },
};

/** A worker with the least that the script replaces. */
const worker = `
  class Context {
    getParameter(which) {
      if (!(this instanceof Context)) throw new TypeError('Illegal invocation');
      if (which === 0x9246) return 'SwiftShader';
      return which === 0x846d ? new Float32Array([1, 1023]) : 8192;
    }
    getExtension(name) { return name === '' ? null : name; }
    getSupportedExtensions() { return ['EXT_sRGB', 'WEBGL_compressed_texture_etc']; }
    getShaderPrecisionFormat(shader, precision) { return precision; }
  }
  globalThis.WebGLRenderingContext = Context;
  globalThis.navigator = new (class { get deviceMemory() { return 8; } get platform() { return 'Linux x86_64'; } })();
`;
const inWorker = (expression: string) => {
  const context = createContext({});
  runInContext(worker, context);
  runInContext(pageScript(profile, 'worker'), context);
  return runInContext(`const gl = new WebGLRenderingContext(); ${expression}`, context);
};

it('answers in the name of the GPU, and claims no more than the machine has', () => {
  expect(inWorker('gl.getParameter(0x9246)')).toBe(gpu.renderer);
  expect(inWorker('gl.getParameter({ valueOf: () => 0x9246 })')).toBe(gpu.renderer);
  expect(inWorker('gl.getParameter(0x8dfb)')).toBe(4095);
  expect(inWorker('gl.getParameter(0x0d33)')).toBe(8192);
  expect([...inWorker('gl.getParameter(0x846d)')]).toEqual([1, 1023]);
  expect([...inWorker('gl.getSupportedExtensions()')]).toEqual(['EXT_sRGB']);
  expect(inWorker("gl.getExtension('webgl_compressed_texture_ETC')")).toBeNull();
  expect(inWorker('gl.getShaderPrecisionFormat(1, 0x8df0)')).toBe(0x8df2);
  expect([inWorker('navigator.deviceMemory'), inWorker('navigator.platform')]).toEqual([4, 'Win32']);
});

it('what stands in for a native function prints, constructs and fails like one', () => {
  expect(inWorker('String(gl.getParameter)')).toBe('function getParameter() { [native code] }');
  const getter = "Object.getOwnPropertyDescriptor(Object.getPrototypeOf(navigator), 'platform').get";
  expect(inWorker(`String(${getter})`)).toBe('function get platform() { [native code] }');
  expect(inWorker('Reflect.ownKeys(gl.getParameter).join()')).toBe('length,name');
  expect(() => inWorker('Reflect.construct(gl.getParameter, [])')).toThrow(
    'function getParameter() { [native code] } is not a constructor',
  );
  const stack = inWorker(
    '(() => { try { gl.getParameter.call({}, 1) } catch ({ stack }) { return stack } })()',
  );
  expect(stack.split('\n')[0]).toBe('TypeError: Illegal invocation');
  expect(stack).not.toContain('getParameter');
});

it('every known GPU is of a kind', () => {
  const all = operatingSystems.flatMap((os) => deviceTable[os].devices);
  const uniformVectors = (part: string) => {
    const row = all.find(({ renderer }) => renderer.includes(part));
    if (!row) throw new Error(`no ${part}`);
    return webGlLimits(gpuOf(row.renderer)).parameters[0x8dfb];
  };
  expect(uniformVectors('GeForce RTX 4070 (')).toBe(4095);
  expect(uniformVectors('UHD Graphics 630 (')).toBe(4096);
  expect(uniformVectors('Apple M4')).toBe(1024);
  expect(uniformVectors('Mesa Intel')).toBe(1024);
  expect(uniformVectors('Adreno')).toBe(256);
  for (const { renderer } of deviceTable.android.devices)
    expect(webGlLimits(gpuOf(renderer)).isFullPrecision).toBe(false);
});
