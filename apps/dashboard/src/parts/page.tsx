import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface PageProps {
  title: string;
  /** Beside the title: what this page is about, in a line. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, about, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Turnpike`;
  }, [title]);
  return (
    <div className="page">
      <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
        <div className="page-heading">
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" size="sm" component="div">
              {about}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </div>
  );
}

interface CardProps {
  title?: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** Tables go to the card's edges. */
  flush?: boolean;
  children: ReactNode;
}

export function Card({ title, about, actions, flush = false, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      {(title || actions) && (
        <div className="card-head">
          <div>
            {title && (
              <Title order={2} size="h5">
                {title}
              </Title>
            )}
            {about && (
              <Text c="dimmed" size="sm" component="div">
                {about}
              </Text>
            )}
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </div>
      )}
      <div className={flush ? 'card-body card-body-flush' : 'card-body'}>{children}</div>
    </section>
  );
}

/** Names and values, one below the other. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** One number that matters. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="figure">
      <div className="figure-name">{name}</div>
      <div className="figure-value">{value}</div>
      {note && <div className="figure-note">{note}</div>}
    </div>
  );
}
