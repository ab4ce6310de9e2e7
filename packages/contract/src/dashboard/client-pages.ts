import { type Static, Type } from 'typebox';
import { nullable } from './common.ts';

/** The CDP clients of a running session, and who has paused them. */
export const ClientsView = Type.Object({
  connected: Type.Integer(),
  pausedBy: nullable(Type.String({ description: 'An e-mail address' })),
  isYours: Type.Boolean({ description: 'The pause is of the holder that was given' }),
  endsInSeconds: nullable(Type.Integer({ description: 'The pause ends by itself after this time' })),
});
export type ClientsView = Static<typeof ClientsView>;

/** One press of the button: a secret of the page, by which it renews and ends its pause. */
const Holder = Type.String({ minLength: 16, maxLength: 64 });

export const ClientsQuery = Type.Object({ holder: Type.Optional(Holder) });
export const PauseRequest = Type.Object({ holder: Holder });
