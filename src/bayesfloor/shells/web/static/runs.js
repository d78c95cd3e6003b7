// The list of runs: their progress and answers, the report that is read, and comparisons.
import * as api from "./api.js";
import { byId, isUnderWay, make, say, sentence, showProblem } from "./dom.js";

const cards = new Map(); // id of a run: its state on the page, and its card, which stays the same
let reading = null;

export function showRuns(runs, refresh) {
  byId("runs").hidden = runs.length === 0;
  for (const [id, one] of cards) {
    if (!runs.some((run) => run.id === id)) forget(id, one.card);
  }
  for (const run of runs) {
    const before = cards.get(run.id);
    const card = before?.card ?? makeCard(run, refresh);
    if (!before) byId("run-list").prepend(card);
    if (before?.state !== run.state) {
      cards.set(run.id, { state: run.state, card });
      card.className = `run ${run.state}`;
      if (!isUnderWay(run)) end(card, run, refresh);
      if (before) announce(run);
      if (before && run.state === "done") read(run);
    }
    if (isUnderWay(run)) tellProgress(card, run);
  }
  offerComparison(runs.filter((run) => run.state === "done" && !run.is_pair));
}

function forget(id, card) {
  const focused = card.contains(document.activeElement);
  card.remove();
  cards.delete(id);
  if (reading === id) closeReport();
  if (focused) byId("runs-heading").focus();
}

function announce(run) {
  const words = { done: run.summary?.sentence, failed: run.problem, cancelled: "Cancelled." };
  if (words[run.state]) say(`Run ${run.number}: ${words[run.state]}`);
}

function makeCard(run, refresh) {
  return make("li", {}, make("h3", {}, run.title), make("div", { className: "progress" },
    make("progress", { "aria-label": `Progress of run ${run.number}` }),
    button("Cancel", run, api.cancelRun, refresh), make("span")));
}

const button = (text, run, request, refresh) => make("button", {
  type: "button", onclick: () => request(run.id).then(refresh, (p) => showProblem(p.message)),
  "aria-label": `${text} run ${run.number}`,
}, text);

// What a run has come to takes the place of its progress; the focus goes to the first thing to do.
function end(card, run, refresh) {
  const progress = card.querySelector(".progress");
  const focused = progress.contains(document.activeElement);
  const remove = button("Remove", run, api.removeRun, refresh);
  if (run.state === "done") {
    progress.replaceWith(...(run.is_pair ? pairAnswer(run.summary) : answer(run.summary)),
      make("div", { className: "buttons" },
        make("button", { type: "button", onclick: () => read(run, true), "aria-label": `Read run ${run.number}` }, "Read"),
        make("a", { href: `${api.reportAddress(run.id)}?download`, download: "" }, "Download the report"),
        remove));
  } else {
    const why = run.state === "failed" ? [make("p", { className: "verdict" }, "No answer"), make("p", {}, sentence(run.problem))]
      : [make("p", {}, "Cancelled.")];
    progress.replaceWith(...why,
      make("div", { className: "buttons" }, remove));
  }
  if (focused) card.querySelector("button").focus();
}

function tellProgress(card, run) {
  const bar = card.querySelector("progress");
  const waiting = run.before === 1 ? "1 run is served first" : `${run.before} runs are served first`;
  const text = run.state === "queued" ? (run.before ? `In the queue: ${waiting}` : "Starting")
    : run.doing || "Starting";
  if (run.state === "running" && run.share > 0) bar.value = run.share;
  else bar.removeAttribute("value");
  const place = card.querySelector(".progress span");
  if (place.textContent !== text) place.textContent = text;
}

function answer(summary) {
  const verdicts = summary.headings.map((text) => make("p", { className: "verdict" }, text));
  const cautions = summary.cautions.map((text) => make("p", { className: "caution" }, `Check first: ${text}`));
  return [...verdicts, make("p", {}, summary.sentence), ...cautions, ...scale(summary)];
}

function pairAnswer(summary) {
  const bars = summary.sides.map((side) => make("div", {}, make("p", { className: "side" }, side.name),
    ...scale({ ...side, shown_as: summary.shown_as }, summary.largest_class)));
  const notes = make("ul", { className: "notes" }, ...summary.notes.map((note) => make("li", {}, note)));
  return [make("p", { className: "verdict" }, summary.sentence), ...bars, factTable(summary.table),
    make("details", {}, make("summary", {}, "What this rests on"), notes)];
}

