import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { drivePage } from './drive-page.ts';
import { act, actionTimeoutMs, element } from './page-action.ts';
import { cut, describePage, readPage } from './read-page.ts';
import { image, text } from './tool-answers.ts';

const navigationTimeoutMs = 45_000;
const maxWaitSeconds = 50;

const session = z.string().optional().describe("The session's id. Default: the session that was used last.");
const target = z
  .string()
  .min(1)
  .describe('A ref from read with format accessibility, such as e12; or a CSS or Playwright selector.');
const excerpt = {
  offset: z.number().int().min(0).default(0).describe('The character to start at.'),
  maxChars: z.number().int().min(100).max(100_000).default(20_000).describe('At most this many characters.'),
};
const timeout = actionTimeoutMs;
const acting = { destructiveHint: true, openWorldHint: true };
const looking = { readOnlyHint: true, openWorldHint: true };

/** The tools that act on a page. Each answer says which page the browser then shows. */
export function pageTools(server: McpServer, browsers: AgentBrowsers): void {
  server.registerTool(
    'navigate',
    {
      title: 'Go to a page',
      description: 'Loads a URL in the browser. Read it with read.',
      inputSchema: { url: z.url({ protocol: /^https?$/ }).describe('http or https.'), session },
      annotations: acting,
    },
    ({ url, session }) =>
      drivePage(browsers, session, async (page) => {
        const options = { waitUntil: 'domcontentloaded', timeout: navigationTimeoutMs } as const;
        const response = await page.goto(url, options);
        return text(`${await describePage(page)}\nHTTP status: ${response?.status() ?? 'none'}`);
      }),
  );

  server.registerTool(
    'read',
    {
      title: 'Read the page',
      description:
        'What the page says: markdown for its text and links, accessibility for the tree of its elements with ' +
        'the refs that click, type and the others take.',
      inputSchema: {
        format: z.enum(['markdown', 'accessibility']).default('markdown'),
        ...excerpt,
        session,
      },
      annotations: looking,
    },
    ({ format, session, ...part }) =>
      drivePage(browsers, session, async (page) => text(await readPage(page, format, part))),
  );

  server.registerTool(
    'click',
    {
      title: 'Click',
      description: 'Clicks an element and waits for the page that this may load.',
      inputSchema: {
        target,
        button: z.enum(['left', 'middle', 'right']).default('left'),
        double: z.boolean().default(false),
        session,
      },
      annotations: acting,
    },
    ({ target, button, double, session }) =>
      drivePage(browsers, session, async (page) => {
        const options = { button, clickCount: double ? 2 : 1, timeout };
        const clicked = await element(page, target);
        await act(page, () => clicked.click(options));
        return done('Clicked.', page);
      }),
  );

  server.registerTool(
    'type',
    {
      title: 'Type into a field',
      description: 'Replaces what is in a field with text.',
      inputSchema: {
        target,
        text: z.string(),
        submit: z.boolean().default(false).describe('Presses Enter afterwards.'),
        session,
      },
      annotations: acting,
    },
    ({ target, text: words, submit, session }) =>
      drivePage(browsers, session, async (page) => {
        const field = await element(page, target);
        await act(page, async () => {
          await field.fill(words, { timeout });
          if (submit) await field.press('Enter', { timeout });
        });
        return done('Typed.', page);
      }),
  );

  server.registerTool(
    'select',
    {
      title: 'Choose in a list',
      description: 'Chooses options of a <select> by their labels or values.',
      inputSchema: { target, options: z.array(z.string()), session },
      annotations: acting,
    },
    ({ target, options, session }) =>
      drivePage(browsers, session, async (page) => {
        const list = await element(page, target);
        await act(page, () => list.selectOption(options, { timeout }));
        return done('Chosen.', page);
      }),
  );

  server.registerTool(
    'press',
    {
      title: 'Press a key',
      description: 'Presses a key or a combination, such as Enter, PageDown, Escape or Control+A.',
      inputSchema: {
        key: z.string().min(1),
        target: target.optional().describe('The element to press it on. Default: the focused one.'),
        session,
      },
      annotations: acting,
    },
    ({ key, target, session }) =>
      drivePage(browsers, session, async (page) => {
        const field = target === undefined ? undefined : await element(page, target);
        await act(page, () => (field ? field.press(key, { timeout }) : page.keyboard.press(key)));
        return done('Pressed.', page);
      }),
  );

  server.registerTool(
    'wait_for',
    {
      title: 'Wait for text',
      description: 'Waits until text is visible on the page, or no longer is.',
      inputSchema: {
        text: z.string().min(1),
        gone: z.boolean().default(false).describe('Wait until it is no longer there.'),
        seconds: z.number().positive().max(maxWaitSeconds).default(20),
        session,
      },
      annotations: looking,
    },
    ({ text: words, gone, seconds, session }) =>
      drivePage(browsers, session, async (page) => {
        const state = gone ? 'hidden' : 'visible';
        await page
          .getByText(words)
          .first()
          .waitFor({ state, timeout: seconds * 1000 });
        return done(gone ? 'It is gone.' : 'It is there.', page);
      }),
  );

  server.registerTool(
    'screenshot',
    {
      title: 'Take a screenshot',
      description: 'An image of what the browser shows, of the whole page, or of one element.',
      inputSchema: {
        fullPage: z.boolean().default(false),
        target: target.optional(),
        session,
      },
      annotations: looking,
    },
    ({ fullPage, target, session }) =>
      drivePage(browsers, session, async (page) => {
        const options = { type: 'jpeg', quality: 80, scale: 'css', timeout } as const;
        const taken =
          target === undefined
            ? page.screenshot({ ...options, fullPage })
            : (await element(page, target)).screenshot(options);
        return image(await taken, 'image/jpeg');
      }),
  );

  server.registerTool(
    'evaluate',
    {
      title: 'Run JavaScript in the page',
      description: 'Evaluates an expression in the page and returns its value as JSON.',
      inputSchema: {
        expression: z.string().min(1).describe('Such as document.title, or (() => { … })().'),
        ...excerpt,
        session,
      },
      annotations: acting,
    },
    ({ expression, session, ...part }) =>
      drivePage(browsers, session, async (page) => {
        const value: unknown = await page.evaluate(expression);
        return text(cut(JSON.stringify(value, null, 2) ?? 'undefined', part));
      }),
  );
}

const done = async (what: string, page: Page) => text(`${what}\n${await describePage(page)}`);
