// Written by scripts/generate/create-parameters.ts from the table of create parameters: do not edit.

/** What to ask of the browser. */
export interface BrowserOptions {
  /** Proxy for all traffic: name:NAME of a saved one, pool:NAME, or the URL of an http, https, socks5 or socks5h proxy with its port and percent-encoded credentials. Default: the account's default; without one it is required. */
  proxy?: string;
  /** Key of your own: the same key gets the same proxy of a sticky pool, and the same session of a template. Default: none. */
  proxyKey?: string;
  /** Country for the placeholder {country} of a saved proxy; the device follows it. Default: the country of the saved proxy. */
  proxyCountry?: string;
  /** Hosts that go through another proxy, as JSON: a list of rules with hosts and a proxy. The first that matches counts. Default: all through proxy. */
  proxyRules?: string;
  /** Read the proxy's exit address at an interval: true sends an event when it changes, stop ends all traffic. Default: it may change. */
  proxyPinExit?: 'true' | 'stop';
  /** Operating system of the device that the session claims to be. Default: windows. */
  os?: 'windows' | 'android' | 'linux' | 'macos';
  /** Device of an earlier session, by its id in browserParams.profile.device. Default: the saved profile's, or any. */
  device?: string;
  /** Text of your own: the same text and system get the same device. Default: none. */
  deviceSeed?: string;
  /** Run without a display. Default: false. */
  headless?: boolean;
  /** Offer a live view, a page to watch and use the browser; not for headless sessions. Default: false. */
  vnc?: boolean;
  /** Seconds until the session ends by itself, from 120 to 86400. Default: 7200. */
  maxLifetime?: number;
  /** Seconds without a CDP or viewer message after which the session is closed, from 10 to 86400. Default: never. */
  idleTimeout?: number;
  /** Seconds after its last client has left after which the session is closed, from 1 to 86400. Default: never. */
  closeOnDisconnect?: number;
  /** Seconds without use after which the browser sleeps until it is used again, from 1 to 86400. Default: never. */
  standby?: number;
  /** Seconds to wait for a free slot or seat, from 0 to 60. Default: 0. */
  wait?: number;
  /** Region where the browser runs, as the operator has named it. Default: anywhere. */
  region?: string;
  /** Saved profile to start with: its cookies, local storage and IndexedDB. Default: none. */
  profile?: string;
  /** Save the profile when the session is closed; one session at a time. Default: false. */
  saveProfile?: boolean;
  /** Snapshot to begin with: its cookies, storage, tabs and device. Default: none. */
  snapshot?: string;
  /** Begin with the snapshot although a session of the same identity runs. Default: false. */
  fork?: boolean;
  /** Hosts that the session may reach; all others are refused. Default: all. */
  allowHosts?: readonly string[];
  /** Hosts that the session may not reach. Default: none. */
  blockHosts?: readonly string[];
  /** Bytes to and from the proxy, together, that the session may use, from 65536 to 1125899906842624. Default: no limit. */
  maxBytes?: number;
  /** What the browser does not load, to save traffic: images, media, fonts, stylesheets, ads, trackers. Default: nothing. */
  block?: readonly string[];
  /** HTTP cache to start with, kept from an earlier session; saved when the session is closed. Default: none. */
  cache?: string;
  /** Ids or names of uploaded extensions that the browser loads. Default: none. */
  extensions?: readonly string[];
  /** Lowest Chromium major version that the device may claim, from 1 to 999. Default: the running version. */
  browserVersionMin?: number;
  /** Highest Chromium major version that the device may claim, from 1 to 999. Default: the running version. */
  browserVersionMax?: number;
  /** Languages that pages see, as in Accept-Language. Default: auto. */
  browserLanguage?: string;
  /** Language of the browser's own interface. Default: auto. */
  uiLanguage?: string;
  /** Lowest screen width of the device in pixels, at most 7680. Default: auto. */
  screenWidthMin?: number;
  /** Lowest screen height of the device in pixels, at most 4320. Default: auto. */
  screenHeightMin?: number;
  /** Keep background tabs visible, focused and running at full speed. Default: false. */
  forceVisibility?: boolean;
  /** Hide from pages that a CDP client drives the browser. Default: false. */
  stealth?: boolean;
  /** Record what the session does: commands, requests, console, pictures. Default: false. */
  record?: boolean;
  /** Record the bodies of requests and responses, up to 64 KiB of each. Default: false. */
  recordBodies?: boolean;
  /** Most pictures a second of the visible tab that are recorded when it changes, from 0 to 4. Default: 1. */
  recordPictures?: number;
  /** Name of the session for people. Several sessions may have the same. Default: `metadata.name`, where that is a text. */
  name?: string;
  /** Words to find the session by. Default: none. */
  tags?: readonly string[];
  /** JSON object of your own, kept on the session. */
  metadata?: Record<string, unknown>;
}

/** The API's names of these options. */
export const parameterNames: Record<keyof BrowserOptions, string> = {
  proxy: 'proxy',
  proxyKey: 'proxy_key',
  proxyCountry: 'proxy_country',
  proxyRules: 'proxy_rules',
  proxyPinExit: 'proxy_pin_exit',
  os: 'os',
  device: 'device',
  deviceSeed: 'device_seed',
  headless: 'headless',
  vnc: 'vnc',
  maxLifetime: 'maxLifetime',
  idleTimeout: 'idleTimeout',
  closeOnDisconnect: 'close_on_disconnect',
  standby: 'standby',
  wait: 'wait',
  region: 'region',
  profile: 'profile',
  saveProfile: 'saveProfile',
  snapshot: 'snapshot',
  fork: 'fork',
  allowHosts: 'allow_hosts',
  blockHosts: 'block_hosts',
  maxBytes: 'max_bytes',
  block: 'block',
  cache: 'cache',
  extensions: 'extensions',
  browserVersionMin: 'browser_version_min',
  browserVersionMax: 'browser_version_max',
  browserLanguage: 'browser_language',
  uiLanguage: 'ui_language',
  screenWidthMin: 'screen_width_min',
  screenHeightMin: 'screen_height_min',
  forceVisibility: 'force_visibility',
  stealth: 'stealth',
  record: 'record',
  recordBodies: 'record_bodies',
  recordPictures: 'record_pictures',
  name: 'name',
  tags: 'tags',
  metadata: 'metadata',
};
