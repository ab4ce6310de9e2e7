import { type Static, Type } from 'typebox';

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ maxLength: 64 });

/** What the kernel says about a session's sandbox. Its host reads it when the session ends. */
export const Isolation = Type.Object({
  namespaces: Type.Array(Name, {
    maxItems: 16,
    description: 'Kernel namespaces that the sandbox does not share with its host',
  }),
  interfaces: Type.Array(
    Type.Object({ name: Name, receivedPackets: Count, sentPackets: Count }, { additionalProperties: false }),
    { maxItems: 16, description: 'All network interfaces in the sandbox' },
  ),
  gatewayRoutes: Type.Integer({ minimum: 0, description: 'Routes in the sandbox that lead out of it' }),
});
export type Isolation = Static<typeof Isolation>;
