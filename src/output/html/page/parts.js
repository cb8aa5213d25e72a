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
      nameColumn('Part', ({ part, short }) => el('span', { title: part.input }, short), {
        sort: 'name',
        order: ({ short }) => short,
      }),
      areUnlike && placeColumn('Command', ({ command }) => el('span', { title: command }, command)),
    ],
    rows: found,
  });
  return {
    view: [
      soft(
        'What can be told apart in the inputs: requests and other runs, threads, dumps. ',
        'The other views have the sums of all.',
      ),
      table,
      note,
    ],
  };
}
