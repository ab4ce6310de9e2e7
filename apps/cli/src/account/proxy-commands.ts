import { readFileSync } from 'node:fs';
import type { Environment } from '@turnpike/process/settings';
import { type Command, InvalidArgumentError } from 'commander';
import type { ProxyCheck, ProxyState, SavedProxy } from 'turnpike-client';
import { CommandError } from '../terminal/command-error.ts';
import { drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';
import { poolCommands } from './pool-commands.ts';
import { commaList, showProxyDays } from './proxy-days.ts';

const colours: Record<ProxyState, (text: string) => string> = {
  healthy: paint.good,
  failing: paint.bad,
  unknown: paint.dim,
};
const coloured = (state: ProxyState): string => colours[state]?.(state) ?? state;

/** `turnpike proxies …`, `pools …` and `default-proxy`: what the account has saved. */
export function proxyCommands(program: Command, env: Environment): void {
  savedProxyCommands(program, env);
  poolCommands(program, env);
  callFlags(program.command('default-proxy [proxy]'))
    .description('show or set the proxy of creates that name none: name:NAME, pool:NAME or none')
    .action(async (proxy: string | undefined, flags: CallFlags) => {
      const { proxies } = await gatewayClient(env, flags);
      const now =
        proxy === undefined
          ? await proxies.getDefault()
          : await proxies.setDefault(proxy === 'none' ? null : proxy);
      if (flags.json) printJson({ proxy: now });
      else console.log(now ?? paint.dim('There is none: a create must name its proxy.'));
    });
}

interface ProxyFlags extends CallFlags {
  rename?: string;
  url?: string;
  urlStdin?: boolean;
  country?: string;
  price?: number | 'none';
  tags?: string[];
  notes?: string;
  ca?: string;
  trustCa?: boolean;
  clientCertificate?: string;
  clientKey?: string;
}

function savedProxyCommands(program: Command, env: Environment): void {
  const commands = program
    .command('proxies')
    .description('save, list, check and delete proxies')
    .addHelpText(
      'after',
      `
A create names a saved proxy as name:NAME. Process lists show arguments, so give the
URL on standard input or in TURNPIKE_PROXY.

Examples:
  echo "$URL" | turnpike proxies add shop-de --url-stdin --country DE --price 4.5
  turnpike proxies check shop-de --fetch https://example.com/
  turnpike open --proxy name:shop-de`,
    );

  callFlags(commands.command('ls').alias('list'))
    .description('list saved proxies')
    .action(async (flags: CallFlags) => {
      const proxies = await (await gatewayClient(env, flags)).proxies.list();
      if (flags.json) return printJson(proxies);
      if (proxies.length === 0)
        return console.log(paint.dim('There are no saved proxies. Save one with turnpike proxies add NAME.'));
      const rows = proxies.map(({ name, url, country, health, isDefault }) => [
        name,
        coloured(health.state),
        health.exitCountry ?? country ?? '',
        health.latencyMs === null ? '' : `${health.latencyMs} ms`,
        url,
        isDefault ? 'default' : '',
      ]);
      console.log(drawTable(['name', 'state', 'country', 'latency', 'url', ''], rows, ['latency']));
    });

  callFlags(commands.command('show <name>'))
    .description('show a saved proxy')
    .action(async (name: string, flags: CallFlags) => {
      const proxy = await (await gatewayClient(env, flags)).proxies.get(name);
      if (flags.json) printJson(proxy);
      else console.log(describeProxy(proxy));
    });

  proxyFlags(commands.command('add <name>'))
    .description('save a proxy')
    .action(async (name: string, flags: ProxyFlags) => {
      const url = urlOf(flags) ?? env['TURNPIKE_PROXY'];
      if (!url) throw new CommandError('pass the URL with --url-stdin, --url or TURNPIKE_PROXY');
      const proxy = await (await gatewayClient(env, flags)).proxies.create({ name, url, ...settings(flags) });
      if (flags.json) printJson(proxy);
      else console.log(`Saved. Use it as name:${proxy.name}.`);
    });

  proxyFlags(commands.command('set <name>'))
    .option('--rename <name>', 'a new name')
    .description('change a saved proxy; what is not given stays')
    .action(async (name: string, flags: ProxyFlags) => {
      const url = urlOf(flags);
      const change = { ...settings(flags), ...(url && { url }), ...(flags.rename && { name: flags.rename }) };
      const proxy = await (await gatewayClient(env, flags)).proxies.change(name, change);
      if (flags.json) printJson(proxy);
      else console.log(describeProxy(proxy));
    });

  callFlags(commands.command('check <name>'))
    .description('dial a proxy now, and say how it is')
    .option('--fetch <url>', 'fetch this through it too')
    .option('--country <code>', 'for {country} of a template')
    .action(async (name: string, flags: CallFlags & { fetch?: string; country?: string }) => {
      const { fetch: url, country } = flags;
      const { proxies } = await gatewayClient(env, flags);
      const check = await proxies.check(name, {
        ...(url && { url }),
        ...(country && { country: country.toUpperCase() }),
      });
      if (flags.json) printJson(check);
      else console.log(describeCheck(check));
      if (!check.ok) process.exitCode = 5; // As for a create that fails because of its proxy.
    });

  callFlags(commands.command('usage <name>'))
    .description('show the traffic and cost of a saved proxy, day by day')
    .action(async (name: string, flags: CallFlags) =>
      showProxyDays(await (await gatewayClient(env, flags)).proxies.usage(name), flags),
    );

  callFlags(commands.command('rm <name>').alias('delete'))
    .description('delete a saved proxy')
    .action(async (name: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).proxies.delete(name);
      if (flags.json) printJson({ name });
      else console.log(`Proxy ${name} is deleted.`);
    });
}

