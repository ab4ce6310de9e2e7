/**
 * An expression of type string[]: what in this page or worker is not as Chromium made it, in words. It looks at
 * functions as detectors of overrides do, by what the language lets a page ask of any function.
 */
export const tracesExpression = `(() => {
  const found = [];
  const root = globalThis;
  const isPage = typeof document !== 'undefined';
  const text = root.Function.prototype.toString;
  const thrown = (run) => {
    try { run(); } catch (error) { return error; }
    return undefined;
  };
  const isTypeError = (error) => error instanceof root.TypeError && Object.getPrototypeOf(error) === root.TypeError.prototype;
  const printers = [text];
  if (isPage) {
    const frame = (document.body ?? document.documentElement).appendChild(document.createElement('iframe'));
    // In a sandboxed page it is of another origin.
    try { printers.push(frame.contentWindow.Function.prototype.toString); } catch {}
    frame.remove();
  }

  const checkAsFunction = (name, fn) => {
    const fail = (what) => found.push(name + ': ' + what);
    const printed = 'function ' + fn.name + '() { [native code] }';
    for (const print of printers) if (print.call(fn) !== printed) fail('prints ' + print.call(fn).slice(0, 80));
    if (Reflect.ownKeys(fn).join() !== 'length,name') fail('has ' + Reflect.ownKeys(fn).map(String).join());
    for (const key of ['name', 'length']) {
      const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(fn, key);
      if (writable || enumerable || !configurable) fail('its ' + key + ' can be changed otherwise');
    }
    if ('prototype' in fn) fail('has a prototype');
    if (Object.getPrototypeOf(fn) !== root.Function.prototype) fail('is no function of this window');
    for (const key of ['caller', 'arguments']) {
      if (!isTypeError(thrown(() => fn[key]))) fail('answers ' + key);
    }
    const constructed = thrown(() => Reflect.construct(fn, []));
    if (constructed?.message !== printed + ' is not a constructor') fail('constructed: ' + constructed?.message.slice(0, 80));
    if (!isTypeError(thrown(() => new fn()))) fail('can be constructed');
    const extended = thrown(() => { class Other extends fn {} });
    if (!extended?.message.includes(printed)) fail('extended: ' + extended?.message.slice(0, 80));
    const cycle = thrown(() => Object.setPrototypeOf(fn, Object.create(fn)));
    if (cycle?.message !== 'Cyclic __proto__ value') fail('lets itself be its own prototype');
    Object.setPrototypeOf(fn, root.Function.prototype);
    const bare = thrown(() => Object.setPrototypeOf(fn, null).toString());
    Object.setPrototypeOf(fn, root.Function.prototype);
    if (!isTypeError(bare)) fail('without a prototype it has toString');
    const heir = thrown(() => Object.create(fn).toString());
    if (!/^    at Function\\.toString \\(<anonymous>\\)$/.test(heir?.stack.split('\\n')[1])) fail('an heir prints: ' + heir?.stack.slice(0, 200));
    if (!/^    at Object\\.toString \\(<anonymous>\\)$/.test(thrown(() => Object.create(new Proxy(fn, {})).toString())?.stack.split('\\n')[1])) fail('an heir of its proxy prints otherwise');
    const instance = thrown(() => fn instanceof fn);
    if (!isTypeError(instance)) fail('has instances');
  };

  /** Stacks of errors that native functions throw: only this function's callers may be in them. */
  const depths = new Map();
  const checkErrors = (name, fn, owner) => {
    for (const self of [{}, Object.create(owner), undefined]) {
      let result;
      const error = thrown(() => { result = Reflect.apply(fn, self, []); });
      if (result && typeof result.then === 'function') result.then(undefined, () => {});
      if (!error) continue;
      if (!isTypeError(error)) found.push(name + ': throws ' + error);
      const keys = Reflect.ownKeys(error).join();
      const depth = error.stack.split('\\n').length + ' ' + error.stack.split('\\n')[1].replace(/\\(.*/, '') + ' ' + keys;
      if (!depths.has(depth)) depths.set(depth, []);
      depths.get(depth).push(name);
    }
  };
  const countSites = (fn) => {
    const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
    Error.prepareStackTrace = (error, sites) => sites.map((site) => [site.getFunctionName(), site.getTypeName()]).join(';');
    const sites = thrown(() => Reflect.apply(fn, {}, []))?.stack;
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before);
    else delete Error.prepareStackTrace;
    return sites;
  };

  const checkOwner = (name, owner, only) => {
    if (!owner) return;
    for (const key of Object.getOwnPropertyNames(owner)) {
      if (key === 'constructor' || (only && !only.includes(key))) continue;
      const property = Object.getOwnPropertyDescriptor(owner, key);
      const label = name + '.' + key;
      for (const fn of [property.get, property.set, property.value]) {
        if (typeof fn !== 'function') continue;
        checkAsFunction(label, fn);
        if (name !== 'Function') checkErrors(label, fn, owner);
      }
      const flags = [property.writable, property.enumerable, property.configurable].join();
      if (property.get && flags !== ',true,true') found.push(label + ': is ' + flags);
      if (typeof property.value === 'function' && name !== 'Function' && flags !== 'true,true,true') found.push(label + ': is ' + flags);
    }
  };

  checkOwner('Function', root.Function.prototype, ['toString']);
  const navigatorPrototype = Object.getPrototypeOf(navigator);
  checkOwner('navigator', navigatorPrototype);
  const webgl = ['getParameter', 'getExtension', 'getSupportedExtensions', 'getShaderPrecisionFormat', 'readPixels', 'bufferData'];
  for (const name of ['WebGLRenderingContext', 'WebGL2RenderingContext']) checkOwner(name, root[name]?.prototype, webgl);
  for (const name of ['Screen', 'WebGLShaderPrecisionFormat', 'HTMLCanvasElement', 'OffscreenCanvas', 'Permissions', 'PluginArray', 'MimeTypeArray', 'NetworkInformation', 'BatteryManager', 'MediaDevices', 'GPU', 'GPUAdapter',
    'GPUAdapterInfo', 'NavigatorUAData', 'SpeechSynthesis', 'StorageManager', 'ScreenOrientation']) checkOwner(name, root[name]?.prototype);
  if (isPage) {
    for (const key of ['outerWidth', 'outerHeight', 'innerWidth', 'screenX', 'devicePixelRatio']) {
      const property = Object.getOwnPropertyDescriptor(root, key);
      checkAsFunction('window.' + key, property.get);
    }
    if (Object.getOwnPropertyNames(screen).length) found.push('screen has its own ' + Object.getOwnPropertyNames(screen));
  }
  if (Object.getOwnPropertyNames(navigator).length) found.push('navigator has its own ' + Object.getOwnPropertyNames(navigator));
  if (depths.size > 1) {
    const rare = [...depths].sort(([, a], [, b]) => b.length - a.length).slice(1);
    for (const [depth, names] of rare) found.push('errors like ' + depth + ': ' + names.slice(0, 5));
  }
  const getter = (name) => Object.getOwnPropertyDescriptor(navigatorPrototype, name)?.get;
  const usual = countSites(getter('onLine'));
  for (const name of ['platform', 'deviceMemory', 'webdriver', 'hardwareConcurrency']) {
    const fn = getter(name);
    if (fn && countSites(fn) !== usual) found.push(name + ': errors pass through ' + countSites(fn));
  }
  if (root.WebGLRenderingContext && countSites(WebGLRenderingContext.prototype.getParameter) !== usual) found.push('getParameter: errors pass through ' + countSites(WebGLRenderingContext.prototype.getParameter));
  if (Object.getOwnPropertyDescriptor(navigatorPrototype, 'webdriver') && navigator.webdriver !== false) found.push('webdriver is ' + navigator.webdriver);
  return found;
})()`;

