import { screen } from '../display/display.ts';
import { forwarderPort } from '../sandbox/start-script.ts';
import { profileDirectory } from './new-profile.ts';

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
  'Translate',
  // Each is a hidden renderer of its own beside the first page.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/**
 * A page may read these (chrome://version): no secret goes here. That traffic takes the forwarder is the
 * network namespace's doing; the proxy flags only tell the browser where the way out is.
 */
export function chromiumFlags(headless: boolean): string[] {
  return [
    '--remote-debugging-pipe',
    `--user-data-dir=${profileDirectory}`,
    `--proxy-server=http://127.0.0.1:${forwarderPort}`,
    '--proxy-bypass-list=<-loopback>',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
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
    '--disable-blink-features=AutomationControlled',
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-hang-monitor',
    '--disable-ipc-flooding-protection',
    '--disable-popup-blocking',
    '--disable-prompt-on-repost',
    `--disable-features=${disabledFeatures.join(',')}`,
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
    ...(headless ? ['--headless=new'] : ['--window-position=0,0', '--ozone-platform=x11']),
    `--window-size=${screen.width},${screen.height}`,
    'about:blank',
  ];
}
