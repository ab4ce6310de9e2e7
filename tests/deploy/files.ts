import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '@turnpike/process/settings/setting-table';
import { parseAllDocuments } from 'yaml';

export const root = join(import.meta.dirname, '../..');

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted();

/** A YAML text's documents; it throws on what a strict reader would not take. */
export function documents(text: string): any[] {
  return parseAllDocuments(text, { merge: true, strict: true, uniqueKeys: true }).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw error;
    return document.toJS();
  });
}

/** A Dockerfile's instructions, lines that go on joined. */
export function instructions(path: string): { name: string; words: string[] }[] {
  return read(path)
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/);
      return { name, words };
    });
}

/** A pod that objects of Kubernetes make, by what makes it. */
export interface Workload {
  name: string;
  kind: string;
  labels: Record<string, string>;
  spec: any;
}

export function workloads(objects: readonly any[]): Workload[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ kind, metadata, spec }) => ({
      kind,
      name: metadata.name,
      labels: spec.template.metadata.labels,
      spec: spec.template.spec,
    }));
}

/** Settings that some part reads. */
export const knownSettings = (): Set<string> => new Set(Object.keys(settings));
