import type { Profile } from './profile.ts';

interface Claims {
  platform: string;
  deviceMemory: number;
  gpu: { vendor: string; renderer: string };
  /** In a cross-site frame, which learns the size of its window late, and that of an emulated one never. */
  frame?: { outer: { width: number; height: number } | undefined };
}

/**
 * Runs in pages and workers before their own scripts, for properties that Chromium cannot emulate. It is sent as text,
 * so it may use nothing from outside itself. Getters and methods are proxies of the native ones: they throw and look as
 * before, and `toString` prints the native ones.
 */
function claim(claims: Claims): void {
  type Native = (...args: unknown[]) => unknown;
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { get: lookUp, set: keep } = WeakMap.prototype;
  const natives = new WeakMap<object, Native>();
  const standIn = (native: Native, answer: (actual: unknown, args: unknown[]) => unknown): Native => {
    const proxy = new Proxy(native, {
      apply: (target, self, args) => answer(apply(target, self, args), args),
    });
    apply(keep, natives, [proxy, native]);
    return proxy;
  };
  const navigator = Reflect.get(globalThis, 'navigator') as object;
  for (const [name, value] of [
    ['platform', claims.platform],
    ['deviceMemory', claims.deviceMemory],
  ] as const) {
    const prototype = getPrototypeOf(navigator) as object;
    const property = getOwnPropertyDescriptor(prototype, name);
    if (!property?.get || Reflect.get(navigator, name) === value) continue;
    defineProperty(prototype, name, { ...property, get: standIn(property.get, () => value) });
  }
  const screen = Reflect.get(globalThis, 'screen') as object;
  for (const [name, value, available] of [
    ['outerWidth', claims.frame?.outer?.width, 'availWidth'],
    ['outerHeight', claims.frame?.outer?.height, 'availHeight'],
  ] as const) {
    const property = getOwnPropertyDescriptor(globalThis, name);
    if (!claims.frame || !property?.get) continue;
    const get = standIn(property.get, (actual) => value ?? (actual || Reflect.get(screen, available)));
    defineProperty(globalThis, name, { ...property, get });
  }
  const UNMASKED_VENDOR_WEBGL = 0x9245;
  const UNMASKED_RENDERER_WEBGL = 0x9246;
  for (const name of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    const prototype = (Reflect.get(globalThis, name) as { prototype: object } | undefined)?.prototype;
    const method = prototype && getOwnPropertyDescriptor(prototype, 'getParameter');
    if (!method) continue;
    const getParameter = standIn(method.value, (actual, [parameter]) => {
      if (typeof actual !== 'string') return actual; // Null, where the extension is not enabled.
      if (parameter === UNMASKED_VENDOR_WEBGL) return claims.gpu.vendor;
      return parameter === UNMASKED_RENDERER_WEBGL ? claims.gpu.renderer : actual;
    });
    defineProperty(prototype, 'getParameter', { ...method, value: getParameter });
  }
  const printing = getOwnPropertyDescriptor(Function.prototype, 'toString') as { value: Native };
  const print = new Proxy(printing.value, {
    apply: (target, self, args) => apply(target, apply(lookUp, natives, [self]) ?? self, args),
  });
  apply(keep, natives, [print, printing.value]);
  defineProperty(Function.prototype, 'toString', { ...printing, value: print });
}

export function pageScript({ device }: Profile, frame?: Claims['frame']): string {
  const { platform, memory, gpu } = device;
  const claims: Claims = { platform, deviceMemory: memory, gpu, ...(frame && { frame }) };
  return `(${claim})(${JSON.stringify(claims)})`;
}
