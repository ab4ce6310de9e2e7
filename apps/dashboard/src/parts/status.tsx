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
};

/** A state in a word; the colour only helps. */
export function Status({ of }: { of: keyof typeof words }) {
  return (
    <span className="status" data-state={dots[of]}>
      {words[of]}
    </span>
  );
}