const contexts = `
  const newContext = (kind) =>
    (typeof document === 'undefined' ? new OffscreenCanvas(8, 8) : document.createElement('canvas')).getContext(kind);
  const read = (gl, name) => {
    const value = gl.getParameter(gl[name]);
    return ArrayBuffer.isView(value) ? [...value] : value;
  };`;

/** An expression of type Promise<object>: all that WebGL and WebGPU say of the GPU. */
export const graphicsExpression = `(async () => {${contexts}
  const isLimit = /^(MAX_|ALIASED_|SUBPIXEL|RENDERER$|VENDOR$|VERSION$|SHADING|UNIFORM_BUFFER_OFF|M.._PROGRAM_TEX)/;
  const shaders = ['VERTEX_SHADER', 'FRAGMENT_SHADER'];
  const types = ['LOW_FLOAT', 'MEDIUM_FLOAT', 'HIGH_FLOAT', 'LOW_INT', 'MEDIUM_INT', 'HIGH_INT'];
  const look = (kind) => {
    const gl = newContext(kind);
    if (!gl) return null;
    const { UNMASKED_VENDOR_WEBGL, UNMASKED_RENDERER_WEBGL } = gl.getExtension('WEBGL_debug_renderer_info');
    const parameters = {};
    for (const name in gl) if (isLimit.test(name)) parameters[name] = read(gl, name);
    const precisions = {};
    for (const shader of shaders) for (const type of types) {
      const { rangeMin, rangeMax, precision } = gl.getShaderPrecisionFormat(gl[shader], gl[type]);
      precisions[shader + ' ' + type] = [rangeMin, rangeMax, precision].join();
    }
    const seen = {
      parameters, precisions, extensions: gl.getSupportedExtensions(),
      vendor: gl.getParameter(UNMASKED_VENDOR_WEBGL), renderer: gl.getParameter(UNMASKED_RENDERER_WEBGL),
      askedWithObject: gl.getParameter({ valueOf: () => UNMASKED_RENDERER_WEBGL }),
      askedWithText: gl.getParameter(String(UNMASKED_RENDERER_WEBGL)),
    };
    gl.getExtension('WEBGL_lose_context').loseContext();
    return seen;
  };
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  const webgpu = adapter ? [adapter.info.vendor, adapter.info.architecture] : null;
  return { webgl: look('webgl'), webgl2: look('webgl2'), webgpu };
})()`;

