import type { StoreLocation } from '../../apps/gateway/src/store/database.ts';
import { inviteAccount, inviteOperator } from '../../apps/gateway/src/users/links.ts';
import {
  type Engine,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  testStore,
} from '../fixtures/gateway/gateway.ts';
import { Visitor } from './visitor.ts';

export const password = 'correct horse battery';

export interface DashboardHarness extends AsyncDisposable {
  gateway: TestGateway;
  /** For a second gateway on the same store. */
  location: StoreLocation;
  visitor(): Visitor;
  /** An account, and somebody who is signed in for it. */
  accountPerson(): Promise<{ account: TestAccount; visitor: Visitor }>;
  operatorPerson(email?: string): Promise<{ email: string; visitor: Visitor }>;
}

let operators = 0;

export async function startDashboardHarness(
  engine: Engine,
  gatewayOptions: Parameters<typeof startTestGateway>[1] = {},
): Promise<DashboardHarness> {
  const store = await testStore(engine);
  const gateway = await startTestGateway(store.location, gatewayOptions);
  const { db } = gateway.running.gateway;
  const options = { publicUrl: gateway.url, now: gateway.clock.now };
  const signedIn = async (link: { url: string }) => {
    const visitor = new Visitor(gateway.url);
    const answer = await visitor.useLink(link.url, password);
    if (answer.status !== 200) throw new Error(answer.text);
    return visitor;
  };
  return {
    gateway,
    location: store.location,
    visitor: () => new Visitor(gateway.url),
    async accountPerson() {
      const account = await gateway.account();
      return { account, visitor: await signedIn(await inviteAccount(db, account.email, options)) };
    },
    async operatorPerson(email = `op${process.pid}-${operators++}@example.com`) {
      return { email, visitor: await signedIn(await inviteOperator(db, email, options)) };
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
