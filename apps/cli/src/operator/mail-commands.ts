import { Mailer, newMailId } from '@turnpike/gateway/administration';
import { mailSettings } from '@turnpike/gateway/config';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { CommandError } from '../terminal/command-error.ts';

/** `turnpike mail …`: the SMTP server that the settings name. */
export function mailCommands(program: Command, env: Environment): void {
  program
    .command('mail')
    .description('check that the service can send e-mail')
    .command('test <address>')
    .description('send an e-mail to an address at once, with the settings of the gateway')
    .addHelpText('after', '\nExample:\n  turnpike mail test you@example.com')
    .action(async (address: string) => {
      const settings = mailSettings(env);
      if (!settings)
        throw new CommandError(
          'TURNPIKE_SMTP_URL is not set. Set it, for example, to smtp://user:pass@host:587.',
        );
      const mail = {
        to: address,
        id: newMailId(),
        subject: 'Test e-mail from Turnpike',
        text: 'Hello,\n\nthis e-mail shows that Turnpike can send e-mail with its settings.\n',
      };
      await new Mailer(settings).send(mail, new AbortController().signal);
      console.log(`${settings.host}:${settings.port} took an e-mail from ${settings.from} to ${address}`);
    });
}
