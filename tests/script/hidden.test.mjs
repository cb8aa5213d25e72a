import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import script from './script.mjs';

const { allStacks, charges, hiding, searchText } = script;

const directory = new URL('../../fixtures/hidden/', import.meta.url);

/** Functions and frames, as the report makes them of its data. */
function framesOf({ files, functions: table, frames: columns }) {
  const named = (name, parts, more) => {
    const short = parts.split('\n').join('');
    const whole = name || short;
    return { ...more, name: whole, text: searchText(whole, short, more) };
  };
  const functions = table.parts.map((parts, index) =>
    named(table.name[index], parts, {
      index,
      key: index,
      file: files[table.file[index]] || '',
      object: files[table.object[index]] || '',
    }),
  );
  const none = { index: -1, file: '', object: '' };
  const frames = columns.parts.map((parts, key) => {
    const of = functions[columns.function[key]] || none;
    return parts ? { ...named(columns.name[key], parts, of), key } : { ...of, key };
  });
  return { functions, frames };
}

for (const file of readdirSync(directory)) {
  const { data, cases } = JSON.parse(readFileSync(new URL(file, directory), 'utf8'));
  const { functions, frames } = framesOf(data);
  const columns = { ...data.stacks, own: data.stacks.self[0] };
  const root = { index: -1, name: '(hidden)' };
  const options = { root, runs: [1, 1], isHuge: true, hasBase: false };

  for (const { hide, stacks, rows } of cases) {
    test(`the program and the report hide ${hide} in the same way, ${file}`, () => {
      const isHidden = hiding(hide);
      const tree = allStacks(columns, frames, { ...options, isHidden });
      const lines = tree.nodes.flatMap((node) => {
        const names = [node.frame.name];
        for (let at = node.parent; at?.parent; at = at.parent) names.unshift(at.frame.name);
        return node.own === 0n ? [] : [`${names.join(';')} ${node.own}`];
      });
      assert.deepEqual(lines.sort(), stacks.sort());

      const added = charges(columns, frames, (index) => index >= 0 && isHidden(functions[index]), functions.length);
      const found = functions
        .filter((of) => !isHidden(of))
        .map(({ index, name, file: place }) => [
          name,
          place,
          Number(BigInt(data.functions.self[0][index]) + added[index]),
        ]);
      const charged = added.reduce((sum, value) => sum + value, 0n);
      const left = functions
        .filter(isHidden)
        .reduce((sum, { index }) => sum + BigInt(data.functions.self[0][index]), 0n);
      if (left !== charged) found.push(['(hidden)', '', Number(left - charged)]);
      assert.deepEqual(found.sort(), rows.sort());
    });
  }
}
