import type * as account from '@turnpike/contract/account';
import type * as bandwidth from '@turnpike/contract/bandwidth';
import type { ClientOptions } from '@turnpike/contract/create-parameters';
import type * as events from '@turnpike/contract/events';
import type * as page from '@turnpike/contract/page/page-call';
import type * as formats from '@turnpike/contract/page/page-formats';
import type * as recording from '@turnpike/contract/recording-answers';
import type * as saved from '@turnpike/contract/saved-profile';
import type * as session from '@turnpike/contract/session';
import type * as traffic from '@turnpike/contract/traffic-answers';
import type { Static } from 'typebox';
import { expectTypeOf, test } from 'vitest';
import type * as answers from './answers.ts';
import type { BrowserOptions } from './browser-options.ts';
import type { PageReport } from './page-answers.ts';
import type { PageFormat } from './page-options.ts';

/** The type checker runs this: what the gateway answers has the members that the client promises, and no others. */
type Agrees<Theirs, Ours> = [keyof Theirs, Theirs] extends [keyof Ours, Ours]
  ? [keyof Ours] extends [keyof Theirs]
    ? true
    : ['the gateway does not answer', Exclude<keyof Ours, keyof Theirs>]
  : ['the client does not know', Exclude<keyof Theirs, keyof Ours>];

/** Objects of the caller's own making, which the schemas leave open. */
type Free = 'browserParams' | 'metadata';
type Closed<T> = { [K in keyof T]: K extends Free ? object : T[K] };

test("the client's types are those of the gateway's schemas", () => {
  expectTypeOf<Agrees<Closed<session.Session>, Closed<answers.Session>>>().toEqualTypeOf<true>();
  expectTypeOf<Agrees<session.SessionListItem, answers.SessionListItem>>().toEqualTypeOf<true>();
  expectTypeOf<Agrees<Closed<session.SessionRecord>, Closed<answers.SessionRecord>>>().toEqualTypeOf<true>();
  expectTypeOf<keyof session.SessionPage>().toEqualTypeOf<keyof answers.SessionPage>();
  expectTypeOf<session.NoSession>().toEqualTypeOf<answers.NoSession>();
  // Whoever closes by a session's id is answered with one.
  type CloseById = session.CloseResult & { browserId: string };
  expectTypeOf<Agrees<CloseById, answers.CloseResult>>().toEqualTypeOf<true>();
  expectTypeOf<session.SessionStatus>().toEqualTypeOf<answers.SessionStatus>();
  expectTypeOf<session.EndReason>().toEqualTypeOf<answers.EndReason>();
  expectTypeOf<Agrees<account.ConcurrencyRecord, answers.Limits>>().toEqualTypeOf<true>();
  expectTypeOf<saved.SavedProfile>().toEqualTypeOf<answers.SavedProfile>();
  expectTypeOf<recording.RecordingSummary>().toEqualTypeOf<answers.RecordingSummary>();
  expectTypeOf<Agrees<recording.Recording, answers.Recording>>().toEqualTypeOf<true>();
  expectTypeOf<recording.RecordingFormat>().toEqualTypeOf<answers.RecordingFormat>();
  expectTypeOf<recording.ShareLink>().toEqualTypeOf<answers.ShareLink>();
  expectTypeOf<account.Me>().toEqualTypeOf<answers.Me>();
  expectTypeOf<account.Usage>().toEqualTypeOf<answers.Usage>();
  expectTypeOf<Agrees<traffic.SessionTraffic, answers.SessionTraffic>>().toEqualTypeOf<true>();
  expectTypeOf<Agrees<traffic.AccountTraffic, answers.AccountTraffic>>().toEqualTypeOf<true>();
  type Day = Agrees<traffic.AccountTraffic['days'][number], answers.AccountTraffic['days'][number]>;
  expectTypeOf<Day>().toEqualTypeOf<true>();
  expectTypeOf<Static<typeof account.NewKey>>().toEqualTypeOf<answers.NewKey>();
  expectTypeOf<Static<typeof account.Health>>().toEqualTypeOf<answers.Health>();
  expectTypeOf<
    Agrees<Omit<events.Event, 'data'>, Omit<answers.AccountEvent, 'data'>>
  >().toEqualTypeOf<true>();
  expectTypeOf<Agrees<events.NewWebhook, answers.NewWebhook>>().toEqualTypeOf<true>();
  expectTypeOf<Agrees<events.Webhook, answers.Webhook>>().toEqualTypeOf<true>();
  expectTypeOf<Agrees<events.Delivery, answers.Delivery>>().toEqualTypeOf<true>();
  expectTypeOf<events.EventType>().toEqualTypeOf<answers.EventType>();
  expectTypeOf<bandwidth.Product>().toEqualTypeOf<answers.Product>();
  expectTypeOf<bandwidth.Unit>().toEqualTypeOf<answers.Unit>();
  expectTypeOf<page.PageReport>().toEqualTypeOf<PageReport>();
  expectTypeOf<formats.PageFormat>().toEqualTypeOf<PageFormat>();
  expectTypeOf<ClientOptions>().toEqualTypeOf<BrowserOptions>();
});
