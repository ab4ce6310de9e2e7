import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readStat } from '../process-stat.ts';
import { controllers } from './process-cgroups.ts';

const leafName = 'turnpike-host';

/**
 * Enables controllers for groups below the host's and returns the directory for sessions' groups. Version 2 allows
 * processes only in leaves of the tree, so the host, and what started it (npm, for example), moves into a group of its
 * own. Throws with the reason where that is not possible.
 */
export function enableControllers(own: string): string {
  checkControllers(own);
  const parent = parentFor(own);
  // The root of the machine's tree may have processes of its own.
  if (!areEnabled(parent) && !tryEnable(parent)) moveDown(parent);
  return parent;
}

/** Throws where `enableControllers` would, without changing anything. */
export function checkControllers(own: string): void {
  const parent = parentFor(own);
  accessSync(parent, constants.W_OK);
  if (areEnabled(parent)) return;
  const missing = missingControllers(`${parent}/cgroup.controllers`);
  if (missing.length > 0)
    throw new Error(`the control group ${parent} has no controller ${missing.join(', ')}`);
  accessSync(`${parent}/cgroup.subtree_control`, constants.W_OK);
  const others = processesIn(parent).filter((pid) => !isAncestorOrSelf(pid));
  if (others.length > 0) throw new Error(`other programs run in the control group ${parent}`);
}

function parentFor(own: string): string {
  return basename(own) === leafName ? dirname(own) : own;
}

function areEnabled(parent: string): boolean {
  return missingControllers(`${parent}/cgroup.subtree_control`).length === 0;
}

function moveDown(parent: string): void {
  const leaf = `${parent}/${leafName}`;
  mkdirSync(leaf, { recursive: true });
  move(processesIn(parent), leaf);
  if (tryEnable(parent)) return;
  move(processesIn(leaf), parent);
  rmdirSync(leaf);
  throw new Error(`the control group ${parent} cannot have groups with limits`);
}

function missingControllers(file: string): string[] {
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

/** Whether a process is this one or an ancestor of it. */
function isAncestorOrSelf(candidate: number): boolean {
  for (let pid: number | undefined = process.pid; pid; pid = readStat(pid)?.parent)
    if (pid === candidate) return true;
  return false;
}
