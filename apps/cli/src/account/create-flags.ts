import { readFileSync } from 'node:fs';
import { type CreateParameter, defaultText, helpWithRange } from '@turnpike/contract/create-parameter';
import { type ParameterName, parametersIn, snakeCase } from '@turnpike/contract/create-parameters';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseJson } from 'turnpike-client';
import { wholeNumber } from './gateway-call.ts';

/** An option for each create parameter. */
export function createFlags(command: Command): Command {
  for (const [name, parameter] of parametersIn('client')) command.addOption(parameterOption(name, parameter));
  return command;
}

/** `--max-lifetime <seconds>`; commander names its value `maxLifetime`, as the client does. */
function parameterOption(name: ParameterName, parameter: CreateParameter): Option {
  const flag = `--${snakeCase(name).replaceAll('_', '-')}`;
  const otherwise = parameter.kind === 'flag' ? undefined : defaultText(parameter);
  const help = helpWithRange(parameter).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const text = otherwise === undefined ? help : `${help} (default: ${otherwise})`;
  switch (parameter.kind) {
    case 'flag':
      return new Option(flag, text);
    case 'integer':
      return new Option(`${flag} <${parameter.unit}>`, text).argParser(wholeNumber);
    case 'choice':
      return new Option(`${flag} <${flag.slice(2)}>`, text).choices(parameter.choices);
    case 'list':
      return new Option(`${flag} <${parameter.unit},...>`, text).argParser((list) => list.split(','));
    case 'object':
      return new Option(`${flag} <json>`, `${text}; @file reads it from a file`).argParser(jsonObject);
    case 'text': {
      const option = new Option(`${flag} <${parameter.unit}>`, text);
      return name === 'proxy' ? option.env('TURNPIKE_PROXY') : option;
    }
  }
}

/** A JSON object, or `@` and the file that has it. */
export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It must be a JSON object, or @ and a file that holds one.');
}
