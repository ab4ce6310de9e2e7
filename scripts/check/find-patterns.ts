import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

/** A regular expression of a source file. */
export interface FoundPattern {
  file: string;
  line: number;
  /** Undefined where it is not a constant. */
  pattern: { source: string; flags: string } | undefined;
  /** Why it may backtrack, from a comment on its line or directly above: `// backtracks: …`. */
  reason: string | undefined;
}

/** Finds the regular expressions of a file: literals, and what is given to `RegExp`. */
export function findPatterns(file: string, code: string): FoundPattern[] {
  const { program, comments, errors } = parseSync(file, code);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const lineStarts = [0, ...Array.from(code.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineOf = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const reasons = new Map<number, string>();
  for (const { value, start, end } of comments) {
    const reason = /^\s*backtracks: (\S.*)$/.exec(value)?.[1];
    if (reason === undefined) continue;
    const isAlone = code.slice(lineStarts[lineOf(start) - 1], start).trim() === '';
    reasons.set(lineOf(end) + (isAlone ? 1 : 0), reason);
  }
  const constants = constantsOf(program);
  const found: FoundPattern[] = [];
  const add = (start: number, pattern: FoundPattern['pattern']) => {
    const line = lineOf(start);
    found.push({ file, line, pattern, reason: reasons.get(line) });
  };
  const made = ({
    callee,
    arguments: [source, flags],
    start,
  }: ESTree.NewExpression | ESTree.CallExpression) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const text = constantText(source, constants);
    const flagText = flags === undefined ? '' : constantText(flags, constants);
    const isConstant = text !== undefined && flagText !== undefined;
    add(start, isConstant ? { source: text, flags: flagText } : undefined);
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(node.start, { source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: made,
    CallExpression: made,
  }).visit(program);
  return found;
}

type Constants = ReadonlyMap<string, ESTree.Expression>;

/** The constants of the file's top level by their names. */
function constantsOf({ body }: ESTree.Program): Constants {
  const constants = new Map<string, ESTree.Expression>();
  for (const statement of body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') continue;
    for (const { id, init } of declared.declarations)
      if (id.type === 'Identifier' && init) constants.set(id.name, init);
  }
  return constants;
}

/** The text that an expression always has; undefined where that is not known. */
function constantText(node: ESTree.Node | undefined, constants: Constants): string | undefined {
  switch (node?.type) {
    case 'Literal':
      if ('regex' in node) return node.regex.pattern;
      return typeof node.value === 'string' ? node.value : undefined;
    case 'Identifier':
      return constantText(constants.get(node.name), constants);
    case 'TSAsExpression':
      return constantText(node.expression, constants);
    case 'TemplateLiteral':
      return templateText(node, constants, ({ cooked }) => cooked);
    case 'TaggedTemplateExpression':
      return isMember(node.tag, 'raw') ? templateText(node.quasi, constants, ({ raw }) => raw) : undefined;
    case 'CallExpression':
      return joinedText(node, constants);
    default:
      return undefined;
  }
}

function templateText(
  { quasis, expressions }: ESTree.TemplateLiteral,
  constants: Constants,
  textOf: (value: { raw: string; cooked: string | null }) => string | null,
): string | undefined {
  const values = expressions.map((expression) => constantText(expression, constants));
  if (values.includes(undefined)) return undefined;
  return quasis.map(({ value }, i) => `${textOf(value)}${values[i] ?? ''}`).join('');
}

/** The text of `['a', 'b'].join('|')`. */
function joinedText({ callee, arguments: [separator] }: ESTree.CallExpression, constants: Constants) {
  if (!isMember(callee, 'join') || callee.type !== 'MemberExpression') return undefined;
  let list: ESTree.Node | undefined = callee.object;
  if (list.type === 'Identifier') list = constants.get(list.name);
  if (list?.type === 'TSAsExpression') list = list.expression;
  const between = constantText(separator, constants);
  if (list?.type !== 'ArrayExpression' || between === undefined) return undefined;
  const texts = list.elements.map((element) => constantText(element ?? undefined, constants));
  return texts.includes(undefined) ? undefined : texts.join(between);
}

const isMember = (node: ESTree.Expression, name: string): boolean =>
  node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === name;
