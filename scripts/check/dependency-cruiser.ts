import type { Statement, VariableDeclarator } from '@swc/core';
import visitor from '@swc/core/Visitor.js';
import type { IConfiguration, IRegularForbiddenRuleType } from 'dependency-cruiser';
import { folders, type Table, workspaces } from './import-rules.ts';

type Using = Statement & { decls: VariableDeclarator[] };

/** Matches tests beside the code that they test, and what only these share. */
const testCode = ['\\.test\\.tsx?$', '/src/testing/', '/src/.+/testing/'];
/** Matches what is not shipped. It may import anything, and nothing that is shipped imports it. */
const unshipped = '^(bench|scripts|tests)/';
const anyWorkspace = '^(apps|packages)/';

const rules: Omit<IRegularForbiddenRuleType, 'severity'>[] = [
  { name: 'import cycle', from: {}, to: { circular: true } },
  {
    name: 'shipped code may not import tests, benches or scripts',
    from: { path: anyWorkspace, pathNot: testCode },
    to: { path: [unshipped, ...testCode] },
  },
  {
    name: 'a relative import may not leave its workspace; import the package by its name',
    from: { path: '^((?:apps|packages)/[^/]+)/' },
    to: { path: anyWorkspace, pathNot: '^$1/', dependencyTypes: ['local'] },
  },
  {
    name: 'only the files beside the folders may import routes',
    from: { path: '^(apps|packages)/[^/]+/src/[^/]+/', pathNot: testCode },
    to: { path: '-routes\\.tsx?$' },
  },
  {
    name: "only its own folder, dashboard, operator and the files beside the folders may import a feature's store",
    from: {
      path: '^(apps/gateway/src/[^/]+)/',
      pathNot: [...testCode, '^apps/gateway/src/(dashboard|operator)/'],
    },
    to: {
      path: '^apps/gateway/src/.+-store\\.ts$',
      // Creates, files and traffic are about sessions, and find them by `session-store`.
      pathNot: [
        '^$1/',
        '^apps/gateway/src/(audit|ledger|limits|mail|metrics)/',
        '^apps/gateway/src/sessions/session-store\\.ts$',
      ],
    },
  },
  {
    name: 'a workspace needs a row in scripts/check/import-rules.ts',
    from: { path: anyWorkspace, pathNot: Object.keys(workspaces).map((workspace) => `^${workspace}/`) },
    to: {},
  },
  ...Object.entries(workspaces).map(([workspace, allowed]) => ({
    name: `not in the list of ${workspace}`,
    from: { path: `^${workspace}/` },
    to: { path: anyWorkspace, pathNot: [workspace, ...allowed].map((path) => `^${path}/`) },
  })),
  ...Object.entries(folders).flatMap(([workspace, table]) => folderRules(`${workspace}/src`, table)),
];

function folderRules(src: string, table: Table): Omit<IRegularForbiddenRuleType, 'severity'>[] {
  const within = (folder: string) => `^${src}/${folder}(/|\\.(tsx?|css)$)`;
  const unknown = {
    name: `a folder of ${src} needs a row in scripts/check/import-rules.ts`,
    from: { path: `^${src}/`, pathNot: [...testCode, ...Object.keys(table).map(within)] },
    to: {},
  };
  const known = Object.entries(table).map(([folder, allowed]) => ({
    name: `not in the list of ${src}/${folder}`,
    from: { path: within(folder), pathNot: testCode },
    to: { path: `^${src}/`, pathNot: [...testCode, ...[folder, ...allowed].map(within)] },
  }));
  return [unknown, ...known];
}

const { Visitor } = visitor;
const visitStatement = Visitor.prototype.visitStatement;
/**
 * Adds `using` declarations to swc's visitor, which throws on them. dependency-cruiser reads TypeScript by
 * swc, as it cannot use TypeScript 7 yet.
 */
Visitor.prototype.visitStatement = function (this: typeof Visitor.prototype, statement) {
  if (!isUsing(statement)) return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

function isUsing(statement: Statement | { type: 'UsingDeclaration' }): statement is Using {
  return statement.type === 'UsingDeclaration';
}

const configuration: IConfiguration = {
  forbidden: rules.map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(apps|packages)/[^/]+/dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
export default configuration;
