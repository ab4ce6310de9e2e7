import { IdleMemory } from '../memory/idle-memory.ts';

/** For a test only, as a process of its own: prints its resident MiB before load, under it, and after it was idle. */
const memory = new IdleMemory({ cpuMs: () => 0 });
const resident = () => process.memoryUsage.rss() / 2 ** 20;
const before = resident();
let kept: object[] = [];
for (let i = 0; i < 600_000; i += 1) kept.push({ i, text: `text ${i}`, list: [i, i] });
const loaded = resident();
kept = [];
memory.check();
console.log(JSON.stringify({ before, loaded, after: resident() }));
