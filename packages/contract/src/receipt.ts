import { type Static, Type } from 'typebox';
import { Isolation } from './isolation.ts';
import { endReasons } from './session.ts';
import { Destination, OtherUse } from './traffic.ts';
import { ProxyTotals } from './traffic-answers.ts';

/**
 * A receipt: a signed statement about a session that has ended. The signature is a detached JWS (RFC 7515, appendix F)
 * with EdDSA over the statement in canonical JSON (RFC 8785).
 */

const Time = Type.String({ format: 'date-time' });

export const ReceiptStatement = Type.Object({
  type: Type.Literal('turnpike-receipt'),
  version: Type.Literal(1),
  issuedAt: Time,
  accountId: Type.String(),
  session: Type.Object({
    browserId: Type.String(),
    status: Type.String(),
    createdAt: Time,
    endedAt: Time,
    endReason: Type.Union([Type.Enum(endReasons), Type.Null()]),
  }),
  proxy: Type.String({
    description:
      "The session's proxy, its password masked. It carried everything, unless `traffic.proxies` has others",
  }),
  traffic: Type.Object({
    bytesUp: Type.Integer(),
    bytesDown: Type.Integer(),
    destinations: Type.Array(Destination),
    other: Type.Object(OtherUse.properties, { description: 'All other destinations together' }),
    droppedDestinations: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Destinations that the host reported with more bytes than the session has. They are not listed, and all ' +
          'bytes are in `other`',
      }),
    ),
    droppedProxies: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Proxies that the host reported with other bytes than the session has. They are not listed',
      }),
    ),
    proxies: Type.Optional(ProxyTotals.proxies),
    cost: Type.Optional(ProxyTotals.cost),
    costOfOneProxy: Type.Optional(ProxyTotals.costOfOneProxy),
  }),
  host: Type.Object({
    name: Type.Union([Type.String(), Type.Null()]),
    version: Type.Union([Type.String(), Type.Null()], { description: 'The version of Turnpike on it' }),
    chromium: Type.Union([Type.String(), Type.Null()]),
  }),
  sandbox: Type.Union(
    [
      Type.Object({
        ...Isolation.properties,
        otherInterfaces: Type.Integer({
          description: 'Interfaces besides loopback and the unconnected pair that every sandbox has',
        }),
        packetsOnOtherInterfaces: Type.Integer(),
      }),
      Type.Null(),
    ],
    { description: 'Null: the host was lost before it could be read, or runs without a sandbox' },
  ),
});
export type ReceiptStatement = Static<typeof ReceiptStatement>;

export const Receipt = Type.Object(
  {
    statement: ReceiptStatement,
    protected: Type.String({ description: 'The JWS header, as base64url' }),
    signature: Type.String({ description: 'As base64url' }),
  },
  { description: 'A signed statement about a session; `turnpike receipt verify` checks it' },
);
export type Receipt = Static<typeof Receipt>;

/** A JSON Web Key (RFC 8037), and when it signed. */
export const ReceiptKey = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  alg: Type.Literal('EdDSA'),
  use: Type.Literal('sig'),
  kid: Type.String(),
  x: Type.String(),
  createdAt: Time,
  retiredAt: Type.Union([Time, Type.Null()], { description: 'Null: it signs today' }),
});
export type ReceiptKey = Static<typeof ReceiptKey>;

export const ReceiptKeys = Type.Object(
  { keys: Type.Array(ReceiptKey) },
  { description: 'A JSON Web Key Set' },
);
export type ReceiptKeys = Static<typeof ReceiptKeys>;

/** Interfaces that lead nowhere: loopback, and the pair whose two ends are in the sandbox. */
export const closedInterfaces: readonly string[] = ['lo', 'eth0', 'eth1'];