function factTable([heads, ...rows]) {
  const lines = rows.map(([name, ...texts]) =>
    make("tr", {}, make("th", { scope: "row" }, name),
      ...texts.map((text, place) => make("td", { "data-name": heads[place + 1] }, text))));
  return make("div", { className: "scroll facts", tabIndex: 0 }, make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...lines)));
}

function scale(summary, most = summary.largest_class) {
  const [low, high] = summary.interval;
  const rises = summary.shown_as === "accuracy";
  const place = (error) => 100 * Math.min(1, error / most);
  const span = make("span");
  const mark = make("i");
  const from = rises ? 100 - place(high) : place(low);
  span.style.left = `${from}%`;
  span.style.width = `${place(high) - place(low)}%`;
  mark.style.left = `${rises ? 100 - place(summary.estimate) : place(summary.estimate)}%`;
  const percent = (x) => `${(100 * x).toFixed(x % 1 ? 1 : 0)}%`;
  const ends = [make("span", { className: "perfect" }, `${percent(rises ? 1 : 0)} ${summary.shown_as}`),
    make("span", {}, `${percent(rises ? 1 - most : most)} by always answering the largest class`)];
  if (rises) ends.reverse();
  return [
    make("div", { className: "bar", "aria-hidden": "true" }, span, mark),
    make("div", { className: "ends", "aria-hidden": "true" }, ...ends),
  ];
}

function read(run, asked = false) {
  reading = run.id;
  byId("report").hidden = false;
  byId("report-heading").textContent = `Report of run ${run.number}`;
  const frame = byId("report-frame");
  frame.onload = () => fit(frame);
  frame.src = api.reportAddress(run.id);
  if (asked) byId("report-heading").focus();
}

function fit(frame) {
  const inner = frame.contentDocument?.documentElement;
  if (!inner) return;
  const set = () => { frame.style.height = `${inner.querySelector("main").scrollHeight + 8}px`; };
  set();
  new ResizeObserver(set).observe(frame);
}

function closeReport() {
  reading = null;
  byId("report").hidden = true;
  byId("report-frame").removeAttribute("src");
}

let compared = [];

// Choices are added and taken away one by one: what is chosen, or has the focus, stays so.
function offerComparison(done) {
  byId("compare-form").hidden = done.length < 2;
  const before = new Set(compared.map((run) => run.id));
  const fresh = done.filter((run) => !before.has(run.id));
  const gone = compared.some((run) => !done.some((other) => other.id === run.id));
  compared = done;
  if (!fresh.length && !gone) return;
  if (gone) byId("comparison").hidden = true;
  for (const [id, at] of [["first-run", -2], ["second-run", -1]]) {
    const select = byId(id);
    for (const option of [...select.options]) {
      if (!done.some((run) => run.id === option.value)) option.remove();
    }
    for (const run of fresh) select.append(make("option", { value: run.id }, run.title));
    if (done.length > 1 && document.activeElement !== select) select.value = done.at(at).id;
  }
}

async function compareRuns(event, refresh) {
  event.preventDefault();
  showProblem("");
  const pair = ["first-run", "second-run"].map((id) => compared.find((run) => run.id === byId(id).value));
  const ids = pair.map((run) => run.id);
  try {
    const found = await api.compare(...ids);
    if (found.unpaired) return showSideBySide(found, pair);
    byId("comparison").hidden = true;
    refresh(await api.comparePaired(...ids));
    byId("runs-heading").focus();
    say("The comparison is in the queue.");
  } catch (problem) {
    showProblem(problem.message);
  }
}

function showSideBySide(found, pair) {
  const most = Math.max(...pair.map((run) => run.summary.largest_class));
  const bars = pair.map((run) => make("div", {}, make("p", { className: "side" }, `Run ${run.number}`),
    ...scale(run.summary, most)));
  const place = byId("comparison");
  place.replaceChildren(make("p", { className: "verdict" }, found.sentence), make("p", {}, found.unpaired),
    ...bars, factTable([["", ...pair.map((run) => `Run ${run.number}`)], ...found.facts]));
  place.hidden = false;
  place.focus();
}

export function listenForComparisons(refresh) {
  byId("compare-form").addEventListener("submit", (event) => compareRuns(event, refresh));
}
