// biome-ignore-all lint/complexity/noArguments: a stand-in passes on how many arguments it got.

import type { Tools } from './page-script-tools.ts';
import type { WebGlLimits } from './webgl-limits.ts';

export interface WebGlClaims extends Omit<WebGlLimits, 'isFullPrecision'> {
  vendor: string;
  renderer: string;
}

/** Answers in the name of a GPU. A part of the page script: sent as text, uses nothing from outside itself. */
export function claimWebGl({ call, find, replace }: Tools, claims: WebGlClaims): void {
  const UNMASKED_VENDOR_WEBGL = 0x9245;
  const UNMASKED_RENDERER_WEBGL = 0x9246;
  const { apply } = Reflect;
  const { isView } = ArrayBuffer;
  const { min } = Math;
  const { toLowerCase } = String.prototype;
  // Without prototypes, which pages can change.
  const limits = { __proto__: null, ...claims.parameters } as Record<number, number>;
  const hidden = { __proto__: null } as unknown as Record<string, boolean>;
  for (const name of claims.hiddenExtensions) hidden[name.toLowerCase()] = true;
  const isHidden = (name: string) => hidden[apply(toLowerCase, name, [])] === true;
  const isObject = (value: unknown) => typeof value === 'object' || typeof value === 'function';

  const answer = (parameter: number, actual: unknown) => {
    if (typeof actual === 'string') {
      if (parameter === UNMASKED_VENDOR_WEBGL) return claims.vendor;
      return parameter === UNMASKED_RENDERER_WEBGL ? claims.renderer : actual;
    }
    const limit = limits[parameter];
    if (limit === undefined) return actual;
    if (typeof actual === 'number') return min(actual, limit);
    const range = actual as number[];
    if (isView(actual)) range[1] = min(range[1] as number, limit);
    return actual;
  };

  for (const owner of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    const prototype = (Reflect.get(globalThis, owner) as { prototype: object } | undefined)?.prototype;
    const getParameter = prototype && find(prototype, 'getParameter');
    const getExtension = prototype && find(prototype, 'getExtension');
    const getSupportedExtensions = prototype && find(prototype, 'getSupportedExtensions');
    if (!getParameter || !getExtension || !getSupportedExtensions) continue;
    const standIns = {
      'native getParameter'(this: unknown, parameter: unknown) {
        // Converts objects, which can be done only once: it may run the page's code.
        const args = isObject(parameter) ? [+(parameter as never)] : arguments;
        const actual = call(getParameter, this, args, standIns['native getParameter']);
        return actual === null ? null : answer((args[0] as number) >>> 0, actual);
      },
      'native getExtension'(this: unknown, name: unknown) {
        const args = isObject(name) ? [`${name}`] : arguments;
        const isNone = typeof args[0] === 'string' && isHidden(args[0]);
        return call(getExtension, this, isNone ? [''] : args, standIns['native getExtension']);
      },
      'native getSupportedExtensions'(this: unknown) {
        const own = standIns['native getSupportedExtensions'];
        const names = call(getSupportedExtensions, this, arguments, own) as string[] | null;
        let kept = 0;
        for (let i = 0; names && i < names.length; i++) {
          const name = names[i] as string;
          if (!isHidden(name)) names[kept++] = name;
        }
        if (names) names.length = kept;
        return names;
      },
    };
    replace(prototype, 'getParameter', standIns['native getParameter']);
    replace(prototype, 'getExtension', standIns['native getExtension']);
    replace(prototype, 'getSupportedExtensions', standIns['native getSupportedExtensions']);
  }
}

/** Answers that shaders have full precision whatever they ask for. Another part of the page script. */
export function claimPrecision({ call, find, replace }: Tools): void {
  const [LOW_FLOAT, MEDIUM_FLOAT, HIGH_FLOAT] = [0x8df0, 0x8df1, 0x8df2];
  const [LOW_INT, MEDIUM_INT, HIGH_INT] = [0x8df3, 0x8df4, 0x8df5];
  const isObject = (value: unknown) => typeof value === 'object' || typeof value === 'function';
  const asNumber = (value: unknown) => (isObject(value) ? +(value as never) : value);
  for (const owner of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    const prototype = (Reflect.get(globalThis, owner) as { prototype: object } | undefined)?.prototype;
    const native = prototype && find(prototype, 'getShaderPrecisionFormat');
    if (!native) continue;
    const standIns = {
      'native getShaderPrecisionFormat'(this: unknown, shader: unknown, precision: unknown) {
        const own = standIns['native getShaderPrecisionFormat'];
        if (arguments.length < 2) return call(native, this, arguments, own);
        const args = [asNumber(shader), asNumber(precision)];
        if (args[1] === LOW_FLOAT || args[1] === MEDIUM_FLOAT) args[1] = HIGH_FLOAT;
        if (args[1] === LOW_INT || args[1] === MEDIUM_INT) args[1] = HIGH_INT;
        return call(native, this, args, own);
      },
    };
    replace(prototype, 'getShaderPrecisionFormat', standIns['native getShaderPrecisionFormat']);
  }
}
