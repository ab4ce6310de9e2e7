const words = {
  ACTIVE: 'Active',
  CLOSED: 'Closed',
  DEAD: 'Dead',
  EXPIRED: 'Expired',
  active: 'Active',
  suspended: 'Suspended',
  live: 'Live',
  draining: 'Draining',
  lost: 'Lost',
  enabled: 'Enabled',
  disabled: 'Disabled',
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
} as const;

const dots: Readonly<Record<keyof typeof words, string>> = {
  ACTIVE: 'active',
  CLOSED: 'closed',
  DEAD: 'dead',
  EXPIRED: 'expired',
  active: 'active',
  suspended: 'dead',
  live: 'active',
  draining: 'expired',
  lost: 'dead',
  enabled: 'active',
  disabled: 'dead',
  pending: 'expired',
  delivered: 'active',
  failed: 'dead',
};

/** A state in a word; the colour only helps. */
export function Status({ of }: { of: keyof typeof words }) {
  return (
    <span className="status" data-state={dots[of]}>
      {words[of]}
    </span>
  );
}
