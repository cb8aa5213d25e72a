// ---- Groups of functions: their members, places and colours ------------------------------------------

const GREY = { '--hue': 0, '--strength': '0%' };
/** The colour of groups of so little cost that they have none of their own. */
const PALE = { '--hue': 45, '--strength': '25%' };
/** The colours of groups of a kind, by their names. */
const coloursBy = once((by) =>
  coloursOf(sorted(groups[by], ({ table, index }) => Number(table.self[0][index])).map(({ name }) => name)),
);
function colourOfGroup({ by, name }) {
  const hue = coloursBy(by).get(name);
  if (hue !== undefined) return { '--hue': hue };
  return isGrey(name) ? GREY : PALE;
}

const membersBy = once((by) => positionsIn(data.groups[by].of, groups[by].length));
/** The functions of a group, or a function itself. */
const membersOf = (of) => (of.by ? membersBy(of.by)[of.index].map((index) => functions[index]) : [of]);

/** Where a package is: its object, or the directory of its name. */
const originOf = once((by, index) => {
  if (by !== 'package') return '';
  const [{ name }, members] = [groups[by][index], membersOf(groups[by][index])];
  const { object } = members.find((of) => isKnown(of.object) && lastComponent(of.object) === name) || {};
  if (object) return `[${shortPath(object)}]`;
  const { file = '' } = members.find((of) => isKnown(of.file)) || {};
  // The directories of crates end with their versions.
  const at = Math.max(`/${file}`.indexOf(`/${name}/`), `/${file}`.indexOf(`/${name}-`));
  return isInternal(file) ? file : file.slice(0, at < 0 ? 0 : at + name.length);
});
