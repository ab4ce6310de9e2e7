/** What the clients call the shapes of the API's answers. Everything else about them is in the OpenAPI document. */
export interface Shape {
  /** Its name in both clients, unless one of the next two is another. False: it is written out in place. */
  name: string;
  node?: string | false;
  python?: string | false;
  /**
   * Where it is in the document: a component, the answer of an operation (`listProfiles()`) or a parameter
   * (`exportRecording?format`), then members (`.days`) and items (`[]`).
   */
  at: string;
  /** What it is, where the document does not say it of this shape alone. */
  about?: string;
  /** It has the members of this shape, and more. */
  base?: string;
  /** It is not the object, but the names of its members. */
  isKeys?: true;
  /** Members that Python's `repr` leaves out. */
  secrets?: readonly string[];
  /** Members that are null only for calls that the clients do not make. */
  notNull?: readonly string[];
  /** Numbers keep all their digits in Python. */
  isExact?: true;
}

/** In the order of the files. A base stands before what is made of it. */
export const shapes: readonly Shape[] = [
  { name: 'SessionStatus', at: 'Session.status' },
  { name: 'EndReason', at: 'SessionRecord.endReason' },
  { name: 'Product', at: 'getBandwidth?product' },
  { name: 'Unit', at: 'getBandwidth?unit' },
  { name: 'EventType', at: 'Event.type' },
  { name: 'RecordingFormat', at: 'exportRecording?format' },
  {
    ...{ name: 'RefusalReason', python: false, at: 'TrafficUse.refused', isKeys: true },
    about:
      'Why a request came to nothing: the create parameter that refused it, or that the proxy did not carry it',
  },
  {
    ...{ name: 'ResourceType', python: false, at: 'SessionTraffic.estimate', isKeys: true },
    about: 'Types of resources that a browser tells apart',
  },

  { name: 'SessionListItem', python: 'RunningSession', at: 'SessionListItem', secrets: ['cdpUrl'] },
  {
    name: 'Session',
    at: 'Session',
    base: 'SessionListItem',
    secrets: ['bidiUrl', 'playwrightUrl', 'webdriverUrl', 'vncUrl'],
  },
  { name: 'NoSession', at: 'NoSession' },
  { name: 'CloseResult', at: 'CloseResult', notNull: ['browserId'] },

  { name: 'TrafficUse', at: 'TrafficUse' },
  { name: 'SummaryDestination', at: 'Destination', base: 'TrafficUse' },
  { name: 'TrafficSummary', at: 'TrafficSummary' },
  { name: 'SessionRecord', at: 'SessionRecord' },
  { name: 'SessionPage', at: 'SessionPage' },
  { name: 'TrafficDestination', at: 'SessionTraffic.destinations[]', base: 'TrafficUse' },
  {
    ...{ name: 'ProxyTraffic', at: 'SessionTraffic.proxies[]' },
    about: 'What one proxy of a session has carried',
  },
  { name: 'SessionTraffic', at: 'SessionTraffic' },
  { name: 'DayTrafficUse', at: 'AccountTraffic.days[].other', about: 'Traffic on one day' },
  { name: 'DayTrafficDestination', at: 'AccountTraffic.days[].destinations[]', base: 'DayTrafficUse' },
  { name: 'TrafficDay', node: false, at: 'AccountTraffic.days[]' },
  { name: 'AccountTraffic', at: 'AccountTraffic' },
  { name: 'Receipt', python: false, at: 'Receipt' },
  { name: 'ReceiptKeys', python: false, at: 'ReceiptKeys' },

  { name: 'Limits', at: 'ConcurrencyRecord' },
  { name: 'Account', node: false, at: 'Me.account' },
  { name: 'AccountLimits', node: false, at: 'Me.limits' },
  { name: 'LifetimeUsage', node: false, at: 'Me.usage' },
  { name: 'Me', at: 'Me' },
  { name: 'UsageTotals', node: false, at: 'Usage.totals' },
  { name: 'UsageDay', node: false, at: 'Usage.days[]' },
  { name: 'Usage', at: 'Usage' },
  { name: 'NewKey', at: 'NewKey', secrets: ['apiKey'] },
  { name: 'AccountSettings', at: 'getSettings()' },
  { name: 'ModelEndpoint', at: 'getModel()' },

  { name: 'ProxyState', at: 'listProxies().proxies[].health.state' },
  { name: 'ProxyPolicy', at: 'listProxyPools().pools[].policy' },
  { name: 'ProxyHealth', at: 'listProxies().proxies[].health' },
  { name: 'SavedProxy', at: 'listProxies().proxies[]' },
  { name: 'SavedProxies', node: false, at: 'listProxies()' },
  { name: 'PoolMember', node: false, at: 'listProxyPools().pools[].members[]' },
  { name: 'ProxyPool', at: 'listProxyPools().pools[]' },
  { name: 'ProxyPoolList', node: false, at: 'listProxyPools()' },
  { name: 'FetchedUrl', node: false, at: 'checkProxy().fetched' },
  { name: 'ProxyCheck', at: 'checkProxy()' },
  { name: 'DefaultProxy', at: 'getDefaultProxy()' },
  { name: 'ProxyDay', at: 'getProxyUsage().days[]' },
  { name: 'ProxyUsage', node: false, at: 'getProxyUsage()' },
  { name: 'Health', at: 'Health' },

  { name: 'AccountEvent', at: 'Event' },
  { name: 'Webhook', at: 'Webhook' },
  { name: 'NewWebhook', at: 'NewWebhook', base: 'Webhook', secrets: ['secret'] },
  { name: 'WebhookList', node: false, at: 'listWebhooks()' },
  { name: 'Delivery', at: 'Delivery' },
  { name: 'DeliveryList', node: false, at: 'listDeliveries()' },
  { name: 'Replayed', node: false, at: 'replayDeliveries()' },

  { name: 'SessionFile', at: 'SessionFile' },
  { name: 'FileList', node: false, at: 'SessionFiles' },
  { name: 'SavedProfile', at: 'SavedProfile' },
  { name: 'SavedProfiles', node: false, at: 'listProfiles()' },
  { name: 'Snapshot', at: 'Snapshot' },
  { name: 'Snapshots', node: false, at: 'listSnapshots()' },
  { name: 'SavedCache', at: 'SavedCache', base: 'SavedProfile' },
  { name: 'SavedCaches', node: false, at: 'listCaches()' },
  { name: 'Extension', at: 'Extension' },
  { name: 'Extensions', node: false, at: 'listExtensions()' },

  { name: 'RecordingSummary', at: 'RecordingSummary' },
  { name: 'RecordingPage', at: 'RecordingPage' },
  { name: 'RecordingChunk', node: false, at: 'RecordingChunkSummary' },
  { name: 'Recording', at: 'Recording', base: 'RecordingSummary' },
  { name: 'RecordedEvent', python: false, at: 'RecordedEvent' },
  { name: 'ShareLink', at: 'ShareLink', secrets: ['url'] },

  { name: 'CrawlState', at: 'getCrawl().state' },
  { name: 'CrawlCounts', at: 'getCrawl().pages' },
  { name: 'Crawl', at: 'getCrawl()' },
  { name: 'CrawlList', at: 'listCrawls()' },
  { name: 'CrawlPageError', at: 'listCrawlPages().pages[].error' },
  { name: 'CrawledPage', at: 'listCrawlPages().pages[]' },
  { name: 'CrawledPages', at: 'listCrawlPages()' },

  { name: 'Summary', python: 'BandwidthSummary', at: 'BandwidthSummary', isExact: true },
  { name: 'BandwidthDay', node: false, at: 'BandwidthSeries.series[]', isExact: true },
  { name: 'Bandwidth', at: 'BandwidthSeries', isExact: true },
  { name: 'CountryBandwidth', node: false, at: 'BandwidthCountries.countries[]', isExact: true },
  { name: 'Countries', at: 'BandwidthCountries', isExact: true },
];
