/** What a page or worker can find out about its device. Undefined if it cannot be asked there. */
export interface Signals {
  userAgent: string;
  appVersion: string;
  platform: string;
  language: string;
  languages: string[];
  locale: string;
  number: string;
  timeZone: string;
  offset: number;
  processors: number;
  memory: number | undefined;
  webdriver: boolean | undefined;
  hints: Hints | undefined;
  gpu: { vendor: string; renderer: string } | undefined;
  natives: string[];
  leftovers: string[] | undefined;
  window: WindowSignals | undefined;
}

interface Brand {
  brand: string;
  version: string;
}

export interface Hints {
  brands: Brand[];
  mobile: boolean;
  platform: string;
  platformVersion: string;
  architecture: string;
  bitness: string;
  model: string;
  uaFullVersion: string;
  fullVersionList: Brand[];
  formFactors: string[];
  wow64: boolean;
}

export interface WindowSignals {
  screen: { width: number; height: number; availWidth: number; availHeight: number };
  inner: { width: number; height: number };
  outer: { width: number; height: number };
  pixelRatio: number;
  touchPoints: number;
  coarse: boolean;
  hover: boolean;
  touchEvents: boolean;
  mediaMatches: boolean;
}

/** An expression of type Promise<Signals>. All is read at once but hints, which are promises, and sizes, which come with a layout. */
export const signalsExpression = `(async () => {
  const { navigator: n } = globalThis;
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const page = typeof document !== 'undefined';
  const data = n.userAgentData;
  const signals = {
    userAgent: n.userAgent, appVersion: n.appVersion, platform: n.platform,
    language: n.language, languages: [...n.languages],
    locale, number: (1234567.5).toLocaleString(), timeZone, offset: new Date(2026, 6, 1).getTimezoneOffset(),
    processors: n.hardwareConcurrency, memory: n.deviceMemory, webdriver: n.webdriver,
  };
  const canvas = page ? document.createElement('canvas') : new OffscreenCanvas(1, 1);
  const gl = canvas.getContext('webgl');
  const info = gl && gl.getExtension('WEBGL_debug_renderer_info');
  signals.gpu = info && {
    vendor: gl.getParameter(info.UNMASKED_VENDOR_WEBGL),
    renderer: gl.getParameter(info.UNMASKED_RENDERER_WEBGL),
  };
  const proto = Object.getPrototypeOf(n);
  const getter = (name) => Object.getOwnPropertyDescriptor(proto, name)?.get;
  signals.natives = [
    gl && gl.getParameter, getter('platform'), getter('deviceMemory'), Function.prototype.toString,
  ].filter(Boolean).map((f) => f + '');
  if (page) {
    const ordinary = document.documentElement.appendChild(document.createElement('iframe'));
    const names = new Set(Object.getOwnPropertyNames(ordinary.contentWindow));
    ordinary.remove();
    signals.leftovers = Object.getOwnPropertyNames(globalThis).filter(
      (name) => !names.has(name) && !['gathered', 'take', 'openPopup'].includes(name) && !/^\\d+$/.test(name));
    if (document.readyState !== 'complete') await new Promise((loaded) => addEventListener('load', loaded));
    signals.window = {
      screen: { width: screen.width, height: screen.height, availWidth: screen.availWidth, availHeight: screen.availHeight },
      inner: { width: innerWidth, height: innerHeight }, outer: { width: outerWidth, height: outerHeight },
      pixelRatio: devicePixelRatio, touchPoints: n.maxTouchPoints,
      coarse: matchMedia('(pointer: coarse)').matches, hover: matchMedia('(hover: hover)').matches,
      touchEvents: 'ontouchstart' in globalThis,
      mediaMatches: matchMedia('(device-width: ' + screen.width + 'px) and (device-height: ' + screen.height + 'px)').matches,
    };
  }
  if (data) {
    signals.hints = { brands: data.brands, mobile: data.mobile, platform: data.platform,
      ...await data.getHighEntropyValues(['platformVersion', 'architecture', 'bitness', 'model', 'uaFullVersion',
        'fullVersionList', 'formFactors', 'wow64']) };
  }
  return signals;
})()`;
