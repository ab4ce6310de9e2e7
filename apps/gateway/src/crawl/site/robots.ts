import { Slices } from '@turnpike/process/work/slices';
import { compileRobotsPath } from './wildcard.ts';

/** What a robots.txt (RFC 9309) says to us. */
export interface RobotsRules {
  rules: RobotsRule[];
  /** Its `Crawl-delay`. */
  delayMs: number;
  /** Why the file could not be read: then nothing may be loaded. */
  unreachable?: { code: string; message: string };
}

export interface RobotsRule {
  allow: boolean;
  path: string;
}

export interface RobotsFile extends RobotsRules {
  sitemaps: string[];
}

/** The name that a group of robots.txt may be for. */
const ownName = 'turnpike';

/** What is beyond this is not read, as the standard allows. */
export const maxRobotsBytes = 500 * 1024;
const maxRules = 1000;
/** Those with a wildcard cost more to match. */
const maxWildcards = 200;
const maxPathLength = 256;
const maxSitemaps = 50;
/** A site cannot stop a crawl for longer. */
const maxDelayMs = 60_000;

export const everythingAllowed: RobotsRules = { rules: [], delayMs: 0 };

/** A group of robots.txt: the rules for some crawlers. */
interface Group extends RobotsRules {
  names: string[];
}

/** Reads a robots.txt. The groups for our name count; if there is none, those for everybody. */
export async function readRobots(text: string): Promise<RobotsFile> {
  const slices = new Slices();
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let isAfterRule = true;
  for (let at = 0, line = 0; at < text.length; line++) {
    const end = endOfLine(text, at);
    const [field, value] = readLine(text.slice(at, end));
    at = end + 1;
    if (line % 200 === 0) await slices.pause();
    if (field === 'sitemap' && sitemaps.length < maxSitemaps) sitemaps.push(value);
    if (field === 'user-agent') {
      if (isAfterRule) groups.push({ names: [], rules: [], delayMs: 0 });
      isAfterRule = false;
      groups.at(-1)?.names.push(nameOf(value));
    } else if (field === 'allow' || field === 'disallow' || field === 'crawl-delay') {
      isAfterRule = true;
      const group = groups.at(-1);
      if (group) addRule(group, field, value);
    }
  }
  const own = groups.filter(({ names }) => names.includes(ownName));
  const chosen = own.length > 0 ? own : groups.filter(({ names }) => names.includes('*'));
  return {
    rules: bounded(chosen.flatMap(({ rules }) => rules)),
    delayMs: Math.max(0, ...chosen.map(({ delayMs }) => delayMs)),
    sitemaps,
  };
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  return feed === -1 ? text.length : feed;
}

function readLine(line: string): [field: string, value: string] {
  const comment = line.indexOf('#');
  const content = comment === -1 ? line : line.slice(0, comment);
  const colon = content.indexOf(':');
  if (colon === -1) return ['', ''];
  return [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()];
}

/** Some write a version after the name. */
const nameOf = (value: string): string => value.split('/', 1)[0]?.toLowerCase() ?? '';

function addRule(group: Group, field: 'allow' | 'disallow' | 'crawl-delay', value: string): void {
  if (field === 'crawl-delay') {
    const seconds = Number(value);
    if (seconds > 0) group.delayMs = Math.min(maxDelayMs, Math.round(seconds * 1000));
    return;
  }
  // An empty path is no rule.
  if (value !== '') group.rules.push({ allow: field === 'allow', path: encoded(value) });
}

function bounded(rules: readonly RobotsRule[]): RobotsRule[] {
  let wildcards = 0;
  return rules
    .filter(
      ({ path }) => path.length <= maxPathLength && (!path.includes('*') || ++wildcards <= maxWildcards),
    )
    .slice(0, maxRules);
}

/** Brings the percent-encoding of paths to one form. */
const encoded = (path: string): string =>
  path
    .replaceAll(/[^\u0021-\u007e]/gu, (character) => encodeURIComponent(character.toWellFormed()))
    .replaceAll(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());

/** Compiles rules. The longest path that matches decides; of two as long, the one that allows. */
export function compileRobots({ rules }: RobotsRules): (url: string) => boolean {
  const sorted = rules
    .toSorted((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow))
    .map(({ allow, path }) => ({ allow, path: compileRobotsPath(path) }));
  return (url) => {
    const { pathname, search } = new URL(url);
    const target = encoded(pathname + search);
    return sorted.find(({ path }) => path.matches(target))?.allow ?? true;
  };
}
