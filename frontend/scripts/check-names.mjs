// Checks the words of the interface: texts that users read have no banned word, and declarations
// do not use the listed metaphors as names.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

const glossary = readFileSync(join(root, '..', 'backend', 'docs', 'glossary.md'), 'utf8');
const listed =
  glossary.match(/^- (?:Everywhere|In documents and the interface also): .+$/gmu) ?? [];
if (listed.length !== 2)
  throw new Error('backend/docs/glossary.md has no two lists of banned words');
const words = listed.flatMap((line) => [...line.matchAll(/`([^`]+)`/gu)].map(([, word]) => word));

/** Matches words that texts of the interface must not contain. */
const BANNED = new RegExp(`\\b(?:${words.join('|').replaceAll(' ', '\\s+')})\\b`, 'iu');

/** Former names of concepts that now have the word of the field; declarations must not use them. */
const METAPHORS = new Set(
  [
    'Told Telling Would Doubt Doubts Payer Victim Blame BlameBars HeldBy Dice Late FrozenPlace FrozenReader Unasked',
    'ArrangeWish LabelWish LatencyWish NoteWords ServiceWords BuildWords Around Chosen BoardRow BoardPage Hooks HookForm',
    'askedAs stayingHistory tellChange tellRest tellingOf heldByWords goneOn keepOrder forgetOrder whyNot dice usePressed',
    'annulProbe tellAgain forgetRunner lookForMissed readThrough askForCut',
  ].flatMap((line) => line.split(' ')),
);

const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  .filter((file) => !/src\/(api\/generated|testing)\/|\.test\.tsx?$/.test(file));

const problems = [];

/** Returns whether a literal is text for users: it has a space and is not an import path. */
const isText = (node) =>
  ts.isJsxText(node) ||
  (ts.isStringLiteralLike(node) &&
    !ts.isImportDeclaration(node.parent) &&
    !ts.isExportDeclaration(node.parent) &&
    (node.text.includes(' ') || ts.isJsxAttribute(node.parent))) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddle(node) ||
  ts.isTemplateTail(node);

for (const file of files) {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const report = (node, message) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    problems.push(`${file}:${line + 1}: ${message}`);
  };
  const visit = (node) => {
    const found = isText(node) ? BANNED.exec(node.text) : null;
    if (found) report(node, `"${found[0]}" in "${node.text.replace(/\s+/g, ' ').trim()}"`);
    const name =
      (ts.isFunctionDeclaration(node) ||
        ts.isClassDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isVariableDeclaration(node)) &&
      node.name &&
      ts.isIdentifier(node.name)
        ? node.name.text
        : null;
    if (name !== null && METAPHORS.has(name)) report(node, `the name ${name} is a metaphor`);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`names and texts checked: ${files.length} files`);
