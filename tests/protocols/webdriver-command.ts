import type { OpenedSession } from '@turnpike/host/testing/test-host';

export const webdriverUrl = ({ url }: OpenedSession) =>
  url.replace('/cdp/', '/webdriver/').replace('ws:', 'http:');

/** One command of the raw protocol. */
export async function command(
  to: OpenedSession,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; value: Record<string, unknown> }> {
  const response = await fetch(`${webdriverUrl(to)}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const { value } = (await response.json()) as { value: Record<string, unknown> };
  return { status: response.status, value };
}

export interface NewWebdriver {
  id: string;
  capabilities: Record<string, unknown>;
}

export async function newWebdriver(to: OpenedSession, alwaysMatch: object = {}): Promise<NewWebdriver> {
  const { status, value } = await command(to, 'POST', '/session', { capabilities: { alwaysMatch } });
  if (status !== 200) throw new Error(JSON.stringify(value));
  return {
    id: value['sessionId'] as string,
    capabilities: value['capabilities'] as Record<string, unknown>,
  };
}
