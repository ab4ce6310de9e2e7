import type { MailText } from '../mail/mailer.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { MailRow } from '../store/tables/mail-tables.ts';
import type { PassedAlert } from './alert-store.ts';

/** What an alert is about, as it is queued. */
export type AlertMail = Omit<PassedAlert, 'accountId'>;

/** Writes the e-mail of a usage alert. */
export function writeUsageAlert({ data }: Pick<MailRow, 'data'>, publicUrl: string): MailText {
  const alert = readStoredJson(data) as AlertMail;
  const { subject, body } = alert.metric === 'hours' ? aboutHours(alert) : aboutBandwidth(alert);
  const text = [
    'Hello,',
    ...body,
    `Your usage: ${publicUrl}/usage`,
    'You receive this e-mail because an alert is set on that page. You can change or remove it there.',
  ];
  return { subject, text: `${text.join('\n\n')}\n` };
}

function aboutHours({ threshold, used, period: cap }: AlertMail): { subject: string; body: string[] } {
  const share = `Your account has used ${hours(used)} of its ${hours(cap)} browser hours (${Math.floor((100 * used) / cap)}%).`;
  if (used >= cap) {
    return {
      subject: 'All browser hours are used',
      body: [share, 'New sessions are refused. To get more hours, ask your operator.'],
    };
  }
  return {
    subject: `${threshold}% of your browser hours are used`,
    body: [share, 'When all hours are used, new sessions are refused. To get more hours, ask your operator.'],
  };
}

function aboutBandwidth({ threshold, used, period }: AlertMail): { subject: string; body: string[] } {
  const month = `${Math.floor(period / 100)}-${String(period % 100).padStart(2, '0')}`;
  return {
    subject: `Your bandwidth this month has passed ${threshold} GB`,
    body: [
      `Your account has used ${(used / 1e9).toFixed(1)} GB of bandwidth in ${month} (UTC), all products together.`,
      'Nothing is stopped. This alert is for your information.',
    ],
  };
}

const hours = (seconds: number): string => (seconds / 3600).toFixed(1).replace(/\.0$/, '');
