/** What the first statement of a script finds out about its device, without waiting for anything. */
export interface FirstLook {
  userAgent: string;
  platform: string;
  processors: number;
  memory?: number;
  languages: string;
  timeZone: string;
  onLine: boolean;
  gpu: string;
  /** Those of `candidates` that the page has. */
  fonts: string[];
  /** In pages and frames: the screen, its free part, and the window. */
  screen?: number[];
  free?: number[];
  outer?: number[];
}

/** Families of every system, and the fonts by which they are drawn here. */
const candidates = [
  ...['Arial', 'Times New Roman', 'Courier New'],
  ...['Segoe UI', 'Segoe UI Light', 'Calibri', 'Cambria', 'Consolas', 'Microsoft YaHei'],
  ...['Helvetica Neue', 'Menlo', 'Lucida Grande', 'PingFang HK'],
  ...['Roboto', 'Noto Serif', 'Droid Sans Mono'],
  ...[
    'DejaVu Sans',
    'DejaVu Sans Mono',
    'Liberation Sans',
    'Liberation Serif',
    'Arimo',
    'Carlito',
    'Open Sans',
  ],
  ...['Inter', 'Comic Neue', 'Droid Sans Fallback', 'Nobody Has This'],
];

const everywhere = ['Arial', 'Times New Roman', 'Courier New'];
/** What each system has of `candidates`. Linux has the machine's own, which are not listed. */
export const familiesOf: Readonly<Record<string, readonly string[]>> = {
  windows: [
    ...everywhere,
    ...['Segoe UI', 'Segoe UI Light', 'Calibri', 'Cambria', 'Consolas', 'Microsoft YaHei'],
  ],
  macos: [...everywhere, 'Helvetica Neue', 'Menlo', 'Lucida Grande', 'PingFang HK'],
  // Skia takes the last two for Arial, which is Roboto there: a known difference (docs/profiles.md).
  android: [...everywhere, 'Roboto', 'Noto Serif', 'Droid Sans Mono', 'Arimo', 'Liberation Sans'],
};

/** An expression of type FirstLook. */
export const firstLook = `(() => {
  const page = typeof document !== 'undefined';
  const canvas = () => page ? document.createElement('canvas') : new OffscreenCanvas(1, 1);
  const gl = canvas().getContext('webgl');
  gl?.getExtension('WEBGL_debug_renderer_info');
  const text = canvas().getContext('2d');
  const width = (families) => {
    text.font = '72px ' + families;
    return text.measureText('mmMwWLliI0fiflO&1').width;
  };
  const bases = ['monospace', 'serif', 'sans-serif'];
  const isThere = (name) => bases.some((base) => width('"' + name + '", ' + base) !== width(base));
  return {
    userAgent: navigator.userAgent, platform: navigator.platform,
    processors: navigator.hardwareConcurrency, memory: navigator.deviceMemory,
    languages: navigator.languages.join(), onLine: navigator.onLine,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    gpu: gl ? gl.getParameter(0x9246) : '',
    fonts: ${JSON.stringify(candidates)}.filter(isThere),
    ...(page && {
      screen: [screen.width, screen.height],
      free: [screen.availLeft, screen.availTop, screen.availWidth, screen.availHeight],
      outer: [outerWidth, outerHeight],
    }),
  };
})()`;

const frame = (name: string) =>
  `<script>parent.postMessage({ name: '${name}', look: ${firstLook} }, '*')</script>`;
const inAttribute = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
/** In a script of a page, where the end of an element would end the page's own. */
const inScript = (text: string) => JSON.stringify(text).replaceAll('</', '<\\/');

export const places = [
  ...['top', 'popup', 'dedicated', 'shared', 'service', 'blank', 'plain', 'cross', 'sandboxed'],
  ...['cross-sandboxed', 'srcdoc', 'srcdoc-sandboxed', 'blob', 'blob-sandboxed', 'data', 'data-sandboxed'],
] as const;
export type Looks = Record<(typeof places)[number], FirstLook>;

/** Gathers looks in `looks` from frames of all kinds, the three kinds of worker and, when it is told to, a popup. */
function topPage(port: number): string {
  const other = `http://127.0.0.1:${port}`;
  return `<!doctype html><meta charset=utf-8><script>
const looks = { top: ${firstLook} };
addEventListener('message', ({ data }) => { if (data.name) looks[data.name] = data.look; });
new Worker('/worker.js').onmessage = ({ data }) => { looks.dedicated = data; };
new SharedWorker('/worker.js').port.onmessage = ({ data }) => { looks.shared = data; };
navigator.serviceWorker.onmessage = ({ data }) => { looks.service = data; };
navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
  .then(({ active }) => active.postMessage(''));
</script><body><img src="/image.png">
<iframe src="/frame?plain"></iframe><iframe src="${other}/frame?cross"></iframe>
<iframe sandbox="allow-scripts" src="/frame?sandboxed"></iframe>
<iframe sandbox="allow-scripts" src="${other}/frame?cross-sandboxed"></iframe>
<iframe srcdoc="${inAttribute(frame('srcdoc'))}"></iframe>
<iframe sandbox="allow-scripts" srcdoc="${inAttribute(frame('srcdoc-sandboxed'))}"></iframe>
<script>
const insert = (src, sandboxed) => {
  const element = document.createElement('iframe');
  if (sandboxed) element.sandbox = 'allow-scripts';
  if (src) element.src = src;
  document.body.append(element);
  return element;
};
const blob = (html) => URL.createObjectURL(new Blob([html], { type: 'text/html' }));
insert(blob(${inScript(frame('blob'))}));
insert(blob(${inScript(frame('blob-sandboxed'))}), true);
insert('data:text/html,' + encodeURIComponent(${inScript(frame('data'))}));
insert('data:text/html,' + encodeURIComponent(${inScript(frame('data-sandboxed'))}), true);
looks.blank = insert().contentWindow.eval(${inScript(firstLook)});
</script>`;
}

const workerScript = `const first = ${firstLook};
if (self.DedicatedWorkerGlobalScope) { postMessage(first); fetch('/from-worker'); }
onconnect = ({ ports: [port] }) => port.postMessage(first);
oninstall = () => skipWaiting();
onmessage = ({ source }) => source.postMessage(first);`;

/** The site's answer to a path. */
export function pageAt(url: URL, port: number): [type: string, body: string] | undefined {
  const pages: Record<string, [string, string]> = {
    '/top': ['text/html', topPage(port)],
    '/frame': ['text/html', frame(url.search.slice(1))],
    '/popup': ['text/html', frame('popup').replace('parent', 'opener')],
    '/worker.js': ['text/javascript', workerScript],
    '/plain': ['text/html', `<!doctype html><body><script>window.first = ${firstLook}</script>`],
  };
  return pages[url.pathname];
}
