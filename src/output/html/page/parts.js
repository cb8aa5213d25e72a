// ---- Parts: what can be told apart in the inputs, such as requests, threads and dumps ----------------

const parted = data.parts.each.map((part, at) => {
  const { input, number, thread, name, command } = part;
  const told = [
    name,
    number !== null && `${data.kind === 'trace' ? 'run' : 'part'} ${number}`,
    thread !== null && `thread ${thread}`,
  ];
  const more = { key: `part ${at}`, part, command };
  const row = other(joined([lastComponent(input), ...told]), more);
  return { ...row, text: joined([input, ...told, command], '\n').toLowerCase() };
});

/** What the views cannot show of a part, and how to see it. */
const ONE_PART =
  'The report has the functions of all parts together; for those of one, make a report of it with --part NAME.';

/** A word that a shell leaves as it is. */
const quoted = (word) => (/^[\w./,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The command that makes the report of a part; none if that cannot be told from others. */
function commandOf({ input, number, thread, name }) {
  const isAlone = data.parts.unlisted === 0 && parted.filter(({ part }) => part.input === input).length === 1;
  const numbered = number !== null && `${number}${thread === null ? '' : `-${String(thread).padStart(2, '0')}`}`;
  const option = isAlone ? '' : numbered || name;
  // Names may be cut.
  const isUnknown = [input, option].some((text) => text === null || text.endsWith('…'));
  if (isUnknown || input === 'standard input') return '';
  return joined(['cg-preprocess', quoted(input), option && `--part ${quoted(option)}`, '-o part.html'], ' ');
}

/** The command for the part that was chosen. */
function chosenCommand(rows) {
  const chosen = rows.find(({ part }) => part === data.parts.each[state.part]);
  return chosen && soft(`For the functions of ${chosen.short}: `, el('code', {}, commandOf(chosen.part)));
}

/** Which of several requests, threads or dumps changed most. */
function showChangedParts() {
  const rows = groups.part.map((row) => ({ ...row, key: `part ${row.index}` }));
  const found = rows.filter(searching(state.search));
  if (found.length === 0) return { view: [nothingFound()] };
  const cost = (row) => sidesOf(row, 'self');
  const table = tableOf({
    label: 'Parts',
    sort: 'parts',
    columns: [
      ...changeColumns(cost, 'cost'),
      sidesColumn(heading('Cost'), cost, columnCost, { sort: 'cost' }),
      callColumn((row) => sidesOf(row, 'calls'), { sort: 'calls' }, sidesColumn),
      nameColumn(
        'Part',
        ({ name, short, is }) => [is && el('b', { class: 'badge' }, is), el('span', { title: name }, short)],
        { sort: 'name', order: ({ name }) => name },
      ),
    ],
    rows: found,
    functionOf: () => OTHERS,
  });
  return { view: [soft('Runs, threads and dumps, paired by their names or inputs. ', ONE_PART), table] };
}

/** A link to the run of a part on the timeline, if it is there. */
function runOf({ input, number, command }) {
  const lane = lanes.indexOf(`${lastComponent(input)} · run ${number ?? 1} · ${command}`);
  if (lane < 0 || lanes.length < 2) return undefined;
  // The runs are the first nodes below all.
  return el('a', { class: 'more', href: toView('timeline', { event: 0, zoom: lane + 1 }), tabindex: NONE }, 'timeline');
}

/** A link that shows the command for the functions of a part. */
function functionsOf(part) {
  const at = data.parts.each.indexOf(part);
  if (!commandOf(part)) return undefined;
  const isChosen = at === state.part;
  const text = isChosen ? 'see above' : 'its functions';
  return el('a', { class: 'more', href: to({ part: isChosen ? NONE : at }), tabindex: NONE }, text);
}

/** Which of several requests, threads or dumps was slow. */
function showParts() {
  const { event } = state;
  const cost = ({ part }) => part.total[event] ?? 0;
  const rest = exact(totalOf()) - sumOf(parted.map(cost));
  const left = data.parts.unlisted > 0 && `Omitted: ${counted(data.parts.unlisted, 'part')}`;
  const note = left && soft(`${left} with ${costWithUnit(rest)} (${share(rest)} %)`);
  const found = parted.filter(searching(state.search));
  if (found.length === 0) return { view: [nothingFound(), note] };
  const areUnlike = new Set(parted.map(({ command }) => command)).size > 1;
  const table = tableOf({
    label: 'Parts',
    sort: 'parts',
    columns: [
      barColumn('Cost %', cost, { sort: 'cost' }),
      costColumn('Cost', cost, { sort: 'cost' }),
      callColumn(({ part }) => part.calls, { sort: 'calls' }),
      nameColumn(
        'Part',
        ({ part, short }) => [el('span', { title: part.input }, short), runOf(part), functionsOf(part)],
        { sort: 'name', order: ({ short }) => short },
      ),
      areUnlike && placeColumn('Command', ({ command }) => el('span', { title: command }, command)),
    ],
    rows: found,
  });
  return {
    view: [
      soft(
        'What can be told apart in the inputs: requests and other runs, threads, dumps. ',
        ONE_PART,
        data.timeline && ' The timeline has each run.',
      ),
      chosenCommand(found),
      table,
      note,
    ],
  };
}