function proxyFlags(command: Command): Command {
  return callFlags(command)
    .option('--url <url>', 'its URL, with credentials; process lists show it')
    .option('--url-stdin', 'read its URL from standard input')
    .option('--country <code>', 'where it comes out, such as DE; an empty text takes it away')
    .option('--price <amount>', 'for a GB, in a currency of your own; none takes it away', price)
    .option('--tags <tag,...>', 'tags', commaList)
    .option('--notes <text>', 'notes; an empty text takes them away')
    .option('--ca <file>', 'PEM: the only authorities that its certificate may be from; none takes it away')
    .option('--trust-ca', 'the browsers of its sessions trust them too')
    .option('--no-trust-ca', 'they do not')
    .option('--client-certificate <file>', 'PEM: what it is shown when it asks; none takes it away')
    .option('--client-key <file>', 'PEM: the key of that certificate');
}

/** Commander takes null for nothing. */
function price(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number, such as 4.5.');
  return Number(text);
}

function urlOf({ url, urlStdin }: ProxyFlags): string | undefined {
  return urlStdin ? readFileSync(0, 'utf8').trim() : url;
}

const fileOrNone = (name: string): string | null => (name === 'none' ? null : readFileSync(name, 'utf8'));

/** What was given, besides the URL and the name. */
function settings(flags: ProxyFlags) {
  const { country, price: amount, tags, notes, ca, trustCa, clientCertificate, clientKey } = flags;
  return {
    ...(country !== undefined && { country: country.toUpperCase() || null }),
    ...(amount !== undefined && { pricePerGb: amount === 'none' ? null : amount }),
    ...(tags && { tags }),
    ...(notes !== undefined && { notes: notes || null }),
    ...(ca && { ca: fileOrNone(ca) }),
    ...(trustCa !== undefined && { trustCaInBrowser: trustCa }),
    ...(clientCertificate && { clientCertificate: certificateOf(clientCertificate, clientKey) }),
  };
}

function certificateOf(file: string, keyFile: string | undefined) {
  const certificate = fileOrNone(file);
  if (certificate === null) return null;
  if (!keyFile) throw new CommandError('pass --client-key with --client-certificate');
  return { certificate, key: readFileSync(keyFile, 'utf8') };
}

function describeProxy({
  name,
  url,
  country,
  pricePerGb,
  tags,
  notes,
  health,
  ...proxy
}: SavedProxy): string {
  const exit = [health.exitIp, health.exitCountry].filter(Boolean).join(', ');
  return drawFacts({
    proxy: `name:${name}${proxy.isDefault ? ', the default' : ''}`,
    url,
    state: coloured(health.state),
    'last failure': health.lastError ?? undefined,
    latency: health.latencyMs === null ? undefined : `${health.latencyMs} ms`,
    exit: exit || undefined,
    country: country ?? undefined,
    'price per GB': pricePerGb === null ? undefined : String(pricePerGb),
    tags: tags.join(', ') || undefined,
    notes: notes ?? undefined,
    CA: proxy.hasCa ? (proxy.trustCaInBrowser ? 'yes, browsers trust it too' : 'yes') : undefined,
    'client certificate': proxy.hasClientCertificate ? 'yes' : undefined,
  });
}

function describeCheck({ ok, latencyMs, exitIp, exitCountry, fetched, error }: ProxyCheck): string {
  return drawFacts({
    proxy: ok ? paint.good('works') : paint.bad('fails'),
    failure: error ?? undefined,
    latency: latencyMs === null ? undefined : `${latencyMs} ms`,
    exit: [exitIp, exitCountry].filter(Boolean).join(', ') || undefined,
    fetched: fetched ? `status ${fetched.status} after ${fetched.firstByteMs} ms` : undefined,
  });
}
