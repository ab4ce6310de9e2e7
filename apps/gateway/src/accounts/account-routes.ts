import { ConcurrencyRecord, Me, Usage } from '@turnpike/contract/account';
import { windowStart } from '@turnpike/contract/calendar';
import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import { ApiError } from '../http/api-error.ts';
import { authenticated } from '../http/authentication.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import type { Context } from '../seams/context.ts';
import { describeAccount, remainingSeconds } from './account.ts';
import {
  changeSettingsApi,
  limitsApi,
  meApi,
  regenerateKeyApi,
  settingsApi,
  usageApi,
} from './account-api.ts';
import { changeSettings, presentSettings } from './account-settings.ts';
import { findSlotsByKeyHash, usageDays, usageTotals } from './account-store.ts';
import { regenerateKey } from './regenerate-key.ts';

const usageWindowDays = 30;

export function accountRoutes(app: Routes, { db, now }: Pick<Context, 'db' | 'now'>): void {
  const { answer } = typedRoutes(app, apiRoutes);

  app.get(
    '/user/api/limits',
    {
      config: { auth: 'key', asksWithKey: true, api: limitsApi },
      schema: { response: { 200: ConcurrencyRecord } },
    },
    async (request) => {
      const account = await authenticated(request, (keyHash) => findSlotsByKeyHash(db, keyHash));
      return concurrencyRecord(account, account);
    },
  );

  app.get(
    '/user/api/me',
    { config: { auth: 'key', api: meApi }, schema: { response: { 200: Me } } },
    async ({ account }) => {
      const { sessions } = await usageTotals(db, account.id);
      return describeAccount(account, sessions);
    },
  );

  app.get(
    '/user/api/usage',
    { config: { auth: 'key', api: usageApi }, schema: { response: { 200: Usage } } },
    async ({ account }) => {
      const firstDay = windowStart(now(), usageWindowDays);
      const [totals, days] = await Promise.all([
        usageTotals(db, account.id),
        usageDays(db, account.id, firstDay),
      ]);
      const browserSeconds = account.browser_seconds;
      return { totals: { ...totals, browserSeconds, remainingSeconds: remainingSeconds(account) }, days };
    },
  );

  answer(
    'GET /user/api/settings',
    { config: { auth: 'key-or-cookie', api: settingsApi } },
    async ({ account }) => presentSettings(account),
  );

  answer(
    'POST /user/api/settings',
    { config: { auth: 'key-or-cookie', api: changeSettingsApi } },
    async ({ account, ip, actor = { name: 'key', address: ip } }, _reply, readBody) =>
      changeSettings(db, account, readBody(), actor),
  );

  answer(
    'POST /user/api/regenerate-key',
    { config: { auth: 'key-or-cookie', api: regenerateKeyApi } },
    async ({ account, ip, person, actor = { name: 'key', address: ip } }) => {
      const apiKey = await regenerateKey(db, account, actor);
      if (apiKey) return { apiKey };
      const message = 'Somebody else has just rotated the key. Reload the page.';
      throw person ? new ApiError('conflict', { message }) : new ApiError('invalidKey');
    },
  );
}
