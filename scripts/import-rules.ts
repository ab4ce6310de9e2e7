/**
 * Lists what each workspace may import. `apps/cli` is the one place that knows all apps, and
 * of each only what its package.json exports.
 * docs/architecture.md draws this table and the next one; import-rules.test.ts compares them.
 */
export const workspaces: Table = {
  'packages/contract': [],
  'packages/process': ['packages/contract'],
  'packages/tunnel': ['packages/contract', 'packages/process'],
  'packages/client': ['packages/contract'],
  'packages/mcp': ['packages/client', 'packages/contract'],
  'apps/dashboard': ['packages/client', 'packages/contract'],
  'apps/gateway': ['packages/contract', 'packages/process'],
  'apps/host': ['packages/contract', 'packages/process', 'packages/tunnel'],
  'apps/proxy': ['packages/contract', 'packages/process', 'packages/tunnel'],
  'apps/cli': [
    'apps/gateway',
    'apps/host',
    'apps/proxy',
    'packages/client',
    'packages/contract',
    'packages/mcp',
    'packages/process',
  ],
};

const gatewayFeatures = ['accounts', 'bandwidth', 'events', 'hosts', 'saved-profiles', 'sessions', 'users'];
const gatewayBasics = ['audit', 'http', 'limits', 'metrics', 'seams', 'secrets', 'store'];

const dashboardPages = [
  'bandwidth',
  'keys',
  'new-session',
  'overview',
  'profiles',
  'sessions',
  'usage',
  'webhooks',
];

/**
 * Lists what each folder (and each file beside the folders) of a workspace's `src` may import from that
 * `src`. A workspace without folders has no table: only cycles are refused there.
 */
export const folders: Readonly<Record<string, Table>> = {
  'apps/gateway': {
    index: ['bandwidth', 'main', 'store'],
    administration: ['operator', ...gatewayFeatures, ...gatewayBasics],
    main: ['app', 'config', 'gateway', ...gatewayFeatures, ...gatewayBasics],
    app: ['config', 'dashboard', 'gateway', 'operator', 'reference', ...gatewayFeatures, ...gatewayBasics],
    config: ['secrets', 'store'],
    reference: ['http'],
    dashboard: ['gateway', ...gatewayFeatures, ...gatewayBasics],
    operator: ['gateway', ...gatewayFeatures, ...gatewayBasics],
    gateway: ['events', 'hosts', 'saved-profiles', 'sessions'],
    sessions: ['http', 'limits', 'metrics', 'seams', 'secrets', 'store'],
    events: ['http', 'metrics', 'seams', 'secrets', 'store'],
    hosts: ['audit', 'http', 'seams', 'store'],
    'saved-profiles': ['http', 'limits', 'seams', 'secrets', 'store'],
    bandwidth: ['http', 'limits', 'seams', 'secrets', 'store'],
    users: ['accounts', 'audit', 'http', 'seams', 'secrets', 'store'],
    accounts: ['audit', 'http', 'limits', 'seams', 'secrets', 'store'],
    http: ['metrics', 'secrets', 'store'],
    seams: ['metrics', 'store'],
    audit: ['store'],
    limits: ['store'],
    metrics: ['store'],
    secrets: [],
    store: [],
  },
  'apps/host': {
    app: [
      'chromium',
      'config',
      'memory',
      'metrics',
      'pool',
      'profile',
      'relay',
      'sandbox',
      'session',
      'switchboard',
    ],
    doctor: ['sandbox'],
    cluster: [],
    session: [
      'chromium',
      'files',
      'forwarder',
      'metrics',
      'pool',
      'profile',
      'relay',
      'saved-profile',
      'switchboard',
      'viewer',
    ],
    pool: ['chromium', 'files', 'forwarder', 'metrics', 'sandbox', 'switchboard'],
    relay: ['chromium', 'files', 'metrics', 'sandbox', 'switchboard', 'viewer'],
    viewer: ['display', 'metrics', 'switchboard'],
    'saved-profile': ['chromium', 'sandbox'],
    profile: ['chromium', 'display', 'switchboard'],
    metrics: ['chromium'],
    chromium: ['display', 'files', 'sandbox', 'switchboard'],
    files: ['sandbox'],
    sandbox: ['display', 'switchboard'],
    forwarder: [],
    config: ['switchboard'],
    memory: ['switchboard'],
    display: [],
    switchboard: [],
  },
  'apps/dashboard': {
    main: ['api', 'app', 'parts', 'shell', 'sign-in', 'theme'],
    app: ['account-pages', 'api', 'operator', 'parts', 'shell', 'sign-in'],
    'account-pages': ['not-found', ...dashboardPages],
    operator: ['api', 'not-found', 'parts', 'sessions', 'usage'],
    overview: ['api', 'parts', 'sessions'],
    bandwidth: ['api', 'parts'],
    keys: ['api', 'parts'],
    'new-session': ['api', 'parts'],
    profiles: ['api', 'parts'],
    sessions: ['api', 'parts'],
    usage: ['api', 'parts'],
    webhooks: ['api', 'parts'],
    shell: ['api', 'parts', 'sign-in'],
    'sign-in': ['api', 'parts'],
    'not-found': ['parts'],
    parts: ['api'],
    theme: [],
    api: [],
  },
};

export type Table = Readonly<Record<string, readonly string[]>>;
