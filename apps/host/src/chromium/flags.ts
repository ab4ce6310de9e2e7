import { screen } from '../display/display.ts';
import { profileDirectory } from '../sandbox/inside-paths.ts';
import { forwarderPort } from '../sandbox/start-script.ts';
import type { BrowserStart } from './browser-start.ts';

/** Features that would call Google's services, draw what nobody sees, or reveal automation. */
const disabledFeatures = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  // A sandboxed frame without an address (`srcdoc`) would get a process of its own. Chromium attaches the host to such
  // a frame only when its first script already runs, without the device's values.
  'IsolateSandboxedIframes',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationGuideModelDownloading',
  'OptimizationHints',
  // Chromium does not prerender a page that the host is attached to. It would prefetch instead, and Puppeteer would
  // wait for requests that never come.
  'Prerender2FallbackPrefetchSpecRules',
  'Translate',
  // Each would be a hidden renderer beside the first page.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

const { width, height } = screen;
const headlessScreen = ['--headless=new', `--screen-info={${width}x${height}}`];

/** Without a GPU, a headful Chromium has WebGL only with the last flag. */
const headfulScreen = (pixelRatio: number): string[] => [
  '--ozone-platform=x11',
  `--force-device-scale-factor=${pixelRatio}`,
  '--enable-unsafe-swiftshader',
];

/** Reports a mouse on a machine without one: bits of blink's PointerType and HoverType. */
const mouse =
  '--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2';

/**
 * Features of the web that Chrome has only on some systems, by Blink's names. What this machine has no hardware for
 * fails as on a phone whose user declines. `profile/page-script/page-script.ts` does so for `WebShare`.
 */
const phoneFeatures = [
  ...['BarcodeDetector', 'ContactsManager', 'ContentIndex'],
  ...['NetInfoDownlinkMax', 'OrientationEvent', 'WebNFC'],
];
const desktopFeatures = [
  'AudioOutputDevices',
  'EyeDropperAPI',
  'NotificationConstructor',
  'Serial',
  'WebHID',
];
const featuresOf = (os: BrowserStart['os']) => ['WebShare', ...(os === 'android' ? phoneFeatures : [])];

/**
 * Chromium's command line. Pages can read it (chrome://version), so it contains no secret. The proxy flags only name
 * the forwarder: the network namespace is what prevents other connections. `policies.json` names it too, because an
 * extension can replace what a flag says, and the browser would reach nothing then.
 */
export function chromiumFlags({ headless, os, userAgent, uiLanguage, pixelRatio }: BrowserStart): string[] {
  return [
    '--remote-debugging-pipe',
    `--user-data-dir=${profileDirectory}`,
    `--proxy-server=http://127.0.0.1:${forwarderPort}`,
    '--proxy-bypass-list=<-loopback>',
    '--disable-quic',
    '--disable-back-forward-cache', // Playwright waits for events that a page from this cache does not send.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--disable-breakpad',
    '--disable-crash-reporter',
    '--disable-default-apps',
    '--disable-component-extensions-with-background-pages',
    '--disable-client-side-phishing-detection',
    '--disable-field-trial-config',
    '--disable-search-engine-choice-screen',
    // With a DevTools pipe `navigator.webdriver` is true. `Emulation.setAutomationOverride` can only set it to true
    // (seen in Chromium 156), and pages could detect a script that changes it. `policies.json` switches off the warning
    // about this flag, which would take room from the page.
    `--disable-blink-features=${['AutomationControlled', ...(os === 'android' ? desktopFeatures : [])].join(',')}`,
    ...(os === 'linux' ? [] : [`--enable-blink-features=${featuresOf(os).join(',')}`]),
    '--disable-hang-monitor',
    '--disable-ipc-flooding-protection',
    '--disable-popup-blocking',
    '--disable-prompt-on-repost',
    `--disable-features=${disabledFeatures.join(',')}`,
    // A few seconds after its start Chromium asks Google who is signed in, and no flag, setting or feature stops that.
    // Chromium never connects to port 1, so the request fails at once.
    '--gaia-url=https://accounts.google.com:1',
    '--hide-crash-restore-bubble',
    '--metrics-recording-only',
    '--no-default-browser-check',
    '--no-first-run',
    '--no-pings',
    '--no-service-autorun',
    // Otherwise each start requests the list of on-device models, even with updates disabled.
    '--optimization-guide-manifest-override=/dev/null',
    '--noerrdialogs',
    '--password-store=basic',
    '--use-mock-keychain',
    `--user-agent=${userAgent}`,
    `--lang=${uiLanguage ?? 'en-US'}`,
    mouse,
    ...(headless ? headlessScreen : headfulScreen(pixelRatio)),
    'about:blank',
  ];
}
