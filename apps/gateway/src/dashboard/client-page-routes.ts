import type { ClientsView } from '@turnpike/contract/dashboard/client-pages';
import { accountPageRoutes } from '@turnpike/contract/dashboard/routes';
import type { BrowserHost, ClientsState } from '@turnpike/contract/host';
import type { FastifyRequest } from 'fastify';
import { recordAudit } from '../audit/audit-store.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { accountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { ownSessionOfAnyAge } from '../sessions/caller-session.ts';
import { askAboutClients } from '../sessions/pause-clients.ts';

type SessionRequest = FastifyRequest<{ Params: { id: string } }>;

/** The clients of a running session, which a person can let wait while they use the browser themselves. */
export function clientPageRoutes(app: Routes, gateway: Gateway): void {
  const { answer } = typedRoutes(app, accountPageRoutes, '/dashboard/api');

  answer('GET /sessions/:id/clients', accountPage, async (request) =>
    present(await ask(request, (host, id) => host.clients(id)), String(request.query.holder ?? '')),
  );

  answer('POST /sessions/:id/clients/pause', accountPage, async (request, _reply, readBody) => {
    const { holder: id } = readBody();
    const { name } = request.actor;
    const state = await ask(request, (host, sessionId) => host.pauseClients(sessionId, { id, name }));
    const { pause } = state;
    if (pause && pause.holder.id !== id) {
      const pausedBy = pause.holder.name;
      const message =
        pausedBy === name
          ? 'You have paused the client on another page. Resume it there first.'
          : `${pausedBy} has paused the client. Try again when they have resumed it.`;
      throw new ApiError('clientsPaused', { message, members: { pausedBy } });
    }
    await audit(request, 'session.pause');
    return present(state, id);
  });

  answer('POST /sessions/:id/clients/renew', accountPage, async (request, _reply, readBody) => {
    const { holder } = readBody();
    return present(await ask(request, (host, id) => host.renewPause(id, holder)), holder);
  });

  answer('POST /sessions/:id/clients/resume', accountPage, async (request, _reply, readBody) => {
    const { holder } = readBody();
    const before = await ask(request, (host, id) => host.clients(id));
    const state = await ask(request, (host, id) => host.resumeClients(id, holder));
    if (before.pause?.holder.id === holder) await audit(request, 'session.resume');
    return present(state, holder);
  });

  async function ask(
    request: SessionRequest,
    question: (host: BrowserHost, sessionId: string) => Promise<ClientsState | undefined>,
  ): Promise<ClientsState> {
    const session = await ownSessionOfAnyAge(gateway, request, request.params.id);
    return askAboutClients(gateway, session, (host) => question(host, session.id));
  }

  async function audit(request: SessionRequest, action: 'session.pause' | 'session.resume'): Promise<void> {
    const entry = { by: request.actor, action, target: request.params.id };
    await gateway.db.transaction().execute((trx) => recordAudit(trx, entry));
  }
}

function present({ connected, pause }: ClientsState, holderId: string): ClientsView {
  return {
    connected,
    pausedBy: pause?.holder.name ?? null,
    isYours: pause?.holder.id === holderId,
    endsInSeconds: pause ? Math.ceil(pause.endsInMs / 1000) : null,
  };
}
