// ---- Names and locations -----------------------------------------------------------------------------

/** A location. It is a link if the report has a template for links. */
function place({ file, object, line, isOutside }, isWhole = false) {
  const short = isWhole ? (path) => path : shortPath;
  const text = (title, shown) => el('span', { class: 'path', title }, shown);
  if (!file && !object) return undefined;
  if (!isKnown(file) && isKnown(object)) return text(`[${object}]`, `[${short(object)}]`);
  if (isInternal(file)) return text(file, file);
  const suffix = line > 0 && file ? `:${line}` : '';
  const [title, shown] = [file + suffix, short(file) + suffix];
  if (!data.source_url || !isFile(file) || isOutside) return text(title, shown);
  const path = file.split('/').map(encodeURIComponent).join('/');
  const href = data.source_url.replaceAll('{file}', () => path).replaceAll('{line}', () => line || 1);
  return el('a', { class: 'path', href, title, rel: 'noopener noreferrer', tabindex: NONE }, shown);
}

/** A name. If it does not fit, its namespace and arguments are cut. */
function nameOf({ name, parts: [scope, type, own, rest] }) {
  const parts = [span(undefined, scope), span('own', type + own), span(undefined, rest)];
  return el('span', { class: 'parts', title: name }, parts);
}

/** A name, a link if its function is in the report. */
const linked = (of) => el('a', { href: toFunction(of), tabindex: NONE }, nameOf(of));
