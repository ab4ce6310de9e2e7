import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browserLibrary, mavenPackages, npmPackages, pythonPackages } from './installed.ts';

/** What users do with a browser. Every client does what it has calls for. */
export const scenarioNames = [
  ...(['navigate', 'find', 'click', 'type', 'frames', 'windows', 'alerts'] as const),
  ...(['upload', 'upload 80 MB', 'download', 'screenshot', 'PDF'] as const),
  ...(['intercept', 'log', 'cookies', 'contexts'] as const),
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** The command that runs a client's program. */
export type Command = readonly [program: string, ...args: string[]];

export interface ScenarioClient {
  command(): Promise<Command>;
  env?: Record<string, string>;
  /** Scenarios that it does not do: the error that it reports, or nothing where it has no call for them. */
  without?: Partial<Record<ScenarioName, RegExp | undefined>>;
}

const programs = join(import.meta.dirname, 'programs/scenarios');

/** A module is looked for beside the program that imports it. */
async function node(program: string, packages: Record<string, string>): Promise<Command> {
  const directory = await npmPackages(packages);
  for (const file of [program, 'run-scenarios.mjs'])
    await copyFile(join(programs, file), join(directory, file));
  return [process.execPath, join(directory, program)];
}

const python = async (program: string, ...packages: string[]): Promise<Command> => [
  await pythonPackages(...packages),
  join(programs, program),
];

async function robot(suite: string, library: string): Promise<Command> {
  return [...(await python('with_robot.py', 'robotframework==7.5', library)), suite];
}

/** A program of one file is compiled when it is run. */
const java = async (program: string, ...packages: string[]): Promise<Command> => [
  'java',
  '-cp',
  await mavenPackages(...packages),
  join(programs, program),
];

/** Clients from their registries. docs/protocols-clients.md has the same table with the reasons. */
export const scenarioClients: Record<string, ScenarioClient> = {
  'Selenium for Python': { command: () => python('with_selenium.py', 'selenium==4.51.0') },
  'WebdriverIO over BiDi': {
    command: () => node('webdriverio.mjs', { webdriverio: '9.32.0' }),
    env: { MODE: 'bidi' },
  },
  'WebdriverIO, classic': {
    command: () => node('webdriverio.mjs', { webdriverio: '9.32.0' }),
    env: { MODE: 'classic' },
    without: { intercept: undefined, log: undefined, contexts: undefined },
  },
  'Selenium for JavaScript': {
    command: () => node('selenium.mjs', { 'selenium-webdriver': '4.49.0' }),
    without: { 'upload 80 MB': /which is not in this session/ },
  },
  "Selenium for JavaScript at a session's webdriverUrl": {
    command: () => node('selenium.mjs', { 'selenium-webdriver': '4.49.0' }),
    env: { AT: 'session' },
  },
  'Puppeteer over BiDi': {
    command: () => node('puppeteer-bidi.mjs', { 'puppeteer-core': '25.16.0' }),
  },
  'Playwright for Python over connect': {
    command: () => python('with_playwright_connect.py', 'playwright==1.65.2'),
  },
  // The modules of selenium-java that a remote Chromium needs.
  'Selenium for Java': {
    command: () =>
      java(
        'WithSelenium.java',
        'org.seleniumhq.selenium:selenium-chrome-driver:4.51.0',
        'org.seleniumhq.selenium:selenium-support:4.51.0',
      ),
  },
  'Playwright for Java over connect': {
    command: () => java('WithPlaywright.java', 'com.microsoft.playwright:playwright:1.62.0'),
  },
  "Robot Framework's SeleniumLibrary": {
    command: () => robot('selenium_library.robot', 'robotframework-seleniumlibrary==6.9.0'),
    without: { download: undefined, intercept: undefined, log: undefined, contexts: undefined },
  },
  // It has no keyword that answers requests.
  "Robot Framework's Browser library": {
    command: async () => {
      const command = await robot('browser_library.robot', 'robotframework-browser==20.6.0');
      await browserLibrary(command[0]);
      return command;
    },
    without: { intercept: undefined },
  },
  // At a remote browser it asks for no behavior, and BiDi's own is to dismiss prompts.
  Vibium: {
    command: () => python('with_vibium.py', 'vibium==26.8.21'),
    without: { alerts: /'' is not 'Ada'/ },
  },
};
