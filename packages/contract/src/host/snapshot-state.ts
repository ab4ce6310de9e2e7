import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { maxHistory, maxTabs } from '../saved-profile.ts';

/** What a snapshot holds beside files of the browser's profile. Only hosts read it. */

const Text = Type.String();
const Pairs = Type.Array(Type.Tuple([Text, Text]));

const Tab = Type.Object({
  /** The addresses before the page's own, oldest first. */
  before: Type.Array(Text, { maxItems: maxHistory }),
  url: Text,
  /** Undefined: the page did not answer. */
  origin: Type.Optional(Text),
  session: Pairs,
  scroll: Type.Tuple([Type.Number(), Type.Number()]),
  /** As `in-page/page-state.ts` reads and writes them. */
  fields: Type.Array(Type.Object({}, { additionalProperties: true })),
  isVisible: Type.Boolean(),
});
export type TabState = Static<typeof Tab>;

const State = Type.Object({
  device: Type.Object({}, { additionalProperties: true }),
  cookies: Type.Array(Type.Object({ name: Text, value: Text }, { additionalProperties: true })),
  /** Local storage of the tabs' origins. What other sites had there is among the files. */
  local: Type.Array(Type.Object({ origin: Text, pairs: Pairs })),
  tabs: Type.Array(Tab, { maxItems: maxTabs }),
  allowed: Type.Array(Type.Object({ origin: Text, name: Text })),
  window: Type.Optional(Type.Object({ width: Type.Number(), height: Type.Number() })),
});
export type SnapshotState = Static<typeof State>;
const compiled = Compile(State);

export const isSnapshotState = (value: unknown): value is SnapshotState => compiled.Check(value);
