const labels = {
  ACTIVE: 'Active',
  CLOSED: 'Closed',
  DEAD: 'Dead',
  closedByClient: 'Closed by its client',
  EXPIRED: 'Expired',
  active: 'Active',
  suspended: 'Suspended',
  capReached: 'Cap reached',
  live: 'Live',
  draining: 'Draining',
  lost: 'Lost',
  enabled: 'Enabled',
  disabled: 'Disabled',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  queued: 'Queued',
  running: 'Running',
  done: 'Done',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
  healthy: 'Healthy',
  failing: 'Failing',
  unknown: 'Not used yet',
} as const;

const dots: Readonly<Record<keyof typeof labels, string>> = {
  ACTIVE: 'active',
  CLOSED: 'closed',
  DEAD: 'dead',
  closedByClient: 'closed',
  EXPIRED: 'expired',
  active: 'active',
  suspended: 'dead',
  capReached: 'dead',
  live: 'active',
  draining: 'expired',
  lost: 'dead',
  enabled: 'active',
  disabled: 'dead',
  pending: 'expired',
  delivered: 'active',
  failed: 'dead',
  queued: 'expired',
  running: 'active',
  done: 'closed',
  cancelled: 'expired',
  skipped: 'expired',
  healthy: 'active',
  failing: 'dead',
  unknown: 'closed',
};

export type StatusName = keyof typeof labels;

/** A state as a word, with a coloured dot. */
export function Status({ of }: { of: StatusName }) {
  return (
    <span className="status" data-state={dots[of]}>
      {labels[of]}
    </span>
  );
}