/** An expression of type string[]: what WebGL claims and cannot do, in words. */
export const brokenGraphicsExpression = `(() => {${contexts}
  const broken = [];
  for (const kind of ['webgl', 'webgl2']) {
    const gl = newContext(kind);
    const known = gl.getSupportedExtensions();
    for (const name of known) if (!gl.getExtension(name) || !gl.getExtension(name.toLowerCase())) broken.push(kind + ': ' + name);
    for (const name of ['WEBGL_compressed_texture_astc', 'WEBGL_compressed_texture_s3tc', 'EXT_clip_control', 'OVR_multiview2']) {
      const isThere = gl.getExtension({ toString: () => name.toUpperCase() }) !== null;
      if (isThere !== known.includes(name)) broken.push(kind + ': ' + name + ' is not listed');
    }
    while (gl.getError());
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, read(gl, 'MAX_TEXTURE_SIZE'), 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindRenderbuffer(gl.RENDERBUFFER, gl.createRenderbuffer());
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA4, read(gl, 'MAX_RENDERBUFFER_SIZE'), 1);
    if (kind === 'webgl2') gl.renderbufferStorageMultisample(gl.RENDERBUFFER, read(gl, 'MAX_SAMPLES'), gl.RGBA8, 8, 8);
    if (gl.getError()) broken.push(kind + ': the largest sizes');
    const [uniforms, varyings] = [read(gl, 'MAX_VERTEX_UNIFORM_VECTORS'), read(gl, 'MAX_VARYING_VECTORS')];
    const samplers = Array.from({ length: read(gl, 'MAX_TEXTURE_IMAGE_UNITS') }, (_, i) => 's' + i);
    const program = gl.createProgram();
    const add = (type, source) => {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, 'precision highp float; varying vec4 v[' + varyings + '];' + source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    };
    const each = 'for (int k = 0; k < ' + varyings + '; k++) ';
    add(gl.VERTEX_SHADER, 'uniform vec4 u[' + uniforms + ']; attribute float a; void main() { ' +
      each + 'v[k] = u[k] * a; gl_Position = u[' + (uniforms - 1) + ']; }');
    add(gl.FRAGMENT_SHADER, samplers.map((name) => 'uniform sampler2D ' + name + ';').join('') +
      'void main() { vec4 c = vec4(0); ' + each + 'c += v[k]; ' +
      samplers.map((name) => 'c += texture2D(' + name + ', c.xy);').join('') + ' gl_FragColor = c; }');
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) broken.push(kind + ': the largest shader ' + gl.getProgramInfoLog(program));
  }
  return broken;
})()`;
