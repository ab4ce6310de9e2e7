/**
 * An expression of type Promise<Record<string, boolean>>: signs by which a page guesses that nobody sees the browser,
 * by the names that CreepJS gives them. A plain Chromium on a server has many of them.
 */
export const headlessSignsExpression = `(async () => {
  const text = document.body.appendChild(document.createElement('div'));
  text.style.backgroundColor = 'ActiveText';
  const activeText = getComputedStyle(text).backgroundColor;
  text.remove();
  const notifications = await navigator.permissions.query({ name: 'notifications' });
  const hints = await navigator.userAgentData?.getHighEntropyValues(['platform']);
  const inWorker = await new Promise((resolve) => {
    const source = \`const gl = new OffscreenCanvas(1, 1).getContext('webgl');
      gl.getExtension('WEBGL_debug_renderer_info');
      postMessage([gl.getParameter(0x9246), navigator.userAgent])\`;
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    worker.onmessage = ({ data }) => resolve(data);
  });
  const gl = document.createElement('canvas').getContext('webgl');
  gl.getExtension('WEBGL_debug_renderer_info');
  const isDenied = Notification.permission === 'denied';
  const isWide = innerWidth === screen.width && outerHeight === screen.height;
  const isWhole = visualViewport.width === screen.width && visualViewport.height === screen.height;
  return {
    noChrome: !('chrome' in window),
    hasPermissionsBug: notifications.state === 'prompt' && isDenied,
    noPlugins: navigator.plugins.length === 0,
    noMimeTypes: navigator.mimeTypes.length === 0,
    notificationIsDenied: isDenied,
    hasKnownBgColor: activeText === 'rgb(255, 0, 0)',
    prefersLightColor: matchMedia('(prefers-color-scheme: light)').matches,
    uaDataIsBlank: hints?.platform === '',
    pdfIsDisabled: navigator.pdfViewerEnabled === false,
    noTaskbar: screen.height === screen.availHeight && screen.width === screen.availWidth,
    hasVvpScreenRes: isWide || isWhole,
    hasSwiftShader: /SwiftShader/.test(inWorker[0]),
    noWebShare: !('share' in navigator && 'canShare' in navigator),
    noContentIndex: !('ContentIndex' in window),
    noContactsManager: !('ContactsManager' in window),
    noDownlinkMax: !('downlinkMax' in NetworkInformation.prototype),
    // Worse: no plain Chromium has these.
    'webdriver!': navigator.webdriver !== false,
    'headless agent!': /Headless/.test(navigator.userAgent + inWorker[1]),
    'another GPU in workers!': gl.getParameter(0x9246) !== inWorker[0],
    'a late chrome object!': [Object.keys(window), Object.getOwnPropertyNames(window)].every((names) => names.slice(-50).includes('chrome')),
    'chrome.runtime!': 'runtime' in chrome,
  };
})()`;
