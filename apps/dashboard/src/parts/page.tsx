import { Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { GuideLink } from './guide-link.tsx';

interface PageProps {
  title: string;
  /** One line below the title. */
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
          <div className="page-title">
            <Title order={1} size="h2">
              {title}
            </Title>
            <GuideLink title={title} />
          </div>
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
  /** Without padding, for tables. */
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

/** A list of names and values. */
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

/** A key figure. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="figure">
      <div className="figure-name">{name}</div>
      <div className="figure-value">{value}</div>
      {note && <div className="figure-note">{note}</div>}
    </div>
  );
}
