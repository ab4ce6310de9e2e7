import { screen } from '../display/display.ts';
import { profileDirectory } from '../sandbox/inside-paths.ts';
import { forwarderPort } from '../sandbox/start-script.ts';

/** What would talk to services of the browser's maker, draw surfaces nobody sees, or give automation away. */
const disabledFeatures = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationGuideModelDownloading',
  'OptimizationHints',
  // Chromium prerenders no page that someone is attached to as the host is. What it would fetch ahead instead,
  // Puppeteer never sees come.
  'Prerender2FallbackPrefetchSpecRules',
  'Translate',
  // Each is a hidden renderer of its own beside the first page.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

const { width, height } = screen;
const headlessScreen = ['--headless=new', `--screen-info={${width}x${height}}`];

/** WebGL is drawn by the processor there only if told so. */
const headfulScreen = (pixelRatio: number): string[] => [
  '--ozone-platform=x11',
  `--force-device-scale-factor=${pixelRatio}`,
  '--enable-unsafe-swiftshader',
];

/** A mouse, which a machine without one would deny: bits of blink's PointerType and HoverType. */
const mouse =
  '--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2';

/** What a browser can only be started with. */
export interface BrowserStart {
  headless: boolean;
  /** Of requests that belong to no page, and of the workers that several share; others are told theirs. */
  userAgent: string;
  /** The language of the browser's own surfaces; undefined: English. */
  uiLanguage: string | undefined;
  /** Of a display; a headless browser is told its own. */
  pixelRatio: number;
}

/**
 * A page may read these (chrome://version): no secret goes here. That traffic takes the forwarder is the
 * network namespace's doing; the proxy flags only tell the browser where the way out is.
 */
export function chromiumFlags({ headless, userAgent, uiLanguage, pixelRatio }: BrowserStart): string[] {
  return [
    '--remote-debugging-pipe',
    `--user-data-dir=${profileDirectory}`,
    `--proxy-server=http://127.0.0.1:${forwarderPort}`,
    '--proxy-bypass-list=<-loopback>',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--disable-back-forward-cache', // Playwright waits in vain for a page that comes out of it.
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
    // With a DevTools pipe `navigator.webdriver` is true. `Emulation.setAutomationOverride` makes a false one true,
    // never a true one false (seen in Chromium 156), and a script in each page could be found out. That the window
    // warns of this flag, and has less room for the page, is switched off in `policies.json`.
    '--disable-blink-features=AutomationControlled',
    '--disable-hang-monitor',
    '--disable-ipc-flooding-protection',
    '--disable-popup-blocking',
    '--disable-prompt-on-repost',
    `--disable-features=${disabledFeatures.join(',')}`,
    // A few seconds after its start it asks the browser's maker who is signed in, and no switch, setting or feature
    // stops it. To a port that Chromium connects to under no circumstances the request ends where it began.
    '--gaia-url=https://accounts.google.com:1',
    '--hide-crash-restore-bubble',
    '--metrics-recording-only',
    '--no-default-browser-check',
    '--no-first-run',
    '--no-pings',
    '--no-service-autorun',
    // The list of on-device models is otherwise asked for at each start, updates disabled or not.
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
