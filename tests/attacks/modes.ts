/** The browsers to attack from. */
export const modes = {
  quick: [{ name: 'headful', headless: 'false' }],
  slow: [{ name: 'headless', headless: 'true' }],
} as const;
