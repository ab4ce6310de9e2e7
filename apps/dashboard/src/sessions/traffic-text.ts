import type { SessionTrafficView } from '@turnpike/contract/dashboard/account-pages';
import type { RefusalReason, Refusals } from '@turnpike/contract/traffic';
import type { ProxyTraffic } from '@turnpike/contract/traffic-answers';
import { bytes, costText, count, counted } from '../parts/values/figures.ts';

const reasons: Readonly<Record<RefusalReason, string>> = {
  allow_hosts: 'not in allow_hosts',
  block_hosts: 'in block_hosts',
  block: 'by block',
  max_bytes: 'past max_bytes',
  proxy_pin_exit: 'after the exit address changed',
  proxy_failure: 'not carried by the proxy',
};

/** `12 in block_hosts, 1 not carried by the proxy`; empty where nothing was refused. */
export const refusalsText = (refused: Refusals): string =>
  (Object.keys(reasons) as RefusalReason[])
    .filter((reason) => refused[reason])
    .map((reason) => `${count(refused[reason] ?? 0)} ${reasons[reason]}`)
    .join(', ');

/** `image 734 kB, script 5.12 kB`, the largest first; empty where the browser told nothing. */
export const typesText = (estimate: SessionTrafficView['estimate']): string =>
  Object.entries(estimate ?? {})
    .sort(([, one], [, other]) => other - one)
    .map(([type, count]) => `${type} ${bytes(count)}`)
    .join(', ');

type Use = SessionTrafficView['other'];

export const isUsed = ({ requests, tunnels, bytesUp, bytesDown, refused }: Use): boolean =>
  requests + tunnels + bytesUp + bytesDown > 0 || refusalsText(refused) !== '';

/** `3 requests, 5.12 kB up, 734 kB down. Refused: 2 in block_hosts`. */
export function trafficText({ requests, tunnels, bytesUp, bytesDown, refused }: Use): string {
  const used = `${counted(requests + tunnels, 'request')}, ${bytes(bytesUp)} up, ${bytes(bytesDown)} down`;
  const text = refusalsText(refused);
  return text ? `${used}. Refused: ${text}` : used;
}

/** `3 connections, 1 failed, 5.12 kB up, 734 kB down, cost 0.0123`. */
export function proxyUseText({ connections, failures, bytesUp, bytesDown, cost }: ProxyTraffic): string {
  const failed = Object.values(failures).reduce((sum, each) => sum + each, 0);
  return [
    counted(connections, 'connection'),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    `${bytes(bytesUp)} up`,
    `${bytes(bytesDown)} down`,
    ...(cost === null ? [] : [`cost ${costText(cost)}`]),
  ].join(', ');
}
