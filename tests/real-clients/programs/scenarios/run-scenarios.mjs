// Runs a client's scenarios one after the other, and prints for each "ok" or what went wrong.

/** What a scenario may take. The upload of 80 MB is the slowest. */
const timeoutMs = 30_000;

export const { GATEWAY: gateway, KEY: key, PROXY: proxy, SITE: site, SCRATCH: scratch } = process.env;

export const letter = `${scratch}/letter.txt`;
export const large = `${scratch}/large.bin`;
export const largeBytes = 80_000_000;

export function equal(actual, expected) {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

/** Waits until a function returns that value. */
export async function becomes(read, expected) {
  for (const end = Date.now() + 15_000; ; ) {
    const actual = await read();
    if (actual === expected || Date.now() > end) return equal(actual, expected);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function runScenarios(scenarios) {
  const outcome = {};
  for (const [name, run] of Object.entries(scenarios)) {
    const { promise: late, reject } = Promise.withResolvers();
    const timer = setTimeout(() => reject(new Error('it took too long')), timeoutMs);
    try {
      await Promise.race([run(), late]);
      outcome[name] = 'ok';
    } catch (error) {
      outcome[name] = String(error.message ?? error).slice(0, 500);
    }
    clearTimeout(timer);
  }
  console.log(JSON.stringify(outcome));
}
