import { actionText } from './action-text.ts';
import { clock } from './moments.ts';
import { RowList } from './row-list.tsx';
import type { ActionRow } from './rows.ts';
import { milliseconds } from './text.ts';

type Props = Omit<Parameters<typeof RowList<ActionRow>>[0], 'label' | 'className' | 'children'>;

/** What clients did, in their words. */
export function ActionList(props: Props) {
  return (
    <RowList {...props} label="Actions" className="action-rows">
      {({ t, action }) => {
        const { name, what, note } = actionText(action);
        return (
          <>
            <span className="row-time">{clock(t)}</span>
            <span className="row-name" title={what}>
              <strong>{name}</strong> {what}
            </span>
            <span className="row-note" title={note}>
              {note}
            </span>
            <span className="row-number">{milliseconds(action.ms)}</span>
          </>
        );
      }}
    </RowList>
  );
}
