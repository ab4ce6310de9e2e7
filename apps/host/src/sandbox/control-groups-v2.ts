import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { controllers } from './process-cgroups.ts';
import { readStat } from './process-stat.ts';

const leafName = 'turnpike-host';

/**
 * Version 2 keeps processes in the leaves of the tree: for sessions to have groups below the host's, the host
 * itself goes into one beside theirs, with what started it (npm, say). Answers the directory for the
 * sessions' groups; throws with the reason where that cannot be.
 */
export function enableControllers(own: string): string {
  checkControllers(own);
  const parent = parentFor(own);
  // The root of the machine's tree may hold processes.
  if (!areEnabled(parent) && !tryEnable(parent)) moveDown(parent);
  return parent;
}

/** Throws where `enableControllers` would, and changes nothing. */
export function checkControllers(own: string): void {
  const parent = parentFor(own);
  accessSync(parent, constants.W_OK);
  if (areEnabled(parent)) return;
  const missing = lacking(`${parent}/cgroup.controllers`);
  if (missing.length > 0) throw new Error(`the control group ${parent} was not given ${missing.join(', ')}`);
  accessSync(`${parent}/cgroup.subtree_control`, constants.W_OK);
  const strangers = processesIn(parent).filter((pid) => !isOwnLine(pid));
  if (strangers.length > 0) throw new Error(`other programs run in the control group ${parent}`);
}

function parentFor(own: string): string {
  return basename(own) === leafName ? dirname(own) : own;
}

function areEnabled(parent: string): boolean {
  return lacking(`${parent}/cgroup.subtree_control`).length === 0;
}

function moveDown(parent: string): void {
  const leaf = `${parent}/${leafName}`;
  mkdirSync(leaf, { recursive: true });
  move(processesIn(parent), leaf);
  if (tryEnable(parent)) return;
  move(processesIn(leaf), parent);
  rmdirSync(leaf);
  throw new Error(`the control group ${parent} takes no groups with limits`);
}

function lacking(file: string): string[] {
  const there = readFileSync(file, 'latin1').trim().split(' ');
  return controllers.filter((controller) => !there.includes(controller));
}

function tryEnable(directory: string): boolean {
  const wanted = controllers.map((controller) => `+${controller}`).join(' ');
  try {
    writeFileSync(`${directory}/cgroup.subtree_control`, wanted);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false;
    throw error;
  }
}

function processesIn(directory: string): number[] {
  return readFileSync(`${directory}/cgroup.procs`, 'latin1').split('\n').filter(Boolean).map(Number);
}

function move(pids: readonly number[], directory: string): void {
  for (const pid of pids) {
    try {
      writeFileSync(`${directory}/cgroup.procs`, String(pid));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** This process or one that it descends from. */
function isOwnLine(candidate: number): boolean {
  for (let pid: number | undefined = process.pid; pid; pid = readStat(pid)?.parent)
    if (pid === candidate) return true;
  return false;
}
