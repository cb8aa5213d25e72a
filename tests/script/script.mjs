// The parts of the report's script that need no browser.
import { readFileSync } from 'node:fs';

const files = ['numbers', 'names', 'trees', 'times'];
const directory = new URL('../../src/output/html/page/', import.meta.url);
const text = files.map((file) => readFileSync(new URL(`${file}.js`, directory), 'utf8')).join('\n');
const names = [...text.matchAll(/^(?:function|const|class) (\w+)/gm)].map(([, name]) => name);
export default new Function(`${text}\nreturn { ${names.join(', ')} };`)();
